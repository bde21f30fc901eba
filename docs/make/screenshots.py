"""Pictures of the page for the docs: python -m docs.make.screenshots RUN ... (needs Chromium and Playwright)."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from base.command import Parser, run
from base.mistake import Mistake

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
BLUNDERS = 25  # how many the policy on the map still makes
# name: what the browser is like, and the part of the page that it shows
PICTURES: dict[str, tuple[dict[str, Any], str | None]] = {
    "report-light": ({"viewport": {"width": 1180, "height": 1240}, "color_scheme": "light"}, None),
    "report-dark": ({"viewport": {"width": 1180, "height": 860}, "color_scheme": "dark"}, ".map-section"),
    "report-phone": ({"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "is_mobile": True}, None),
}


def take(browser: Any, page: Path, folder: Path) -> list[Path]:
    """One picture each: the verdict in light, the map while it still learns in dark, a phone."""
    taken = []
    for name, (looks, part) in PICTURES.items():
        context = browser.new_context(**looks)
        tab = context.new_page()
        tab.goto(page.resolve().as_uri())
        if part is not None:
            _go_back(tab, part)
        taken.append(folder / f"{name}.png")
        tab.screenshot(path=taken[-1])
        context.close()
    return taken


def _go_back(tab: Any, part: str) -> None:
    """The map at an evaluation at which the run still blundered, one of the blunders looked at."""
    slider = tab.locator(f"{part} input[type=range]").first
    for at in range(int(slider.get_attribute("max") or 0), 0, -1):
        slider.evaluate("(s, at) => { s.value = at; s.dispatchEvent(new Event('input')); }", at)
        if tab.locator(f"{part} button.blunder").count() >= BLUNDERS:
            break
    tab.locator(f"{part} button.blunder").last.hover()
    tab.locator(f"{part} h3").first.evaluate("h => scrollTo(0, h.getBoundingClientRect().top + scrollY - 70)")


def main() -> int:
    parser = Parser(
        prog="python -m docs.make.screenshots", description="Takes the pictures of the page that the docs show."
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the runs that the page is about")
    parser.add_argument("--out", metavar="DIR", default="docs", help="where the pictures go (default: docs)")
    args = parser.parse_args()
    if (chromium := shutil.which("chromium")) is None:
        raise Mistake(
            "docs.make.screenshots: chromium is not installed; install it, nothing but pictures and tests needs it"
        )
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as results, sync_playwright() as playwright:
        command = [sys.executable, "evaluate.py", *args.runs, "--out", results]
        if subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
            raise Mistake("docs.make.screenshots: evaluate.py made no page; what it says stands above")
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for picture in take(browser, Path(results) / "index.html", Path(args.out)):
            print(f"{picture} ({picture.stat().st_size // 1000} kB)")
        browser.close()
    return 0


if __name__ == "__main__":
    run(main)
