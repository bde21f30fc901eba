"""The README: a block for each door, every command, and the results as stored (tests/docs runs its blocks)."""

from __future__ import annotations

import re
from pathlib import Path

from docs.make.front_page import filled

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_readme_has_a_block_for_each_door() -> None:
    for door in ("gymnasium.make(", "PettingZooEnv(", "make_vec(", "ExactEvalCallback(", "Policy.from_function("):
        assert any(door in block for block in BLOCKS), door


def test_the_results_are_what_the_stored_tables_make() -> None:
    assert filled(PAGE, ROOT / "docs" / "measured" / "results") == PAGE


def test_the_readme_shows_every_command() -> None:
    shown = re.findall(r"python ((?:-m )?[\w./]+)", PAGE)
    assert {"train.py", "evaluate.py", "play.py", "exam.py", "sweep.py", "-m solver"} <= set(shown)
