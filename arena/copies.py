"""Several copies of one player behind pipes of their own, so that models that are waited for are asked side by side."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import TypeVar

from arena.pipe import Deaths, GaveUp, Pipe

Task = TypeVar("Task")
Result = TypeVar("Result")
JOIN_SECONDS = 20.0  # for a thread whose player was ended


class Copies:
    """`with Copies(words, seconds, startup, 4) as player:`; afterwards nothing of them is left running."""

    def __init__(self, words: list[str], seconds: float, startup: float, jobs: int = 1) -> None:
        deaths = Deaths()  # in a row, of all copies together: what broke one breaks the others
        self.pipes = [Pipe(words, seconds, startup, deaths) for _ in range(jobs)]
        self._stack = ExitStack()

    def __enter__(self) -> Copies:
        for pipe in self.pipes:
            self._stack.enter_context(pipe)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        leaving = [threading.Thread(target=pipe.leave, args=(kind is None,)) for pipe in self.pipes]
        for thread in leaving:  # they have the same seconds to leave, at the same time
            thread.start()
        for thread in leaving:
            thread.join()
        self._stack.close()

    def each(
        self, tasks: Iterable[Task], work: Callable[[Pipe, Task], Result]
    ) -> Iterator[tuple[Pipe, Task, Result | None]]:
        """What `work` makes of each task, as it is done, with the copy that did it; tasks are begun in their order.

        Where a copy is given up, it comes once more with the task that nobody did, and no result.
        """
        waiting, done, stopped = deque(tasks), queue.SimpleQueue[object](), threading.Event()

        def serve(pipe: Pipe) -> None:
            try:
                while waiting and not stopped.is_set():
                    try:
                        task = waiting.popleft()
                    except IndexError:
                        break
                    try:
                        done.put((pipe, task, work(pipe, task)))
                    except GaveUp:
                        done.put((pipe, task, None))
                        break
            except BaseException as error:  # belongs to whoever waits for the results
                done.put(error)
            finally:
                done.put(None)

        threads = [threading.Thread(target=serve, args=(pipe,), daemon=True) for pipe in self.pipes]
        for thread in threads:
            thread.start()
        try:
            left = len(threads)
            while left:
                item = done.get()
                if item is None:
                    left -= 1
                elif isinstance(item, BaseException):
                    raise item
                else:
                    yield item  # type: ignore[misc]
        finally:
            stopped.set()
            if any(thread.is_alive() for thread in threads):
                for pipe in self.pipes:
                    pipe.end_now()
            for thread in threads:
                thread.join(JOIN_SECONDS)

    @property
    def starts(self) -> int:
        return sum(pipe.starts for pipe in self.pipes)

    @property
    def strays(self) -> int:
        return sum(pipe.strays for pipe in self.pipes)

    @property
    def last_words(self) -> str:
        return next((words for pipe in self.pipes if (words := pipe.last_words_clean())), "")
