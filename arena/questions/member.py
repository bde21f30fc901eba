"""A member: one game of a set, solved once, with all that choosing questions and walking to them needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arena.board import Board, board
from arena.questions.draws import Draws
from games import GameGraph, RuleBook

MOST_STATES = 2_000_000  # of a game in a set
STROLL = 60  # plies that a walk back to the start may dawdle; where play can go round, below DETOUR
DETOUR = 9


@dataclass(frozen=True, eq=False)
class Member:
    table: Board
    states: NDArray[np.int64]  # [N]: the critical ones
    keeping: NDArray[np.int64]  # [N]: how many legal moves keep the value
    legal: NDArray[np.int64]  # [N]: how many moves are legal
    depth: NDArray[np.int32]  # [S]: plies of the shortest line from the start
    start: NDArray[np.int32]  # [S + 2]: who leads to t is source[start[t]:start[t + 1]]
    source: NDArray[np.int32]

    def line(self, state: int, draws: Draws) -> list[int]:
        """A line from the start to a state that nobody can know before: a random walk back, in the end a short one."""
        graph, moves = self.table.graph, list[int]()
        dawdle = draws.below(DETOUR) if graph.has_cycle else STROLL
        while state or (dawdle > 0 and len(self._before(state))):
            before = self._before(state)
            if dawdle <= 0:
                before = before[self.depth[before] == self.depth[state] - 1]
            dawdle -= 1
            previous = int(before[draws.below(len(before))])
            actions = np.flatnonzero(graph.next_state[previous] == state)
            moves.append(int(graph.moves[actions[draws.below(len(actions))]]))
            state = previous
        return moves[::-1]

    def _before(self, state: int) -> NDArray[np.int32]:
        return self.source[self.start[state] : self.start[state + 1]]


@lru_cache(maxsize=512)
def member(book: RuleBook) -> Member:
    """The member of a rule book; whoever asks again gets the same one."""
    from solver.value_kernels import predecessors

    table = board(book, MOST_STATES)
    graph, solution = table.graph, table.solution
    states = np.flatnonzero(solution.critical)
    start = np.zeros(graph.num_states + 2, dtype=np.int32)
    source = np.empty(int((graph.next_state >= 0).sum()), dtype=np.int32)
    predecessors(graph.next_state, start, source)
    return Member(
        table,
        states,
        solution.keeps[states].sum(axis=1),
        graph.legal[states].sum(axis=1),
        _depths(graph),
        start,
        source,
    )


def _depths(graph: GameGraph) -> NDArray[np.int32]:
    depth = np.full(graph.num_states, -1, dtype=np.int32)
    depth[0], layer, plies = 0, np.array([0]), 0
    while len(layer):
        after = graph.next_state[layer]
        layer = np.unique(after[after >= 0])
        layer, plies = layer[depth[layer] < 0], plies + 1
        depth[layer] = plies
    return depth
