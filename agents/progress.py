"""How a training looks while it runs: a live line at a terminal, plain lines elsewhere, nothing when quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agents.sweep import State
from agents.training import Progress

PLAIN_SECONDS = 5.0  # between two plain lines


def _duration(seconds: float) -> str:
    minutes, rest = divmod(max(int(seconds), 0), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def sentence(at: Progress) -> str:
    left = _duration((at.steps - at.done) / at.rate) if at.rate > 0 else "?"
    marks = at.marks
    return (
        f"step {at.done:,} of {at.steps:,}, {at.rate:,.0f} steps/s, {left} left, blunders {marks.blunders} of "
        f"{at.critical_states}, exploitability {marks.exploitability:.3f}"
    )


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

            def live(at: Progress) -> None:
                marks = at.marks
                text = (
                    f"step {at.done:,} of {at.steps:,}  {at.rate:,.0f} steps/s  blunders {marks.blunders} of "
                    f"{at.critical_states}  exploitability {marks.exploitability:.3f}  left"
                )
                bar.update(task, completed=at.done, total=at.steps, words=text)

            yield live


def sweep_sentence(at: State) -> str:
    left = "?" if at.seconds_left is None else _duration(at.seconds_left)
    return f"{at.finished} of {at.runs} runs done, {at.running} running, {at.failed} failed, {left} left"


@contextmanager
def display_sweep(*, quiet: bool = False) -> Iterator[Callable[[State], None]]:
    """The same for a sweep: a function that shows its state, for as long as the block lasts."""
    if quiet:
        yield lambda at: None
    elif not sys.stderr.isatty():
        last = time.monotonic()

        def plain(at: State) -> None:
            nonlocal last
            if time.monotonic() - last >= PLAIN_SECONDS:
                last = time.monotonic()
                print(sweep_sentence(at), file=sys.stderr, flush=True)

        yield plain
    else:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        with Bar(BarColumn(24), TextColumn("{task.fields[words]}"), console=Console(stderr=True)) as bar:
            task = bar.add_task("", total=None, words="")
            yield lambda at: bar.update(
                task, completed=at.finished + at.failed, total=at.runs, words=sweep_sentence(at)
            )
