"""Nim: take things from one row at a time; the last one wins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games.rulebook import ILLEGAL, MOVER_LOSES, MOVER_WINS, Outcome, RuleBook

MOST = 100  # a move is 100 times its row, and what it takes


@dataclass(frozen=True)
class Nim(RuleBook):
    """Rows of 1, 3, 5 and so on; take as many as you like from one row; whoever takes the last one wins."""

    rows: int = 3
    misere: int = 0  # 1: whoever takes the last one loses

    rules = """There are {rows} rows: of 1, 3, 5 and so on. Players take turns; a turn takes one or more from one row.
        Whoever takes the last of all {last}."""
    endings = {MOVER_WINS: "the last one is taken", MOVER_LOSES: "the last one is taken"}
    examples = {"305 203 101": "first wins", "203 101 305": "first wins", "305 201": "goes on"}
    at_least = {"rows": 1}
    at_most = {"rows": 7, "misere": 1}

    @property
    def phrases(self) -> dict[str, int | str]:
        return self.parameters | {"last": "loses" if self.misere else "wins"}

    def moves(self) -> Sequence[int]:
        return [MOST * row + taken for row in range(1, self.rows + 1) for taken in range(1, 2 * row)]

    def name_of(self, move: int) -> str:
        return f"take {move % MOST} from row {move // MOST}"

    def fields(self) -> dict[str, int]:
        return {f"taken_{row}": 2 * row for row in range(1, self.rows + 1)}

    def play(self, move: int, *taken: int) -> Outcome:
        row, number = move // MOST, move % MOST
        after = [have + number * (place == row) for place, have in enumerate(taken, 1)]
        if after[row - 1] > 2 * row - 1:
            return ILLEGAL
        if sum(after) == self.rows**2:  # 1 + 3 + 5 + ...
            return MOVER_LOSES if self.misere else MOVER_WINS
        return tuple(after)

    def look(self, *taken: Any) -> Sequence[Any]:
        """A player sees what is left in each row."""
        return [2 * row - 1 - gone for row, gone in enumerate(taken, 1)]

    def words(self, position: Sequence[int]) -> str:
        return "rows of " + ", ".join(map(str, self.look(*position)))
