"""Folders that are not what they say they are."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from games import Mistake
from report.runs import Reader, find_entries
from tests.report.made import entries, report_on, trained

GAME = "fifty-wins"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return trained(tmp_path, GAME, steps=500)


def overwrite(name: str, text: str | bytes) -> Callable[[Path], None]:
    return lambda run: [(run / name).write_bytes(text.encode() if isinstance(text, str) else text), None][1]


def snapshots(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        with np.load(run / "snapshots.npz") as file:
            steps, action = file["steps"], file["action"]
        np.savez(run / "snapshots.npz", steps=steps, action=change(action))

    return damage


def scorecard(key: str, value: object) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        file = run / "scorecard.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {key: value}))

    return damage


def pipe(name: str) -> Callable[[Path], None]:
    return lambda run: [(run / name).unlink(), os.mkfifo(run / name)][1]


DEEP = "[" * 100_000
DAMAGE = {
    "no scorecard": lambda run: (run / "scorecard.json").unlink(),
    "no policy": lambda run: (run / "policy.npz").unlink(),
    "policy cut short": overwrite("policy.npz", b"PK nonsense"),
    "scorecard of lists": overwrite("scorecard.json", DEEP),
    "provenance not JSON": overwrite("provenance.json", "{"),
    "provenance a list": overwrite("provenance.json", "[]"),
    "provenance with infinity": overwrite("provenance.json", '{"seconds": 1e999}'),
    "provenance of lists": overwrite("provenance.json", DEEP),
    "provenance not text": overwrite("provenance.json", b"\xff\xfe\x00"),
    "exam not an object": overwrite("exam.json", "7"),
    "settings not TOML": overwrite("settings.toml", "= ="),
    "settings with infinity": overwrite("settings.toml", "x = inf"),
    "curve of another kind": overwrite("curve.csv", "a,b\n1,2\n"),
    "curve empty": overwrite("curve.csv", ""),
    "curve without rows": overwrite("curve.csv", "steps,blunders,accuracy,exploitability\n"),
    "curve cut short": overwrite("curve.csv", "steps,blunders,accuracy,exploitability\n0,46\n"),
    "curve with NaN": overwrite("curve.csv", "steps,blunders,accuracy,exploitability\n0,1,nan,1\n"),
    "curve going back": overwrite("curve.csv", "steps,blunders,accuracy,exploitability\n5,1,1,1\n0,1,1,1\n"),
    "curve with a NUL": overwrite("curve.csv", "steps,blunders,accuracy,exploitability\n0,\x00,1,1\n"),
    "timing not numbers": overwrite("timing.csv", "steps,seconds\n0,soon\n"),
    "steps to perfect that are not so": scorecard("steps_to_perfect", 400),
    "more steps than a number holds": scorecard("steps", 10**30),
    "steps before the first": scorecard("steps", -1),
    "the seed of another run": scorecard("seed", 7),
    "another agent": scorecard("agent", "ppo"),
    "settings of another seed": overwrite("settings.toml", 'env = "fifty-wins"\nagent = "q-learning"\nseed = 5\n'),
    "settings of another game": overwrite("settings.toml", 'env = "number-flip"\nagent = "q-learning"\nseed = 0\n'),
    "settings as a pipe": pipe("settings.toml"),
    "scorecard as a pipe": pipe("scorecard.json"),
    "curve as a pipe": pipe("curve.csv"),
    "snapshots not npz": overwrite("snapshots.npz", b"PK\x03\x04"),
    "snapshots of another size": snapshots(lambda action: action[:, 1:]),
    "snapshots with a wild move": snapshots(lambda action: action + 1000),
    "snapshots that contradict the curve": snapshots(lambda action: np.zeros_like(action)),
    "snapshots of other evaluations": snapshots(lambda action: action[:-1]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_run_is_refused_in_one_line_that_names_it(damage: str, run: Path) -> None:
    Reader().read(run)
    DAMAGE[damage](run)
    with pytest.raises(Mistake) as caught:
        Reader().read(run)
    assert str(run) in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_curve_that_flatters_is_refused(run: Path) -> None:
    file = run / "curve.csv"
    lines = file.read_text().splitlines()
    steps, blunders, rest = lines[3].split(",", 2)
    file.write_text("\n".join([*lines[:3], f"{steps},{int(blunders) - 1},{rest}", *lines[4:]]) + "\n")
    with pytest.raises(Mistake, match=f"tells of blunders {int(blunders) - 1} at step {steps}, and it is {blunders}"):
        Reader().read(run)


@pytest.mark.parametrize("column", [2, 3])
def test_a_share_on_a_curve_that_its_snapshots_deny_is_refused(column: int, run: Path) -> None:
    file = run / "curve.csv"
    lines = file.read_text().splitlines()
    cells = lines[3].split(",")
    cells[column] = str(float(cells[column]) / 2)
    file.write_text("\n".join([*lines[:3], ",".join(cells), *lines[4:]]) + "\n")
    with pytest.raises(Mistake, match="at step 100, and it is"):
        Reader().read(run)


def test_a_story_that_cannot_be_computed_is_marked_where_the_manifest_denies_it(run: Path) -> None:
    assert Reader().read(run).edited == ()
    assert report_on(entries(run)).edited == []
    file = run / "provenance.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"seconds": 1}))
    (line,) = report_on(entries(run)).edited
    assert line == f"{run}: edited since the run ended (provenance.json)"
    (run / "manifest.json").unlink()
    assert "no manifest" in report_on(entries(run)).edited[0]


def test_what_a_run_may_lack_it_may_lack(run: Path) -> None:
    for name in ("settings.toml", "curve.csv", "timing.csv", "snapshots.npz", "provenance.json"):
        (run / name).unlink()
        Reader().read(run)
    (run / "exam.json").write_text(json.dumps({"asked": 3}))
    entry = Reader().read(run)
    assert (entry.kind, entry.curve, entry.exam) == ("exam", None, {"asked": 3})


def test_a_saved_policy_is_measured_and_named_after_its_file(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.npz"
    file.write_bytes((run / "policy.npz").read_bytes())
    entry = Reader().read(file)
    assert (entry.kind, entry.card.agent) == ("policy", "mine")
    assert entry.card.blunders == Reader().read(run).card.blunders


def test_a_folder_is_searched_and_a_run_named_twice_is_read_once(run: Path, tmp_path: Path) -> None:
    (tmp_path / "sweep" / "deep").mkdir(parents=True)
    assert list(find_entries([str(tmp_path), str(run), str(tmp_path / "nowhere")])) == [run, tmp_path / "nowhere"]


def test_a_foreign_folder_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").write_bytes(b"")
    with pytest.raises(Mistake, match="no run in it"):
        Reader().read(tmp_path)


def test_runs_of_one_game_share_its_graph(run: Path, tmp_path: Path) -> None:
    reader = Reader()
    other = trained(tmp_path, GAME, seed=1, steps=500)
    assert reader.read(run).policy.graph is reader.read(other).policy.graph
