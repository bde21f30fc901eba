"""docs/frameworks.md: each block trains with the library itself, where it is there, and prints what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "frameworks.md").read_text(encoding="utf-8")
BLOCKS = dict(
    re.findall(r"^## (.*?)\n.*?```python\n(.*?)```", PAGE.partition("# The public tutorials")[2], re.M | re.S)
)
ALSO_NEEDS = {"ray": "tree"}  # RLlib's own; a bare ray comes without it
OURS = ("stable_baselines3", "sb3_contrib", "torch", "gymnasium", "envs", "agents", "games", "solver")


@pytest.mark.parametrize("name", BLOCKS)
def test_a_framework_is_judged_as_the_page_shows(name: str, tmp_path: Path) -> None:
    block = BLOCKS[name]
    for library in sorted(set(re.findall(r"^(?:from|import) (\w+)", block, re.M)) - set(OURS)):
        for needed in (library, ALSO_NEEDS.get(library, library)):
            if find_spec(needed) is None:
                pytest.skip(f"{needed} is not installed")
    (shown,) = re.findall(r"^print\(.*\)  # (.*)", block, re.M)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", block], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout.splitlines()


def test_every_framework_says_when_it_was_seen() -> None:
    seen = re.findall(r"^\| ([\w ,-]+) \| [\d.]+ \| 20\d\d-\d\d-\d\d \|", PAGE, re.M)
    assert {re.split(",| and ", name)[0] for name in BLOCKS} <= set(seen)
