"""The README runs: each of its Python blocks, as typed, in a fresh interpreter."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.make.front_page import filled

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_runs_as_typed_and_prints_what_it_shows(number: int) -> None:
    block = BLOCKS[number]
    done = subprocess.run([sys.executable, "-W", "error", "-c", block], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    shown = re.findall(r"print\(.*\) +# (.*)", block)
    assert shown, "a block that prints nothing shows nothing"
    assert done.stdout.splitlines() == shown


def test_the_readme_has_a_block_for_each_door() -> None:
    for door in ("gymnasium.make(", "PettingZooEnv(", "make_vec(", "ExactEvalCallback(", "Policy.from_function("):
        assert any(door in block for block in BLOCKS), door


def test_the_results_are_what_the_stored_tables_make() -> None:
    assert filled(PAGE, ROOT / "docs" / "results") == PAGE


def test_every_command_that_the_readme_shows_exists() -> None:
    shown = re.findall(r"python ((?:-m )?[\w./]+)", PAGE)
    assert {"train.py", "evaluate.py", "play.py", "exam.py", "sweep.py", "-m solver"} <= set(shown)
    for word in shown:
        place = f"{word[3:].replace('.', '/')}/__main__.py" if word.startswith("-m ") else word
        assert (ROOT / place).is_file(), word


def test_every_file_the_readme_points_to_exists() -> None:
    for path in re.findall(r"\]\((?!http)([^)#]+)\)", PAGE):
        assert (ROOT / path).exists(), path
