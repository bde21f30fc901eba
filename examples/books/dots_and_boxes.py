"""Dots and boxes: draw a line between two dots; whoever closes a box owns it and draws again."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

from games.rulebook import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, Outcome, RuleBook

PASS = 0  # what a player says while the other draws again; the lines are 1, 2, 3, ...


@dataclass(frozen=True)
class DotsAndBoxes(RuleBook):
    """Draw a line; whoever closes a box owns it and draws again (the other says pass); most boxes win."""

    rows: int = 2
    columns: int = 2

    rules = """Dots stand in a grid around {rows} rows of {columns} boxes. Players take turns; a turn draws a line
        between two neighbouring dots. Whoever closes a box, or two, owns it and draws again: the other player can only
        pass. When all lines are drawn, whoever owns more boxes wins; as many on both sides are a draw."""
    endings = {MOVER_WINS: "more boxes", MOVER_LOSES: "fewer boxes", DRAW: "as many boxes on both sides"}
    examples = {
        "a1b1 b1c1 c1c2 a2b2 c2c3 b3c3 a3b3 a2a3 a1a2 b1b2 pass b2c2 pass b2b3": "second wins",
        "a1b1 a1a2 b1c1 b1b2 c1c2 a2a3 b2b3 c2c3 a3b3 a2b2 pass b3c3 b2c2": "draw",
        "a1b1 a2b2 a1a2 b1b2 pass": "goes on",
    }
    at_least = {"rows": 1, "columns": 1}
    at_most = {"rows": 3, "columns": 3}

    def moves(self) -> Sequence[int]:
        return range(1 + len(_grid(self.rows, self.columns)[0]))

    def name_of(self, move: int) -> str:
        return _grid(self.rows, self.columns)[0][move - 1] if move else "pass"

    def fields(self) -> dict[str, int]:
        lines, boxes = _grid(self.rows, self.columns)
        return {"must_pass": 2, "own_boxes": 1 + len(boxes)} | dict.fromkeys(lines, 2)

    def play(self, move: int, must_pass: int, own: int, *drawn: int) -> Outcome:
        if must_pass:
            return (0, self._closed(drawn) - own, *drawn) if move == PASS else ILLEGAL
        if move == PASS or drawn[move - 1]:
            return ILLEGAL
        after = (*drawn[: move - 1], 1, *drawn[move:])
        before, closed = self._closed(drawn), self._closed(after)
        own += closed - before
        if all(after):
            return DRAW if 2 * own == closed else MOVER_WINS if 2 * own > closed else MOVER_LOSES
        return (1 if closed > before else 0), closed - own, *after  # a position is told by the player to move

    def _closed(self, drawn: Sequence[int]) -> int:
        return sum(prod(drawn[line] for line in box) for box in _grid(self.rows, self.columns)[1])

    def words(self, position: Sequence[int]) -> str:
        lines = [line for line, drawn in zip(_grid(self.rows, self.columns)[0], position[2:], strict=True) if drawn]
        closed, own = self._closed(position[2:]), position[1]
        words = f"{' '.join(lines) or 'no lines'}; {own} boxes of the player to move, {closed - own} of the other"
        return words + ("; must pass" if position[0] else "")


@cache
def _grid(rows: int, columns: int) -> tuple[list[str], list[list[int]]]:
    """Each line by the names of its two dots, and the four lines around each box by their places among all lines."""
    dots = [(row, column) for row in range(rows + 1) for column in range(columns + 1)]
    pairs = [(a, b) for a in dots for b in dots if b in ((a[0], a[1] + 1), (a[0] + 1, a[1]))]
    names = ["".join(f"{'abcd'[column]}{row + 1}" for row, column in pair) for pair in pairs]
    boxes = [{(y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1)} for y in range(rows) for x in range(columns)]
    return names, [[place for place, pair in enumerate(pairs) if box.issuperset(pair)] for box in boxes]
