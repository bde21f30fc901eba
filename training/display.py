"""The progress of trainings and sweeps in words."""

from __future__ import annotations

import time
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
    seconds_left: float | None  # None: nothing to judge by yet
    marks: Grade
    critical_states: int


class Pace:
    """How long the rest will take: by the seconds of learning, and of everything else between two evaluations.

    The first chunk does not count: it is where code is compiled and libraries are loaded.
    """

    def __init__(self) -> None:
        self.chunks, self.steps, self.seconds, self.began = 0, 0, 0.0, 0.0

    def learned(self, steps: int, seconds: float) -> None:
        self.chunks += 1
        if self.chunks == 1:
            self.began = time.monotonic()
            return
        self.steps += steps
        self.seconds += seconds

    def left(self, steps: int, evaluations: int) -> float | None:
        """Nothing is said before a second has been measured."""
        elapsed = time.monotonic() - self.began
        if self.chunks < 3 or elapsed < 1.0:
            return None
        other = max(elapsed - self.seconds, 0.0) / self.chunks
        return max(steps, 0) * self.seconds / self.steps + max(evaluations, 0) * other


def sentence(at: Progress) -> str:
    left = "" if at.seconds_left is None else f", {duration(at.seconds_left)} left"
    return (
        f"step {at.done:,} of {at.steps:,}, {at.rate:,.0f} steps/s{left}, blunders {at.marks.blunders} of "
        f"{at.critical_states}, exploitability {at.marks.exploitability:.3f}"
    )


@contextmanager
def display(*, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """A function that shows the progress of a training, for as long as the block lasts."""
    with lines(quiet=quiet, estimate=False) as show:
        yield lambda at: show(at.done, at.steps, sentence(at), sentence(at))


def sweep_sentence(at: State) -> str:
    left = "?" if at.seconds_left is None else duration(at.seconds_left)
    return f"{at.finished} of {at.runs} runs done, {at.running} running, {at.failed} failed, {left} left"


@contextmanager
def display_sweep(*, quiet: bool = False) -> Iterator[Callable[[State], None]]:
    """The same for a sweep; it knows better than a bar how long its runs take."""
    with lines(quiet=quiet, estimate=False) as show:
        yield lambda at: show(at.finished + at.failed, at.runs, sweep_sentence(at), sweep_sentence(at))
