"""Perfect play: what every position is worth, how far the end is, and which moves keep the value."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.arrays import opened_arrays
from base.files import whole
from base.mistake import Mistake
from base.slabs import each_slab
from games.graph import GameGraph
from games.notebook import WIDEST, map_html
from games.policy import Policy

KINDS: dict[str, type[np.generic]] = {"value": np.int8, "remoteness": np.int32, "keeps": np.bool_, "critical": np.bool_}
ARRAYS = tuple(KINDS)
SLAB = 1 << 16  # states whose keeping moves are marked at once


@dataclass(frozen=True, eq=False)
class Solution:
    """All told for the mover. All arrays are read-only."""

    value: NDArray[np.int8]  # [S]: +1 won, 0 drawn or endless, -1 lost
    remoteness: NDArray[np.int32]  # [S]: plies to the end, winner hurries, loser delays; -1 where value is 0
    keeps: NDArray[np.bool_]  # [S, A]: legal, and keeps the value
    critical: NDArray[np.bool_]  # [S]: some legal move keeps the value and some does not

    def __post_init__(self) -> None:
        for name in ARRAYS:
            getattr(self, name).flags.writeable = False

    def __repr__(self) -> str:
        start = {1: "won", -1: "lost", 0: "drawn or endless"}[int(self.value[0])]
        plies = f" in {self.remoteness[0]} plies" if self.value[0] else ""
        critical = f"{int(self.critical.sum()):,} critical"
        return f"<Solution of {len(self.value):,} positions, {critical}: the start is {start}{plies} for the mover>"

    def _repr_html_(self) -> str:
        marks = np.where(self.keeps[:WIDEST], self.critical[:WIDEST, None].astype(np.int8), -1)
        legend = [("any move keeps the value", "#a7c4a0"), ("keeps it where others do not", "#1b7837")]
        return map_html(repr(self)[1:-1], marks, len(self.value), legend)

    def save(self, path: str | os.PathLike[str], graph: GameGraph) -> None:
        """One npz file as in docs/formats/solution.md. It appears whole or not at all."""
        arrays: dict[str, Any] = {name: getattr(self, name) for name in ARRAYS}
        with whole(path, "name a file in a folder that exists") as file:
            np.savez(file, game=np.array(graph.game), checksum=np.array(graph.checksum), **arrays)

    @staticmethod
    def load(path: str | os.PathLike[str], graph: GameGraph) -> Solution:
        """The solution in a file, if it belongs to this graph. Whether it is right is for `certify` to say."""
        largest = 4 * graph.next_state.size + 65_536  # known from the game, so no file makes us allocate more
        with opened_arrays(path, os.fspath(path), "a solution file", "make it anew") as file:
            if file.text("checksum") != graph.checksum:
                what = f"made for another version of {file.text('game')} or for another game than {graph.game}"
                raise Mistake(f"{file.where}: {what}; make it anew")
            arrays = {name: file.read(name, largest) for name in ARRAYS}
        shapes = {"keeps": graph.next_state.shape}
        for name, kind in KINDS.items():
            shape = shapes.get(name, (graph.num_states,))
            if arrays[name].shape != shape or arrays[name].dtype != kind:
                what = f"{arrays[name].dtype} of the shape {arrays[name].shape}, not {np.dtype(kind)} of {shape}"
                raise Mistake(f"{path}: {name} is {what}; make it anew")
        return Solution(**arrays)


def solve(graph: GameGraph) -> Solution:
    """A backward sweep where the state order allows it, else retrograde analysis; linear in states times actions."""
    from solver import value_kernels as kernels

    states = graph.num_states
    value = np.empty(states, dtype=np.int8)
    remoteness = np.empty(states, dtype=np.int32)
    if graph.ordered:
        kernels.sweep(graph.next_state, value, remoteness)
    else:
        start: Any = np.zeros(states + 2, dtype=np.int32 if graph.next_state.size < 2**31 else np.int64)
        source = np.empty(graph.next_state.size, dtype=np.int32)
        kernels.predecessors(graph.next_state, start, source)
        open_moves = np.empty(states, dtype=np.min_scalar_type(graph.num_actions))
        kernels.retrograde(graph.next_state, start, source, open_moves, value, remoteness)
        del source
    keeps = np.empty(graph.next_state.shape, dtype=np.bool_)
    critical = np.empty(states, dtype=np.bool_)

    def mark(rows: slice) -> None:
        kernels.mark(graph.next_state, value, rows.start, rows.stop, keeps, critical)

    for _ in each_slab(mark, states, SLAB):
        pass
    return Solution(value, remoteness, keeps, critical)


def optimal(graph: GameGraph, solution: Solution | None = None) -> Policy:
    """Any keeping move alike.

    This is perfect with cycles too: in a won position every keeping move leaves a lost one, and one of them shortens
    the way, so the win comes with probability 1 however the other side delays.
    """
    from solver.facts import facts

    keeps = facts(graph).solution.keeps if solution is None else solution.keeps
    return Policy.alike(graph, keeps)
