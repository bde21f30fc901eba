"""Perfect play told move by move: what a move is worth, and how a game goes on when nobody errs any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games import GameGraph
from games.rulebook import Verdict
from solver import Solution


@dataclass(frozen=True)
class Move:
    action: int
    value: int  # to its mover: +1 wins, 0 holds, -1 loses
    plies: int  # to the end of the game, this move counted; 0 where nobody forces one

    @property
    def rank(self) -> tuple[int, int, int]:
        """Best first: the winner hurries, the loser delays, then the lowest."""
        return (-self.value, self.plies if self.value > 0 else -self.plies, self.action)


def ranked(graph: GameGraph, solution: Solution, state: int) -> list[Move]:
    """All legal moves, best first."""
    moves = []
    for action in graph.legal[state].nonzero()[0].tolist():
        after = int(graph.next_state[state, action])
        value = Verdict(after).worth if after < 0 else -int(solution.value[after])
        far = 0 if after < 0 else int(solution.remoteness[after])
        moves.append(Move(action, value, far + 1 if value or after < 0 else 0))
    return sorted(moves, key=lambda move: move.rank)


def line(graph: GameGraph, actions: Sequence[int]) -> str:
    """The moves of these actions by their names, with commas where names have spaces."""
    names = [graph.name_of(action) for action in actions]
    return (", " if any(" " in name for name in names) else " ").join(names)


def best_line(graph: GameGraph, solution: Solution, state: int) -> tuple[list[int], bool]:
    """The moves of perfect play from there, and whether they go round for ever."""
    said, seen = list[int](), set[int]()
    while state >= 0 and state not in seen:
        seen.add(state)
        best = ranked(graph, solution, state)
        if not best:
            break
        said.append(int(graph.moves[best[0].action]))
        state = int(graph.next_state[state, best[0].action])
    return said, state in seen and bool(graph.legal[state].any())
