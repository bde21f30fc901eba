"""A line of progress: a live one at a terminal, plain ones elsewhere, nothing when quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PLAIN_SECONDS = 5.0  # between two plain lines


def duration(seconds: float) -> str:
    minutes, rest = divmod(max(int(seconds), 0), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


@contextmanager
def lines(*, quiet: bool = False, estimate: bool = True) -> Iterator[Callable[[int, int, str, str], None]]:
    """A function that is told what is done, of how much, and that in words: for a plain line and for a live one."""
    if quiet:
        yield lambda done, total, plain, live: None
    elif not sys.stderr.isatty():
        last = time.monotonic()

        def print_now_and_then(done: int, total: int, plain: str, live: str) -> None:
            nonlocal last
            if time.monotonic() - last >= PLAIN_SECONDS:
                last = time.monotonic()
                print(plain, file=sys.stderr, flush=True)

        yield print_now_and_then
    else:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = [BarColumn(24), TextColumn("{task.fields[words]}"), *([TimeRemainingColumn()] if estimate else [])]
        with Bar(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task("", total=None, words="")
            yield lambda done, total, plain, live: bar.update(task, completed=done, total=total, words=live)
