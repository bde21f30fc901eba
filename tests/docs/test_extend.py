"""docs/extend.md: the game that it prints is one file and all it takes, and so is the learner."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agents.check import check_learner
from agents.settings import settings_of
from games import compile_rulebook, make_rulebook, rulebook_names
from training import resolve, train

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the printed file added, and nothing else changed."""
    place = tmp_path_factory.mktemp("clone")
    for room in ("base", "games", "solver", "envs", "agents", "training", "arena", "report"):
        shutil.copytree(ROOT / room, place / room, ignore=shutil.ignore_patterns("__pycache__"))
    for script in ("train.py", "evaluate.py"):
        shutil.copy(ROOT / script, place)
    printed = re.search(r"`games/books/(\w+\.py)`:\n\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert printed, "the page prints no game"
    (place / "games" / "books" / printed[1]).write_text(printed[2], encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first learner that the page prints, in a file."""
    printed = re.search(r"`(\w+\.py)`:\n\n```python\n(.*?)```", PAGE.partition("## Add a learner")[2], re.DOTALL)
    assert printed, "the page prints no learner"
    file = tmp_path_factory.mktemp("learner") / printed[1]
    file.write_text(printed[2], encoding="utf-8")
    return file


def run(clone: Path, *arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=clone, env={"PYTHONPATH": str(clone)})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_in_the_registry(clone: Path) -> None:
    assert "last-stone" in run(clone, "-m", "games")


def test_it_passes_the_check_of_rule_books(clone: Path) -> None:
    assert "last-stone: 21 states, 60 legal (state, move) pairs" in run(clone, "-m", "games", "check", "last-stone")


def test_it_is_solved(clone: Path) -> None:
    assert "last-stone" in run(clone, "-m", "solver", "--env", "last-stone")


def test_it_is_in_every_env_and_passes_their_checkers(clone: Path) -> None:
    assert "last-stone" in run(clone, "-m", "envs", "last-stone")
    code = """
import envs, gymnasium
for id in ("perfectplay/LastStone-v0", "perfectplay/LastStoneSolo-v0"):
    env = gymnasium.make(id, stones=12)
    env.reset(seed=0)
    vec = gymnasium.make_vec(id, num_envs=3)
    vec.reset(seed=0)
envs.PettingZooEnv("last-stone").reset(seed=0)
"""
    run(clone, "-c", code)


def test_it_is_learned(clone: Path, tmp_path: Path) -> None:
    output = run(clone, "train.py", "--env", "last-stone", "--agent", "q-learning", "--out", str(tmp_path), "--quiet")
    assert (tmp_path / "last-stone" / "q-learning" / "seed-0" / "scorecard.json").is_file(), output


def test_the_printed_learner_becomes_perfect(learner: Path) -> None:
    training = train(resolve(env=rulebook_names()[0], agent=str(learner), changes={"steps": "1e4"}))
    assert training.card.perfect


def test_the_printed_learner_passes_the_check_and_says_that_it_cannot_be_resumed(learner: Path) -> None:
    check = check_learner(settings_of(str(learner)), "first", [compile_rulebook(make_rulebook(rulebook_names()[0]))])
    assert not check.faults
    assert "not checked: state and restore" in str(check)


def test_what_the_page_adds_to_it_is_in_the_example() -> None:
    example = (ROOT / "examples" / "my_learner.py").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.partition("**Settings of its own**")[2], re.DOTALL)
    assert len(blocks) == 2
    assert all(block in example for block in blocks)
