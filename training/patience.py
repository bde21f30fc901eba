"""Ctrl-C waits until the learner is between two steps; a second one does not wait, a third one asks nobody."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def patience() -> Iterator[Callable[[], bool]]:
    """A function that tells whether Ctrl-C was pressed, for as long as the block lasts."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return

    def press(*_: object) -> None:
        if pressed.is_set():
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a learner may catch what is raised here
            raise KeyboardInterrupt
        pressed.set()
        print("\nstopping as soon as the learner returns; Ctrl-C once more leaves at once", file=sys.stderr)

    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)
