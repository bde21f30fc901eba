"""How an exam looks while it runs: a live line at a terminal, plain lines elsewhere, nothing when quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agents.progress import PLAIN_SECONDS
from arena.exam import Progress


def sentence(at: Progress) -> str:
    return f"{at.done} of {at.total} answers, {at.kept} keep the value, {at.invalid} invalid"


@contextmanager
def display(*, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """A function that shows progress, for as long as the block lasts."""
    if quiet:
        yield lambda at: None
    elif not sys.stderr.isatty():
        last = time.monotonic()

        def plain(at: Progress) -> None:
            nonlocal last
            if time.monotonic() - last >= PLAIN_SECONDS:
                last = time.monotonic()
                print(sentence(at), file=sys.stderr, flush=True)

        yield plain
    else:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        words = TextColumn("{task.fields[words]}")
        with Bar(BarColumn(24), words, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
            task = bar.add_task("", total=None, words="")
            yield lambda at: bar.update(task, completed=at.done, total=at.total, words=sentence(at))
