"""axe-core reads every page in every colour and width and has nothing to say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from games import rulebook_names
from report.page import page
from tests.report.browser import Reader
from tests.report.made import baselines, entries, report_on, trained

WIDTHS = (390, 1280)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs of one game, no runs at all, and a run on every game."""
    folder = tmp_path_factory.mktemp("pages")
    one = [trained(folder / "one", "number-flip", seed=seed, steps=2_000) for seed in (0, 1)]
    every = [trained(folder / "all", name, steps=500) for name in rulebook_names()]
    reports = {
        "runs": report_on(entries(*one)), "none": baselines(), "all games": report_on(entries(*every))
    }  # fmt: skip
    files = {}
    for name, report in reports.items():
        files[name] = folder / f"{name}.html"
        files[name].write_text(page(report), encoding="utf-8")
    return files


@pytest.mark.parametrize("name", ["runs", "none", "all games"])
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing(name: str, scheme: str, pages: dict[str, Path], chromium: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    for width in WIDTHS:
        reader = Reader(chromium, pages[name], viewport={"width": width, "height": 900}, color_scheme=scheme)
        tabs = reader.tab.locator("nav.tabs a")
        for number in range(tabs.count()):
            tabs.nth(number).click()
            reader.tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            reader.tab.locator("article.game:visible button.cell").first.click()
            results = axe.Axe().run(reader.tab)
            assert results.response["violations"] == [], results.generate_report()
        reader.close()
