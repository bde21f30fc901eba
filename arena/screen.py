"""What a person at play sees and types: pleasant at a terminal, plain lines in a pipe."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

STYLES = {"title": "bold cyan", "table": "bold", "good": "green", "bad": "bold red", "quiet": "dim", "": ""}


class Screen:
    def __init__(self) -> None:
        self._console: Any = None
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # what is no text is no move, and no reason to stop
        if sys.stdout.isatty():
            from rich.console import Console

            self._console = Console(highlight=False)  # which breaks lines between words, at any width
            if sys.stdin.isatty():
                with contextlib.suppress(ImportError):
                    importlib.import_module("readline")  # so that input() knows the arrow keys

    def say(self, text: str = "", style: str = "") -> None:
        if self._console is None:
            print(text, flush=True)
        else:
            self._console.print(text, style=STYLES[style], markup=False)

    def title(self, text: str) -> None:
        if self._console is None:
            self.say(f"== {text} ==")
        else:
            self._console.rule(text, style=STYLES["title"])

    def rows(self, rows: Sequence[tuple[str, str, str]]) -> None:
        """Each a style, a head and what is said about it."""
        if self._console is None:
            for _, head, text in rows:
                self.say(f"{head:>6}  {text}")
            return
        from rich.table import Table

        table = Table(show_header=False, box=None)
        for style, head, text in rows:
            table.add_row(head, text, style=STYLES[style])
        self._console.print(table, markup=False)

    def ask(self, prompt: str) -> str | None:
        """A line that somebody typed; None at the end of the input."""
        try:
            if self._console is not None:
                *above, last = textwrap.wrap(prompt, self._console.width) or [""]
                for line in above:
                    self.say(line)
                said = input(f"{last} ")
            else:
                print(prompt, end="", flush=True)
                line = sys.stdin.readline(10_000)
                if not line:
                    raise EOFError
                said = line
        except EOFError:
            self.say()
            return None
        if not sys.stdin.isatty():
            self.say(said.strip())  # so that what is kept of a pipe reads like a game
        return said.strip()
