"""The Python blocks of the pages, as typed, in a fresh interpreter: they print what they show."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
PAGES = ["README.md", "docs/concepts.md", "docs/extend.md", "docs/rewards.md"]


def blocks(page: str) -> list[str]:
    """Those that show what they print; a file to be written prints nothing."""
    return [block for block in BLOCK.findall((ROOT / page).read_text("utf-8")) if "print(" in block]


BLOCKS = [(page, number) for page in PAGES for number in range(len(blocks(page)))]


@pytest.mark.parametrize(("page", "number"), BLOCKS)
def test_a_block_prints_what_it_shows(page: str, number: int) -> None:
    block = blocks(page)[number]
    shown = re.findall(r"print\(.*\) +# (.*)", block) or re.findall(r"^# (.*)", block, re.MULTILINE)
    assert shown, "a block says what it prints"
    done = subprocess.run([sys.executable, "-W", "error", "-c", block], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == shown
