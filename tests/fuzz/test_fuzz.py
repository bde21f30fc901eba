"""A damaged file is opened rightly or refused in a line: no traceback, no hang, no flood of memory, no wrong answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.kinds import KINDS

ROOT = Path(__file__).parents[2]


def opened(folder: Path, first: int, count: int, *names: str) -> str:
    words = [sys.executable, "-m", "tests.fuzz.worker", str(folder), str(first), str(count), *names]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:] + (folder / "now").read_text()
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="its memory is limited by Linux")
def test_damaged_files_of_every_kind_are_opened_rightly_or_refused(tmp_path: Path) -> None:
    told = opened(tmp_path, 0, 20)
    assert all(f"{name}: 20 opened" in told for name in KINDS)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="its memory is limited by Linux")
@pytest.mark.parametrize("name", KINDS)
def test_10_000_damaged_files_are_opened_rightly_or_refused(name: str, tmp_path: Path) -> None:
    assert f"{name}: 10000 opened" in opened(tmp_path, 1_000, 10_000, name)
