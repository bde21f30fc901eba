"""The README runs: each of its Python blocks, as typed, in a fresh interpreter."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

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
    assert len(BLOCKS) >= 3


def test_every_file_the_readme_points_to_exists() -> None:
    for path in re.findall(r"\]\((?!http)([^)#]+)\)", PAGE):
        assert (ROOT / path).exists(), path
