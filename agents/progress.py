"""How long work looks while it goes on: a live line at a terminal, plain lines elsewhere, nothing when quiet."""

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


def _live(at: Progress) -> str:
    marks = at.marks
    return (
        f"step {at.done:,} of {at.steps:,}  {at.rate:,.0f} steps/s  blunders {marks.blunders} of "
        f"{at.critical_states}  exploitability {marks.exploitability:.3f}  left"
    )


@contextmanager
def display(*, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """A function that shows the progress of a training, for as long as the block lasts."""
    with lines(quiet=quiet) as show:
        yield lambda at: show(at.done, at.steps, sentence(at), _live(at))


def sweep_sentence(at: State) -> str:
    left = "?" if at.seconds_left is None else _duration(at.seconds_left)
    return f"{at.finished} of {at.runs} runs done, {at.running} running, {at.failed} failed, {left} left"


@contextmanager
def display_sweep(*, quiet: bool = False) -> Iterator[Callable[[State], None]]:
    """The same for a sweep; it knows better than a bar how long its runs take."""
    with lines(quiet=quiet, estimate=False) as show:
        yield lambda at: show(at.finished + at.failed, at.runs, sweep_sentence(at), sweep_sentence(at))


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
