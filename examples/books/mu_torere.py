"""Mu torere, a game of the Maori: eight stones on a star; whoever cannot move loses. Play may go on for ever."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.rulebook import ILLEGAL, Outcome, RuleBook

CENTRE = 8
SET_UP = (1, 1, 1, 1, 2, 2, 2, 2, 0)  # the points of the star in a ring, then its centre: whose stone lies there


@dataclass(frozen=True)
class MuTorere(RuleBook):
    """Move a stone to the one empty place, next to it or through the centre; whoever cannot move loses."""

    rules = """A star has eight points, 1 to 8 in a ring, and a centre. The first player's stones lie on 1 to 4, the
        second player's on 5 to 8. Players take turns; a turn moves one of the player's own stones to the one empty
        place: from a point to the point beside it, from the centre to any point, or from a point to the centre if a
        stone of the other player lies on a point beside it. Whoever cannot move loses. Nothing else ends the game."""
    examples = {
        "point 1, point 8, centre, point 1, point 8, point 7": "second wins",
        "point 1, point 8, centre": "goes on",
    }

    def moves(self) -> Sequence[int]:
        return range(1, 10)  # the stone that moves: where it goes is clear

    def name_of(self, move: int) -> str:
        return "centre" if move == CENTRE + 1 else f"point {move}"

    def fields(self) -> dict[str, int]:
        return {"turn": 2} | {self.name_of(move).replace(" ", "_"): 3 for move in self.moves()}

    def play(self, move: int, turn: int, *changes: int) -> Outcome:
        source, board = move - 1, _board(changes)
        mine, theirs = 1 + turn, 2 - turn
        if board[source] != mine:
            return ILLEGAL
        beside = () if source == CENTRE else ((source - 1) % 8, (source + 1) % 8)
        if board[CENTRE] == 0:
            if not any(board[point] == theirs for point in beside):
                return ILLEGAL
            target = CENTRE
        else:
            empty = [point for point in (beside or range(8)) if board[point] == 0]
            if not empty:
                return ILLEGAL
            target = empty[0]
        board[source], board[target] = 0, mine
        return 1 - turn, *((now - then) % 3 for now, then in zip(board, SET_UP, strict=True))

    def words(self, position: Sequence[int]) -> str:
        marks = " ".join(".XO"[mark] for mark in _board(position[1:]))
        return f"ring {marks[:-2]}, centre {marks[-1]}, {'XO'[position[0]]} to move"


def _board(changes: Sequence[int]) -> list[int]:
    """0 empty, 1 the first player's stone, 2 the second's: the fields hold how a place has changed, modulo 3."""
    return [(then + change) % 3 for then, change in zip(SET_UP, changes, strict=True)]
