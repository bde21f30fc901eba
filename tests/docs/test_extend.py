"""The sixth game: docs/extend.md prints one file, and that file is all it takes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the printed file added, and nothing else changed."""
    place = tmp_path_factory.mktemp("clone")
    for room in ("base", "games", "solver", "envs", "agents", "training", "arena", "report"):
        shutil.copytree(ROOT / room, place / room, ignore=shutil.ignore_patterns("__pycache__"))
    for script in ("train.py", "evaluate.py"):
        shutil.copy(ROOT / script, place)
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    printed = re.search(r"`games/books/(\w+\.py)`:\n\n```python\n(.*?)```", page, re.DOTALL)
    assert printed, "the page prints no game"
    (place / "games" / "books" / printed[1]).write_text(printed[2], encoding="utf-8")
    return place


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
