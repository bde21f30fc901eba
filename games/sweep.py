"""The engine on columns: the rule run on every combination of fields at once, then cut to what the start reaches."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.explore import outcome_of, too_many
from games.rows import Column, NotOnColumns, run
from games.rulebook import RuleBook, Verdict

CHUNK = 1 << 14  # rows a column holds at once: small enough to stay in the cache
OUTSIDE = -5  # a move out of the fields' bounds: a mistake only where the start leads


def sweep(book: RuleBook, max_states: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """positions [S, F] and next_state [S, A], sorted by the fields; NotOnColumns where only ints will do."""
    sizes, moves = list(book.fields().values()), list(book.moves())
    if prod(sizes) >= 2**31:
        raise NotOnColumns(f"{prod(sizes)} combinations of fields are too many to lay out")
    try:
        next_state = _lay_out(book, sizes, moves)
    except NotOnColumns:
        raise
    except Exception as error:  # the ints find out whether and where the rule itself is wrong
        raise NotOnColumns(f"{type(error).__name__}: {error}") from error
    reached = _reachable(next_state)
    kept = np.flatnonzero(reached)
    if len(kept) > max_states:
        raise too_many(book, max_states)
    if len(kept) < len(next_state):
        number = np.cumsum(reached, dtype=np.int32) - 1
        for first in range(0, len(kept), CHUNK):  # in place: a row only ever moves up
            block = next_state[kept[first : first + CHUNK]]
            next_state[first : first + len(block)] = np.where(block >= 0, number[block], block)
        next_state = next_state[: len(kept)] if 2 * len(kept) > len(next_state) else next_state[: len(kept)].copy()
    positions = np.empty((len(kept), len(sizes)), dtype=np.int32)
    for axis, size in enumerate(sizes):
        positions[:, axis] = kept // prod(sizes[axis + 1 :]) % size
    if (next_state.min(axis=1) == OUTSIDE).any():
        position = tuple(positions[(next_state.min(axis=1) == OUTSIDE).argmax()].tolist())
        for move in moves:
            outcome_of(book, move, position)  # raises, and names the field
    return positions, next_state


def _lay_out(book: RuleBook, sizes: list[int], moves: list[int]) -> NDArray[np.int32]:
    """[product of sizes, A]: what each move does, states numbered as if all combinations were reachable.

    The largest fields become columns, until one is long enough; the others stay plain ints, so that an `if` on them
    splits nothing.
    """
    next_state = np.empty((prod(sizes), len(moves)), dtype=np.int32)
    grid = next_state.reshape(*sizes, len(moves))
    strides = [prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    by_size = sorted(range(len(sizes)), key=lambda axis: -sizes[axis])
    columns: list[int] = []
    while len(columns) < len(sizes) and prod(sizes[axis] for axis in columns) < CHUNK:
        columns.append(by_size[len(columns)])
    longest, rest = columns[0], sorted(set(by_size) - set(columns))
    step = max(1, CHUNK // prod(sizes[axis] for axis in columns[1:]))
    columns.sort()
    for first in range(0, sizes[longest], step):
        part = range(first, min(first + step, sizes[longest]))
        ranges = [part if axis == longest else range(sizes[axis]) for axis in columns]
        values = [np.ravel(v) for v in np.meshgrid(*(np.array(r, dtype=np.int32) for r in ranges), indexing="ij")]
        for scalars in product(*(range(sizes[axis]) for axis in rest)):
            index: list[Any] = [slice(None)] * len(sizes)
            index[longest] = slice(part.start, part.stop)
            for axis, scalar in zip(rest, scalars, strict=True):
                index[axis] = scalar
            target = grid[tuple(index)]
            codes = np.empty((len(moves), len(values[0])), dtype=np.int32)
            for action, move in enumerate(moves):

                def rule(*cells: Any, move: int = move, index: list[Any] = index) -> Any:
                    position = list(index)
                    for axis, cell in zip(columns, cells, strict=True):
                        position[axis] = cell
                    outcome = book.play(move, *position)
                    if isinstance(outcome, Verdict):
                        return outcome
                    return book.fold(outcome if isinstance(outcome, tuple) else (outcome,))

                def give(rows: Any, outcome: Any, row: NDArray[np.int32] = codes[action]) -> None:
                    row[rows] = outcome if isinstance(outcome, Verdict) else _codes(outcome, sizes, strides)

                run(rule, values, [sizes[axis] for axis in columns], give)
            target[...] = codes.T.reshape(target.shape)
    return next_state


def _codes(outcome: tuple[Any, ...], sizes: list[int], strides: list[int]) -> Any:
    """The number of the combination that each row leads to, or OUTSIDE."""
    if len(outcome) != len(sizes):
        raise NotOnColumns(f"{len(outcome)} fields instead of {len(sizes)}")  # the ints name the place
    code: Any = 0
    outside: Any = False
    for value, size, stride in zip(outcome, sizes, strides, strict=True):
        if not isinstance(value, Column | int):
            raise NotOnColumns(f"a field that is {type(value).__name__}")
        array = value.values if isinstance(value, Column) else value
        low, high = (value.low, value.high) if isinstance(value, Column) else (value, value)
        if low < 0 or high >= size:
            outside = outside | (array < 0) | (array >= size)
        code = code + array * stride  # wraps only where it is outside
    return code if outside is False else np.where(outside, OUTSIDE, code)


def _reachable(next_state: NDArray[np.int32]) -> NDArray[np.bool_]:
    """[S]: whether the start leads there."""
    count = len(next_state)
    reached = np.ones(count, dtype=bool)
    if (incoming := _incoming(next_state)) is not None:
        # All moves lead forward: what stays when we drop what nothing leads to, again and again, is reachable.
        incoming[0] += 1
        lost = np.flatnonzero(incoming == 0)
        while len(lost):
            reached[lost] = False
            led = next_state[lost].ravel()
            led = led[led >= 0]
            np.subtract.at(incoming, led, 1)
            lost = np.unique(led[incoming[led] == 0])
        return reached
    reached[1:] = False
    frontier = np.zeros(1, dtype=np.int64)
    while len(frontier):  # breadth first
        led = next_state[frontier].ravel()
        led = led[led >= 0]
        led = led[~reached[led]]
        if 16 * len(led) > count:  # marking all is cheaper than sorting many
            marked = reached.copy()
            marked[led] = True
            frontier = np.flatnonzero(marked != reached)
        else:
            frontier = np.unique(led)
        reached[frontier] = True
    return reached


def _incoming(next_state: NDArray[np.int32]) -> NDArray[np.int32] | None:
    """[S]: how many moves lead there; None where some move leads back or nowhere new."""
    incoming = np.zeros(len(next_state), dtype=np.int32)
    for first in range(0, len(next_state), CHUNK):
        block = next_state[first : first + CHUNK]
        if ((block >= 0) & (block <= np.arange(first, first + len(block), dtype=np.int32)[:, None])).any():
            return None
        led = block[block >= 0]
        if len(led):
            low = int(led.min())
            times = np.bincount(led - low)
            incoming[low : low + len(times)] += times.astype(np.int32)
    return incoming
