"""The first hour: every command of the page, in its order, in one folder."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "first_hour.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("first-hour")
    sweep = re.search(r"`(\w+\.toml)`.*?```toml\n(.*?)```", PAGE, re.DOTALL)
    assert sweep
    (place / sweep[1]).write_text(sweep[2].replace('"0-9"', '"0-1"'), encoding="utf-8")  # fewer seeds: a test waits
    return place


def test_the_commands_of_the_page_work_in_their_order(folder: Path) -> None:
    assert len(COMMANDS) >= 8
    for command in COMMANDS:
        words = re.findall(r'"[^"]*"|\S+', command)
        assert words[0] == "python"
        script = [str(ROOT / words[1])] if words[1].endswith(".py") else [words[1]]
        arguments = [word.strip('"') for word in words[2:]]
        done = subprocess.run(
            [sys.executable, *script, *arguments],
            capture_output=True,
            text=True,
            cwd=folder,
            input="hint\n6\nquit\n",
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    assert (folder / "results" / "explore" / "index.html").is_file()
    assert len((folder / "sweeps" / "explore" / "summary.csv").read_text().splitlines()) == 1 + 2 * 4 * 2
