"""Chomp: bite into a bar of chocolate; its last corner is poison."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.rulebook import ILLEGAL, MOVER_LOSES, Outcome, RuleBook

MOST = 100  # a move is 100 times the row, and the column, of the square that is bitten


@dataclass(frozen=True)
class Chomp(RuleBook):
    """Eat a square and all that lies above and to the right of it; whoever eats a1 loses."""

    rows: int = 4
    columns: int = 5

    rules = """A bar of chocolate has {rows} rows of {columns} squares; a1 is its lower left corner. Players take turns;
        a turn names a square that is left and eats it, with all that is left above it, to its right, or both. Whoever
        eats a1, the poisoned square, loses."""
    endings = {MOVER_LOSES: "the poisoned square is eaten"}
    examples = {"b2 a3 c1 b1 a2 a1": "first wins", "a1": "second wins", "c3 d2": "goes on"}
    at_least = {"rows": 1, "columns": 1}
    at_most = {"rows": 12, "columns": 26}

    def moves(self) -> Sequence[int]:
        return [MOST * row + column for row in range(1, self.rows + 1) for column in range(1, self.columns + 1)]

    def name_of(self, move: int) -> str:
        row, column = divmod(move, MOST)
        return f"{chr(ord('a') + column - 1)}{row}"

    def fields(self) -> dict[str, int]:
        return {f"eaten_of_row_{row}": self.columns + 1 for row in range(1, self.rows + 1)}

    def play(self, move: int, *eaten: int) -> Outcome:
        row, column = divmod(move, MOST)
        bite = self.columns - column + 1  # what is gone then, of this row and of every row above
        if eaten[row - 1] >= bite:
            return ILLEGAL
        if row == column == 1:
            return MOVER_LOSES
        return tuple(gone if place < row or gone > bite else bite for place, gone in enumerate(eaten, 1))

    def words(self, position: Sequence[int]) -> str:
        return "rows of " + ", ".join(str(self.columns - gone) for gone in position) + " from a1 upwards"
