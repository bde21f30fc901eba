"""What scorecards need to know about a graph, computed once per graph and kept as long as the graph lives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from games.graph import GameGraph
from solver.trembling import Tremble, tremble
from solver.values import Solution, solve


@dataclass(frozen=True, eq=False)
class Facts:
    """Holds arrays only, never the graph: else no graph would ever be freed."""

    solution: Solution
    uniform: NDArray[np.float64]  # [S, A]
    optimal: NDArray[np.float64]  # [S, A]
    blunder: NDArray[np.bool_]  # [S, A]: legal, and throws value away
    critical: NDArray[np.int64]  # the critical states
    trembles: dict[float, Tremble]

    @cached_property
    def keeps_there(self) -> NDArray[np.bool_]:
        """[critical, A]"""
        return self.solution.keeps[self.critical]


_known: WeakKeyDictionary[GameGraph, Facts] = WeakKeyDictionary()


def facts(graph: GameGraph) -> Facts:
    if graph not in _known:
        solution = solve(graph)
        _known[graph] = Facts(
            solution,
            _alike(graph.legal),
            _alike(solution.keeps),
            graph.legal & ~solution.keeps,
            np.flatnonzero(solution.critical),
            {},
        )
    return _known[graph]


def tremble_of(graph: GameGraph, epsilon: float) -> Tremble:
    known = facts(graph).trembles
    if epsilon not in known:
        known[epsilon] = tremble(graph, epsilon)
    return known[epsilon]


def _alike(moves: NDArray[np.bool_]) -> NDArray[np.float64]:
    table = moves / np.maximum(moves.sum(axis=1, keepdims=True), 1)
    table.flags.writeable = False
    return np.asarray(table, dtype=np.float64)
