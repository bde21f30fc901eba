"""The engine on columns: the rule run on every combination of fields at once, then cut to what the start reaches."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.slabs import each_slab
from games.columns import Column, NotOnColumns, run
from games.ints import outcome_of, too_many
from games.rulebook import RuleBook, Verdict

GRID = 1 << 20  # (combination of fields, move) pairs that are laid out at once, in no fewer rows than
BLOCK = 1 << 14  # states that are looked at at once afterwards; both are small enough for the cache
OUTSIDE = -5  # a move out of the fields' bounds: a mistake only where the start leads


def sweep(book: RuleBook, max_states: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """positions [S, F] and next_state [S, A], sorted by the fields; NotOnColumns where only ints will do."""
    sizes, moves = list(book.fields().values()), list(book.moves())
    if prod(sizes) >= 2**31:
        raise NotOnColumns(f"{prod(sizes)} combinations of fields are too many to lay out")
    strides = [prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    try:
        next_state = _lay_out(book, sizes, strides, moves)
    except NotOnColumns:
        raise
    except Exception as error:  # the ints find out whether and where the rule itself is wrong
        raise NotOnColumns(f"{type(error).__name__}: {error}") from error
    reached = _reached_forward(next_state, _largest(strides, BLOCK))
    if reached is None:
        reached = reached_from_start(next_state)
    kept = np.flatnonzero(reached).astype(np.int32)
    if len(kept) > max_states:
        raise too_many(book, max_states)
    if len(kept) < len(next_state):
        _keep(next_state, kept)
    positions = np.empty((len(kept), len(sizes)), dtype=np.int32)
    for axis, stride in enumerate(strides):
        positions[:, axis] = kept // stride
        kept -= positions[:, axis] * np.int32(stride)
    if next_state.min() == OUTSIDE:
        position = tuple(positions[(next_state == OUTSIDE).any(axis=1).argmax()].tolist())
        for move in moves:
            outcome_of(book, move, position)  # raises, and names the field
    return positions, next_state


def _largest(strides: list[int], most: int) -> int:
    return max(stride for stride in strides if stride <= most)


def _lay_out(book: RuleBook, sizes: list[int], strides: list[int], moves: list[int]) -> NDArray[np.int32]:
    """[product of sizes, A]: what each move does, states numbered as if all combinations were reachable.

    The last fields together lie along one axis of a grid and the first fields along the other, so that an `if` on
    either cuts the grid across, and what is laid out at once lies together in memory.
    """
    rows = max(GRID // len(moves), BLOCK)
    across = _largest(strides, rows)
    total, step = prod(sizes), rows // across * across

    def rule(move: int, *position: Any) -> Any:
        outcome = book.play(move, *position)
        if isinstance(outcome, Verdict):
            return outcome
        return book.fold(outcome if isinstance(outcome, tuple) else (outcome,))

    def encode(outcome: Any) -> Any:
        return outcome if isinstance(outcome, Verdict) else _codes(outcome, sizes, strides)

    next_state = np.empty((total, len(moves)), dtype=np.int32)
    right = np.arange(across, dtype=np.int32)[None, :]

    def lay_out(rows: slice) -> None:
        down = np.arange(rows.start, rows.stop, across, dtype=np.int32)[:, None]
        fields = zip(sizes, strides, strict=True)
        columns = [(down if stride >= across else right) // stride % size for size, stride in fields]
        codes = np.empty((len(moves), down.size * across), dtype=np.int32)
        for row, move in zip(codes, moves, strict=True):
            run(partial(rule, move), columns, sizes, encode, row.reshape(down.size, across))
        next_state[rows] = codes.T

    for _ in each_slab(lay_out, total, step):
        pass
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
    return np.where(outside, OUTSIDE, code) if np.any(outside) else code


def _reached_forward(next_state: NDArray[np.int32], step: int) -> NDArray[np.bool_] | None:
    """[S]: whether the start leads there; None where some move leads back or to its own position.

    Block after block, each a multiple of `step`: what leads into it from before is known by then. Inside it, what
    nothing leads to is dropped, then what only that has led to, until all that is left is reached.
    """
    states = len(next_state)
    reached = np.zeros(states - OUTSIDE, dtype=bool)  # what is below 0 indexes from behind, and harms nobody there
    reached[0] = True

    def look(rows: slice) -> tuple[slice, bool, Any, Any]:
        """Whether a move leads back or stays; how many moves lead to each row from inside; where all others lead."""
        block = next_state[rows]
        unsigned = block.view(np.uint32)  # verdicts lie beyond all states
        if (unsigned <= np.arange(rows.start, rows.stop, dtype=np.uint32)[:, None]).any():
            return rows, True, None, None
        return rows, False, _incoming(unsigned, rows) if unsigned.min() < rows.stop else None, block[block >= rows.stop]

    for rows, leads_back, inside, beyond in each_slab(look, states, BLOCK // step * step):
        if leads_back:
            return None
        stays = reached[rows]
        if inside is not None:
            incoming = inside + stays
            stays[:] = True
            while len(lost := np.flatnonzero((incoming == 0) & stays)):
                stays[lost] = False
                incoming -= _incoming(next_state[rows][lost].view(np.uint32), rows)
        if not stays.all():
            beyond = next_state[rows][stays]
            beyond = beyond[beyond >= rows.stop]
        reached[beyond] = True
    return reached[:states]


def _incoming(targets: NDArray[np.uint32], rows: slice) -> NDArray[np.int64]:
    """[rows]: how many of these moves lead to each row."""
    count = rows.stop - rows.start
    inside = np.minimum(targets - np.uint32(rows.start), np.uint32(count))  # count: leads out of the rows
    return np.bincount(inside.ravel(), minlength=count + 1)[:-1]


def reached_from_start(next_state: NDArray[np.int32]) -> NDArray[np.bool_]:
    """[S]: whether the start leads there, breadth first."""
    states, actions = next_state.shape
    reached = np.zeros(states - OUTSIDE, dtype=bool)  # what is below 0 indexes from behind, and harms nobody there
    reached[0] = True
    frontier = np.zeros(1, dtype=np.int64)
    while len(frontier):
        if 16 * actions * len(frontier) > states:  # marking all is cheaper than sorting many
            before = reached.copy()
            for first in range(0, len(frontier), BLOCK):
                reached[next_state[frontier[first : first + BLOCK]]] = True
            frontier = np.flatnonzero(reached[:states] & ~before[:states])
        else:
            led = next_state[frontier]
            frontier = np.unique(led[(led >= 0) & ~reached[led]])
            reached[frontier] = True
    return reached[:states]


def _keep(next_state: NDArray[np.int32], kept: NDArray[np.int32]) -> None:
    """Cut to these states, in place, and number them anew."""
    states, actions = next_state.shape
    number = np.empty(states - OUTSIDE, dtype=np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    number[OUTSIDE:] = range(OUTSIDE, 0)  # verdicts stay as they are

    def renumber(rows: slice) -> tuple[slice, NDArray[np.int32]]:
        return rows, number.take(next_state.take(kept[rows], axis=0), mode="wrap")

    for rows, block in each_slab(renumber, len(kept), BLOCK):  # a row only ever moves up, over rows that were read
        next_state[rows] = block
    next_state.resize((len(kept), actions), refcheck=False)  # gives the memory back; nobody else holds it
