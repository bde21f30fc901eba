"""A board: one game with its arrays and its perfect play, as people and judges look at it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from envs.core import DEFAULT_PLIES, Ending
from games import ILLEGAL, GameGraph, Mistake, RuleBook
from games.graph import playable_graph, shared_graph
from games.rulebook import Verdict
from solver import Solution
from solver.facts import facts


@dataclass(frozen=True, eq=False)
class Board:
    book: RuleBook
    graph: GameGraph
    solution: Solution

    @property
    def max_plies(self) -> int | None:
        """Where play may never end, a game is stopped after so many moves, without a winner."""
        return DEFAULT_PLIES if self.graph.has_cycle else None

    @property
    def checksum(self) -> str | None:
        """By which a recording finds its game again; None for one of the folder, which its name is enough for."""
        return self.graph.checksum if self.book.is_foreign else None

    def value(self, state: int) -> int:
        """What perfect play gets the mover there: 1, 0 or -1."""
        return int(self.solution.value[state])

    def worth(self, state: int, action: int) -> int:
        """What a legal move is worth to the player who makes it, if all is perfect afterwards."""
        after = int(self.graph.outcome[state, action])
        return -self.value(after) if after >= 0 else Verdict(after).worth

    def legal(self, state: int) -> list[int]:
        """The moves that the rules allow, in ascending order."""
        return [int(move) for move in self.graph.moves[self.graph.legal[state]]]

    def keeping(self, state: int) -> list[int]:
        """The moves that keep the value of the position."""
        return [int(move) for move in self.graph.moves[self.solution.keeps[state]]]

    def worst(self, state: int) -> int:
        """The legal action of least value, the lowest of several: what an answer that is none stands for."""
        actions = self.graph.legal[state].nonzero()[0].tolist()
        return int(min(actions, key=lambda action: (self.worth(state, action), action)))

    def after(self, state: int, move: int) -> int:
        """The state that a move leads to, or its verdict; a number that nobody may say there is ILLEGAL."""
        try:
            return int(self.graph.outcome[state, self.graph.action(move)])
        except Mistake:
            return int(ILLEGAL)

    def ending(self, moves: Sequence[int]) -> Ending | None:
        """How the last of these moves ended the game; None if it goes on."""
        if not moves:
            return None
        state = self.graph.follow(moves[:-1])
        action = self.graph.action(moves[-1])
        verdict = int(self.graph.outcome[state, action])
        if verdict >= 0:
            return None
        stuck = bool(self.graph.next_state[state, action] >= 0)
        return Ending(Verdict(verdict), (len(moves) - 1) % 2, int(moves[-1]), stuck)

    def lines(self, states: Iterable[int]) -> dict[int, list[int]]:
        """The shortest line to each of these states, the lowest moves first among those of one length."""
        before, last = (
            [-1] * self.graph.num_states,
            [0] * self.graph.num_states,
        )  # the state and the move that led there
        waiting, moves = deque([0]), self.graph.moves.tolist()
        while waiting:
            state = waiting.popleft()
            for move, after in zip(moves, self.graph.next_state[state].tolist(), strict=True):
                if after > 0 and before[after] < 0:
                    before[after], last[after] = state, move
                    waiting.append(after)

        def line(state: int) -> list[int]:
            moves_back = []
            while state > 0:
                moves_back.append(last[state])
                state = before[state]
            return moves_back[::-1]

        return {state: line(state) for state in states}


def board(book: RuleBook, most_states: int | None = None) -> Board:
    """The game of a rule book, compiled and solved; one with more states than `most_states` is refused before that."""
    if most_states is not None and book.arrays is None:
        shared_graph(book, (most_states, len(book.moves())))
    return _board(book)


@lru_cache(maxsize=8)
def _board(book: RuleBook) -> Board:
    graph = playable_graph(book)
    return Board(book, graph, facts(graph).solution)
