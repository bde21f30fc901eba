"""Coins in a row: take a coin from either end; the richer player wins."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.rulebook import DRAW, MOVER_LOSES, MOVER_WINS, Outcome, RuleBook

LEFT, RIGHT = 1, 2


@dataclass(frozen=True)
class CoinsInARow(RuleBook):
    """Take the leftmost or the rightmost coin; whoever has more in the end wins; as much on both sides is a draw."""

    coins: int = 314159265  # what the coins are worth: a digit for each, from left to right

    rules = """Coins lie in a row; what they are worth is told by the digits of {coins}, one for each. Players take
        turns; a turn takes the leftmost or the rightmost coin. When none is left, whoever has more wins; as much on
        both sides is a draw."""
    endings = {MOVER_WINS: "the richer player", MOVER_LOSES: "the poorer player", DRAW: "as much on both sides"}
    examples = {
        "left right left right left right left right left": "second wins",
        "left left left left left left left left left": "first wins",
        "right right": "goes on",
    }
    at_least = {"coins": 1}
    at_most = {"coins": 10**15}

    def moves(self) -> Sequence[int]:
        return LEFT, RIGHT

    def name_of(self, move: int) -> str:
        return "left" if move == LEFT else "right"

    def fields(self) -> dict[str, int]:
        worth = self._worth()
        return {"taken_left": len(worth), "taken_right": len(worth), "first_has": 1 + sum(worth)}

    def play(self, move: int, left: int, right: int, first: int) -> Outcome:
        worth = self._worth()
        second_moves = (left + right) % 2
        if not second_moves:
            first += worth[left if move == LEFT else -1 - right]
        left, right = (left + 1, right) if move == LEFT else (left, right + 1)
        if left + right < len(worth):
            return left, right, first
        if 2 * first == sum(worth):
            return DRAW
        return MOVER_WINS if (2 * first > sum(worth)) != second_moves else MOVER_LOSES

    def words(self, position: Sequence[int]) -> str:
        left, right, first = position
        worth = self._worth()
        second = sum(worth[:left]) + sum(worth[len(worth) - right :]) - first
        row = " ".join(map(str, worth[left : len(worth) - right]))
        return f"coins {row}; the first player has {first}, the second {second}"

    def _worth(self) -> list[int]:
        return [int(digit) for digit in str(self.coins)]
