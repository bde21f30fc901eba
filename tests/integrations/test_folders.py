"""Every adapter is a folder that installs by itself, with bounds on what it needs, as the page of questions lists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(file.parent for file in (ROOT / "integrations").glob("*/pyproject.toml"))


def installs(tool: dict[str, list[str]]) -> list[str]:
    return [*(f"{name}.py" for name in tool.get("py-modules", [])), *tool.get("packages", [])]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_folder_installs_one_module_with_bounded_versions_that_are_listed(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    assert (folder / "README.md").is_file()
    (installed,) = (folder / name for name in installs(project["tool"]["setuptools"]))
    assert installed.exists()
    ours, *others = project["project"]["dependencies"]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert re.fullmatch(rf"perfect-play>={re.escape(version.rpartition('.')[0])},<[\d.]+", ours)
    (low, below), *_ = bounds = [re.fullmatch(r"[\w-]+>=([\d.]+),<([\d.]+)", other).groups() for other in others]
    assert all(bounds)
    page = (ROOT / "docs/formats/questions.md").read_text("utf-8")
    assert f"(../../integrations/{folder.name}/README.md) | {low} to below {below} |" in page
