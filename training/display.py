"""The progress of trainings and sweeps in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from base.progress import duration, lines
from solver import Grade
from training.sweeps.folder import State


@dataclass(frozen=True)
class Progress:
    """A training at one moment."""

    done: int
    steps: int  # the budget
    rate: float  # updates per second since this process began
    marks: Grade
    critical_states: int


def sentence(at: Progress) -> str:
    left = duration((at.steps - at.done) / at.rate) if at.rate > 0 else "?"
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
    left = "?" if at.seconds_left is None else duration(at.seconds_left)
    return f"{at.finished} of {at.runs} runs done, {at.running} running, {at.failed} failed, {left} left"


@contextmanager
def display_sweep(*, quiet: bool = False) -> Iterator[Callable[[State], None]]:
    """The same for a sweep; it knows better than a bar how long its runs take."""
    with lines(quiet=quiet, estimate=False) as show:
        yield lambda at: show(at.finished + at.failed, at.runs, sweep_sentence(at), sweep_sentence(at))
