"""Every adapter is a folder that installs by itself, with bounds on what it needs, as the page of questions lists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(file.parent for file in (ROOT / "integrations").glob("*/pyproject.toml"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_folder_installs_one_module_with_bounded_versions_that_are_listed(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    assert (folder / "README.md").is_file()
    (module,) = project["tool"]["setuptools"]["py-modules"]
    assert (folder / f"{module}.py").is_file()
    ours, *others = project["project"]["dependencies"]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert re.fullmatch(rf"perfect-play>={re.escape(version.rpartition('.')[0])},<[\d.]+", ours)
    (low, below), *_ = bounds = [re.fullmatch(r"[\w-]+>=([\d.]+),<([\d.]+)", other).groups() for other in others]
    assert all(bounds)
    page = (ROOT / "docs/formats/questions.md").read_text("utf-8")
    assert f"(../../integrations/{folder.name}/README.md) | {low} to below {below} |" in page
