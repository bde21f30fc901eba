"""Tic-tac-toe: three in a row, on a board of three by three."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.rulebook import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, Outcome, RuleBook

LINES = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 4, 7), (2, 5, 8), (3, 6, 9), (1, 5, 9), (3, 5, 7))


@dataclass(frozen=True)
class TicTacToe(RuleBook):
    """Put your mark on an empty square; three of yours in a row win; a full board is a draw."""

    misere: int = 0  # 1: whoever makes three in a row loses

    title = "Tic-tac-toe"
    rules = """The board has three rows of three squares. Players take turns; a turn puts the player's mark, first X and
        second O, on an empty square. Whoever has three marks in a row, column or diagonal wins (with misere=1: loses).
        A full board without that is a draw."""
    endings = {
        MOVER_WINS: "three marks in a row",
        MOVER_LOSES: "three marks in a row",
        DRAW: "the board is full",
    }
    examples = {
        "b2 a1 c3 c1 b1 b3 a3 c2 a2": "draw",
        "a1 b1 a2 b2 a3": "first wins",
        "b2 a1 c3 a2 b1 a3": "second wins",
    }
    at_most = {"misere": 1}

    def moves(self) -> Sequence[int]:
        return range(1, 10)

    def name_of(self, move: int) -> str:
        return f"{'abc'[(move - 1) % 3]}{(move + 2) // 3}"

    def fields(self) -> dict[str, int]:
        return {self.name_of(square): 3 for square in self.moves()}  # 0 empty, 1 X, 2 O

    def play(self, square: int, *board: int) -> Outcome:
        if board[square - 1] != 0:
            return ILLEGAL
        marks = sum(mark > 0 for mark in board)
        mine = 1 + marks % 2
        after = (*board[: square - 1], mine, *board[square:])
        if any(square in line and all(after[place - 1] == mine for place in line) for line in LINES):
            return MOVER_LOSES if self.misere else MOVER_WINS
        return after if marks < 8 else DRAW

    def words(self, position: Sequence[int]) -> str:
        marks = "".join(".XO"[mark] for mark in position)
        return f"{marks[:3]} / {marks[3:6]} / {marks[6:]}"
