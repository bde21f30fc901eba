"""Someone who reads a page in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Reader:
    """Someone who opens a page, and notes every complaint of the browser."""

    def __init__(self, chromium: Any, file: Path, **context: Any) -> None:
        self.context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        self.tab = self.context.new_page()
        self.tab.set_default_timeout(10_000)
        self.complaints: list[str] = []
        self.tab.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.tab.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.tab.on("dialog", lambda dialog: (self.complaints.append("a dialog"), dialog.dismiss()))
        self.tab.on(
            "request", lambda request: request.url.startswith(("file:", "data:")) or self.complaints.append(request.url)
        )
        self.tab.goto(file.as_uri())

    def cells(self, game: int = 0) -> dict[int, tuple[str, str]]:
        """state: (kind, text) of every cell of the map."""
        cells = self.tab.eval_on_selector_all(
            f"[data-game='{game}'] .panels button.cell",
            "all => all.map(c => [Number(c.dataset.state), c.className, c.textContent])",
        )
        return {state: (kind.removeprefix("cell "), text) for state, kind, text in cells}

    def close(self) -> None:
        """The page must have been read without a complaint."""
        assert self.complaints == []
        self.context.close()
