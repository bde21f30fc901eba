"""Fifty Wins: a race to exactly fifty."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.rulebook import MOVER_LOSES, MOVER_WINS, Outcome, RuleBook, Verdict


@dataclass(frozen=True)
class FiftyWins(RuleBook):
    """Add 1 to 10 to the total; whoever makes exactly 50 wins, whoever goes above loses."""

    target: int = 50
    largest: int = 10

    title = "Fifty Wins"
    rules = """The total starts at 0. Players take turns; a turn adds a whole number from 1 to {largest} to the total.
        Whoever makes the total exactly {target} wins at once; whoever makes it larger than {target} loses at once."""
    endings = {MOVER_WINS: "the total is exactly {target}", MOVER_LOSES: "the total is above {target}"}
    examples = {
        "7 9 8 6 10 5 5": "first wins",
        "10 10 10 10 4 3 4": "second wins",
        "6 5 9 10 5 5 5 5": "second wins",
    }
    at_least = {"target": 1, "largest": 1}

    def moves(self) -> Sequence[int]:
        return range(1, self.largest + 1)

    def fields(self) -> dict[str, int]:
        return {"total": self.target}

    def play(self, number: int, total: int) -> Outcome:
        total += number
        if total == self.target:  # winning the game
            return MOVER_WINS
        if total > self.target:  # losing the game: a legal move, if an unwise one
            return MOVER_LOSES
        return total

    def reason(self, verdict: Verdict, moves: Sequence[int]) -> str:
        if verdict == MOVER_WINS:
            return f"the total is exactly {self.target}"
        return f"the total is {sum(moves)}, above {self.target}"

    def table(self, moves: Sequence[int]) -> str:
        return f"total {sum(moves)}"
