"""Ladders: an entry is judged from its policies alone, and no claim moves the table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from games import Mistake, Policy, compile_rulebook, make_rulebook
from training.ladders.entry import read_entry
from training.ladders.judge import judge
from training.ladders.ladder import ladder_names, read_ladder

ROOT = Path(__file__).parents[3]
TINY = """
title = "Tiny"
question = "Does it work?"
may_know = "All."
score = "size"
size = "target"
budget = 100000
seeds = "0-1"
tuning = "None."
[[members]]
env = "fifty-wins"
parameters.target = [5, 10, 40]
"""


def ladder(*words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, ROOT / "ladder.py", *words], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def entry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Q-learning with so few steps that the largest member is not learned."""
    place = tmp_path_factory.mktemp("ladder")
    (place / "tiny.toml").write_text(TINY)
    words = [str(place / "tiny.toml"), "--agent", "q-learning", "--set", "steps=3000", "--jobs", "1"]
    output = ladder(*words, "--out", str(place), "--quiet")
    assert "score 10" in output
    return place / "tiny" / "q-learning" / "entry"


def copied(entry: Path, place: Path) -> Path:
    place.mkdir()
    for file in entry.iterdir():
        (place / file.name).write_bytes(file.read_bytes())
    return place


def test_an_entry_is_judged_as_it_was_made(entry: Path) -> None:
    judgement = judge(entry)
    assert judgement.score == 10
    assert not judgement.faults
    assert len(judgement.runs) == 6
    assert any(run.blunders for run in judgement.runs if run.claim.parameters["target"] == 40)


def test_a_false_claim_changes_the_verdict_and_not_the_table(entry: Path, tmp_path: Path) -> None:
    place = copied(entry, tmp_path / "entry")
    table = json.loads((place / "entry.json").read_text())
    for run in table["runs"]:
        run["blunders"] = 0
    (place / "entry.json").write_text(json.dumps(table))
    judgement = judge(place)
    assert judgement.score == judge(entry).score
    assert [run.blunders for run in judgement.runs] == [run.blunders for run in judge(entry).runs]
    assert len(judgement.faults) == 2
    assert "not as claimed" in ladder("check", str(place), code=1)


def test_a_policy_that_was_changed_is_judged_as_it_is(entry: Path, tmp_path: Path) -> None:
    place = copied(entry, tmp_path / "entry")
    with np.load(place / "policies.npz") as file:
        arrays = {name: file[name].copy() for name in file.files}
    arrays["member_0"][:, 0] = 0  # always 1, in the run of the first seed
    np.savez_compressed(place / "policies.npz", **arrays)
    judgement = judge(place)
    assert judgement.runs[0].blunders > 0
    assert judgement.score is None
    assert judgement.faults


def test_an_entry_outside_the_ladder_does_not_count(entry: Path, tmp_path: Path) -> None:
    place = copied(entry, tmp_path / "entry")
    table = json.loads((place / "entry.json").read_text())
    table["runs"][0]["seed"] = 77
    (place / "entry.json").write_text(json.dumps(table))
    judgement = judge(place)
    assert len(judgement.runs) == 5
    assert "seed 77: not a member and seed of the ladder" in judgement.faults[0]


@pytest.mark.parametrize("damage", ["", "{}", "[1]", '{"format": "perfect-play-entry-1", "runs": 3}', "\x00"])
def test_a_damaged_entry_is_one_line(entry: Path, tmp_path: Path, damage: str) -> None:
    place = copied(entry, tmp_path / "entry")
    (place / "entry.json").write_text(damage)
    output = ladder("check", str(place), code=2)
    assert len(output.splitlines()) == 1


def test_damaged_policies_are_one_line(entry: Path, tmp_path: Path) -> None:
    place = copied(entry, tmp_path / "entry")
    content = (place / "policies.npz").read_bytes()
    for damage in (b"", content[:100], content[: len(content) // 2]):
        (place / "policies.npz").write_bytes(damage)
        with pytest.raises(Mistake, match="not the policies of an entry"):
            judge(place)


@pytest.mark.parametrize("name", ladder_names())
def test_every_ladder_of_the_project_can_be_read_and_names_games_that_there_are(name: str) -> None:
    assert read_ladder(name).slots()


def test_a_budget_is_not_exceeded(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    output = ladder(str(tmp_path / "tiny.toml"), "--agent", "q-learning", "--out", str(tmp_path), code=2)
    assert "the budget of a run is 100,000" in output
    assert not (tmp_path / "tiny").exists()


FAR = """
title = "Far"
question = "How far?"
may_know = "All."
score = "horizon"
size = "target"
judged = "9-14"
budget = 100000
seeds = "0-1"
tuning = "None."
[[members]]
env = "fifty-wins"
parameters.target = 8
"""


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network that has played members up to 8, on those up to 14."""
    place = tmp_path_factory.mktemp("far")
    (place / "far.toml").write_text(FAR)
    changes = ("members=target=1-8", "steps=2000", "warm_up=0", "width=16", "games=64", "evaluations=1")
    words = [word for change in changes for word in ("--set", change)]
    ladder(str(place / "far.toml"), "--agent", "family", *words, "--jobs", "1", "--out", str(place), "--quiet")
    return place / "far" / "family" / "entry"


def test_a_horizon_is_judged_on_members_that_were_never_played(far: Path, tmp_path: Path) -> None:
    judgement = judge(far)
    for run in judgement.runs:
        assert [member.size for member in run.curve] == list(range(9, 15))
        assert run.blunders == sum(member.blunders for member in run.curve)
    place = copied(far, tmp_path / "entry")
    with np.load(place / "policies.npz") as file:
        table = file["member_0"].copy()
    totals = np.concatenate([np.arange(target) for target in range(9, 15)])
    rests = np.concatenate([(target - np.arange(target)) % 11 for target in range(9, 15)])
    table[:] = np.where(rests == 0, 1, rests)[:, None] - 1  # says the remainder
    table[(rests == 3) & (np.repeat(range(9, 15), range(9, 15)) == 12) & (totals == 9)] = 0
    np.savez_compressed(place / "policies.npz", member_0=table)
    assert judge(place).score == 11
    np.savez_compressed(place / "policies.npz", member_0=table[1:])
    with pytest.raises(Mistake, match=r"policy does not fit|the members that count have"):
        judge(place)


def test_each_blunder_left_stands_beside_the_chance_to_come_there() -> None:
    from training.ladders.entry import _left

    graph = compile_rulebook(make_rulebook("fifty-wins", target=25))
    always_one = Policy.greedy(graph, -np.arange(10.0) * np.ones((25, 1)))
    left = _left(Policy(graph, always_one.probability, {"stochastic": graph.legal / 10}))
    assert left is not None
    assert [state for state, _ in left] == [state for state in range(25) if (25 - state) % 11 not in (0, 1)]

    def chance(total: int) -> float:
        return 1.0 if total == 0 else sum(chance(total - move) for move in range(1, min(total, 10) + 1)) / 10

    for state, probability in left[:15]:
        assert probability == pytest.approx(chance(state))
    assert _left(always_one) is None


def test_a_folder_that_is_no_entry_is_told_as_that(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="no entry of a ladder; name a folder"):
        read_entry(tmp_path)
