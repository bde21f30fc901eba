"""Every page of the project: what it links to is there, and the commands that it shows exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for page in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/**/*.md"),
        *ROOT.glob("integrations/*/*.md"),
    )
)


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    file = ROOT / page
    for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", file.read_text(encoding="utf-8")):
        assert (file.parent / link).exists(), link


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_shows_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for module in re.findall(r"python3? -m ([a-z_][\w.]*)", text):
        if module.partition(".")[0] not in ("venv", "pip", "pytest", "http"):
            place, adapters = (
                ROOT / module.replace(".", "/"),
                (*ROOT.glob(f"integrations/*/{module}.py"), *ROOT.glob(f"integrations/*/{module}")),
            )
            assert (place / "__main__.py").is_file() or place.with_suffix(".py").is_file() or any(adapters), module
    for script in re.findall(r"python3? ([\w./]+\.py)\b", text):
        assert (ROOT / script).is_file() or f"`{script}`" in text or f"/{script}" in text, script


def test_every_page_of_docs_is_listed_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("**/*.md"):
        name = page.relative_to(ROOT / "docs").as_posix()
        assert name == "index.md" or name.startswith("make/") or f"({name})" in index, name
