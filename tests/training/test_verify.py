"""What a finished run tells is believed where its files prove it, and made again where they do not."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from base.manifest import MANIFEST, edited, manifest
from training.loop import train
from training.resolve import Settings, resolve
from training.run import Run
from training.verify import prove

GAME = "fifty-wins"
LASTING = ("settings.toml", "curve.csv", "snapshots.npz", "policy.npz", "scorecard.json")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, Path]:
    settings = resolve(env=GAME, agent="q-learning", changes={"steps": 60_000, "evaluations": 8})
    run = Run(settings.path(tmp_path_factory.mktemp("whole")))
    train(settings, run)
    return settings, run.path


@pytest.fixture
def run(whole: tuple[Settings, Path], tmp_path: Path) -> Path:
    """A copy of it, to be spoiled."""
    shutil.copytree(whole[1], tmp_path / "run")
    return tmp_path / "run"


def signed(run: Path) -> None:
    """A new manifest, as one makes it who wants to deceive."""
    names = json.loads((run / MANIFEST).read_text())["files"]
    (run / MANIFEST).write_bytes(manifest({name: (run / name).read_bytes() for name in names}))


def in_card(key: str, value: object) -> Callable[[Path], None]:
    def change(run: Path) -> None:
        card = json.loads((run / "scorecard.json").read_text())
        assert card[key] != value
        (run / "scorecard.json").write_text(json.dumps(card | {key: value}))

    return change


def in_curve(row: int, column: str, value: object) -> Callable[[Path], None]:
    def change(run: Path) -> None:
        rows = list(csv.DictReader((run / "curve.csv").read_text().splitlines()))
        assert rows[row][column] != str(value)
        rows[row][column] = str(value)
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        (run / "curve.csv").write_text(text.getvalue())

    return change


def in_text(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(run: Path) -> None:
        text = (run / name).read_text()
        assert old in text
        (run / name).write_text(text.replace(old, new, 1))

    return change


def in_snapshots(run: Path) -> None:
    with np.load(run / "snapshots.npz") as arrays:
        steps, action = arrays["steps"], arrays["action"]
    action[-1, 0] = (action[-1, 0] + 1) % 10
    np.savez(run / "snapshots.npz", steps=steps, action=action)


LIES = {
    "perfect": in_card("perfect", False),
    "blunders": in_card("blunders", 7),
    "accuracy": in_card("accuracy", 0.25),
    "exploitability": in_card("exploitability", 0.25),
    "steps": in_card("steps", -1),
    "steps_to_perfect": in_card("steps_to_perfect", 3),
    "first_steps_to_perfect": in_card("first_steps_to_perfect", None),
    "seed": in_card("seed", 9),
    "agent": in_card("agent", "ppo"),
    "curve in the middle": in_curve(3, "exploitability", 0.125),
    "accuracy in the middle": in_curve(3, "accuracy", 0.125),
    "curve's steps": in_curve(3, "steps", 17),
    "curve's last row": in_curve(-1, "blunders", 3),
    "snapshots": in_snapshots,
    "settings of another game": in_text("settings.toml", "target = 50", "target = 60"),
    "provenance of another game": in_text("provenance.json", '"graph_checksum": "', '"graph_checksum": "0'),
    "not text": lambda run: (run / "scorecard.json").write_bytes(b"\xff\xfe") and None,
    "timing": in_text("timing.csv", "steps,seconds\n0,", "steps,seconds\n-1,"),
}


def test_a_run_as_it_was_left_is_what_it_says(whole: tuple[Settings, Path]) -> None:
    proof = prove(whole[1])
    assert proof.good
    assert proof.card is not None
    assert proof.card.to_json() == (whole[1] / "scorecard.json").read_text()


@pytest.mark.parametrize("lie", LIES)
def test_no_lie_that_can_be_computed_is_believed_even_where_it_is_signed(lie: str, run: Path) -> None:
    LIES[lie](run)
    assert len(edited(run)) == 1
    assert prove(run).faults
    signed(run)
    assert edited(run) == ()
    assert prove(run).faults


@pytest.mark.parametrize("name", ["provenance.json", "timing.csv", "policy.npz", "snapshots.npz", "curve.csv"])
def test_a_changed_byte_anywhere_is_noticed(name: str, run: Path) -> None:
    content = bytearray((run / name).read_bytes())
    content[len(content) // 2] ^= 1
    (run / name).write_bytes(content)
    assert edited(run) == (name,)
    assert not prove(run).good


@pytest.mark.parametrize(
    "text", ["", "{}", "[" * 5_000, '{"format": "perfect-play-manifest-1", "files": {"../../x": ""}}']
)
def test_a_manifest_that_is_none_is_an_edit_and_leads_nowhere(text: str, run: Path) -> None:
    (run / MANIFEST).write_text(text)
    assert edited(run) == (MANIFEST,)


CURED = [lie for lie in LIES if lie != "settings of another game"]  # a run with other settings is left alone


@pytest.mark.parametrize("lie", [*CURED, "policy lost", "curve lost", "manifest lost"])
def test_resume_makes_again_what_it_cannot_believe(
    lie: str, whole: tuple[Settings, Path], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = {"policy lost": "policy.npz", "curve lost": "curve.csv", "manifest lost": MANIFEST}
    if lie in lost:
        (run / lost[lie]).unlink()
    else:
        LIES[lie](run)
    card = train(whole[0], Run(run), resume=True).card
    assert card.to_json() == (whole[1] / "scorecard.json").read_text()
    assert prove(run).good
    for name in LASTING:
        assert (run / name).read_bytes() == (whole[1] / name).read_bytes()
    if lie != "manifest lost":  # which is how a run looks that was stopped a moment before its end
        assert capsys.readouterr().err.count("\n") == 1


def test_a_run_that_is_believed_is_not_written_again(whole: tuple[Settings, Path], run: Path) -> None:
    before = {file: file.stat().st_mtime_ns for file in run.iterdir() if file.name != "lock"}
    train(whole[0], Run(run), resume=True)
    assert {file: file.stat().st_mtime_ns for file in run.iterdir() if file.name != "lock"} == before
