"""Work on long arrays slab by slab, on all the cores that this process may use, with the answers in their order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Answer = TypeVar("Answer")
AHEAD = 4  # slabs a core may have answered before the first of them is asked for


def cores() -> int:
    """How many cores this process may use; `taskset` and its like limit them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def slabs(length: int, step: int) -> list[slice]:
    return [slice(first, min(first + step, length)) for first in range(0, length, step)]


def each_slab(work: Callable[[slice], Answer], length: int, step: int) -> Iterator[Answer]:
    """What `work` answers for each slab, in order. It is numpy or a kernel that runs side by side with itself.

    On threads, for the arrays are shared; a slab's answer depends on no other slab, so the bytes are those of one core.
    """
    parts = slabs(length, step)
    workers = min(cores(), len(parts))
    if workers < 2:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: list[Future[Answer]] = []
        try:
            for part in parts:
                waiting.append(pool.submit(work, part))
                if len(waiting) == AHEAD * workers:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        finally:
            for future in waiting:
                future.cancel()
