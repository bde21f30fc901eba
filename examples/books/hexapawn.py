"""Hexapawn: pawns on a tiny board; break through, or leave the other side without a move."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.rulebook import ILLEGAL, MOVER_WINS, Outcome, RuleBook

MOST = 100  # a move is 100 times the square that it leaves, and the square that it enters


@dataclass(frozen=True)
class Hexapawn(RuleBook):
    """Move a pawn straight on, or take one slantwise; whoever reaches the far row wins, whoever cannot move loses."""

    rows: int = 3
    columns: int = 3

    rules = """The board has {rows} rows of {columns} squares. The first player's pawns fill the lowest row, the second
        player's the highest. Players take turns; a turn moves a pawn one square straight towards the far row if that
        square is empty, or one square slantwise forward to take a pawn of the other player. Whoever reaches the far row
        wins; whoever cannot move, or has no pawn left, loses."""
    endings = {MOVER_WINS: "a pawn has reached the far row"}
    examples = {"b1-b2 a3xb2 a1xb2 c3xb2 c1xb2": "first wins", "a1-a2 b3xa2 b1xa2 c3-c2": "second wins"}
    at_least = {"rows": 3, "columns": 1}
    at_most = {"rows": 5, "columns": 4}

    def moves(self) -> Sequence[int]:
        squares = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        pairs = [(a, b) for a in squares for b in squares if abs(a[0] - b[0]) == 1 and abs(a[1] - b[1]) <= 1]
        return [MOST * (a[0] * self.columns + a[1]) + b[0] * self.columns + b[1] for a, b in pairs]

    def name_of(self, move: int) -> str:
        source, target = divmod(move, MOST)
        between = "-" if (target - source) % self.columns == 0 else "x"
        return f"{self._square(source)}{between}{self._square(target)}"

    def fields(self) -> dict[str, int]:
        return {"turn": 2} | {self._square(place): 3 for place in range(self.rows * self.columns)}

    def play(self, move: int, turn: int, *changes: int) -> Outcome:
        source, target = divmod(move, MOST)
        board = self._board(changes)
        mine, theirs = 1 + turn, 2 - turn
        if (source > target) != turn or board[source] != mine:
            return ILLEGAL
        if board[target] != (0 if (target - source) % self.columns == 0 else theirs):
            return ILLEGAL
        if target // self.columns in (0, self.rows - 1):
            return MOVER_WINS
        board[source], board[target] = 0, mine
        return 1 - turn, *((now - then) % 3 for now, then in zip(board, self._set_up(), strict=True))

    def words(self, position: Sequence[int]) -> str:
        marks = "".join(".WB"[mark] for mark in self._board(position[1:]))
        lines = [marks[place : place + self.columns] for place in range(0, len(marks), self.columns)]
        return f"{' / '.join(reversed(lines))}, {('white', 'black')[position[0]]} to move"

    def _set_up(self) -> list[int]:
        return [1] * self.columns + [0] * (self.rows - 2) * self.columns + [2] * self.columns

    def _board(self, changes: Sequence[int]) -> list[int]:
        """0 empty, 1 the first player's pawn, 2 the second's: the fields hold how a square has changed, modulo 3."""
        return [(then + change) % 3 for then, change in zip(self._set_up(), changes, strict=True)]

    def _square(self, place: int) -> str:
        return f"{chr(ord('a') + place % self.columns)}{place // self.columns + 1}"
