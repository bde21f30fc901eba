"""What follows about a player of whom only some moves are known, whatever it plays where it was not asked."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from arena.board import Board
from games import ILLEGAL, GameGraph
from solver.values import solve


def least_exploitability(table: Board, moves: Iterable[tuple[int, int]]) -> float:
    """A lower bound of the exploitability of every player that makes these moves, each a state and its action.

    Where several moves are known in one state, or none, the player is given the best of those that are possible; so
    what it gives away even then, it gives away in truth.
    """
    graph = table.graph
    possible = graph.legal.copy()  # [S, A]: what the player may do there, by all that is known
    known = np.zeros_like(possible)
    for state, action in moves:
        known[state, action] = True
    asked = known.any(axis=1)
    possible[asked] = known[asked]
    first, second = _best_values(graph, possible)
    return -(first + second) / 2


def _best_values(graph: GameGraph, possible: np.ndarray) -> tuple[int, int]:
    """What a player gets at best in either seat, with its moves restricted and those of the other side free.

    Solved as a game of its own: each state stands there twice, at 2s with the player to move, at 2s + 1 with the other.
    """
    states, actions = graph.next_state.shape
    own, other = np.where(possible, graph.outcome, ILLEGAL), graph.outcome
    both = np.empty((2 * states, actions), dtype=np.int64)
    both[0::2] = np.where(own >= 0, 2 * own.astype(np.int64) + 1, own)
    both[1::2] = np.where(other >= 0, 2 * other.astype(np.int64), other)
    seats = np.repeat(graph.positions, 2, axis=0)
    fields = {**graph.fields, "seat": 2}
    positions = np.column_stack([seats, np.tile(np.array([0, 1], dtype=seats.dtype), states)])
    value = solve(GameGraph(graph.game, graph.parameters, fields, positions, graph.moves, both.astype(np.int32))).value
    return int(value[0]), -int(value[1])
