"""Number Flip: push the total up without repeating the other's number; fifty or more loses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from games.rulebook import ILLEGAL, MOVER_LOSES, Outcome, RuleBook, Verdict


@dataclass(frozen=True)
class NumberFlip(RuleBook):
    """Add 1 to 10, but not the number just added; whoever makes 50 or more loses."""

    target: int = 50
    largest: int = 10
    repeats: Literal["forbidden", "allowed"] = "forbidden"  # the number just added: allowed makes another game

    title = "Number Flip"
    rules = """The total starts at 0. Players take turns; a turn adds a whole number from 1 to {largest} to the
        total{but}. Whoever makes the total {target} or more loses at once.{stuck}"""
    endings = {MOVER_LOSES: "the total is {target} or more"}
    examples = {"8 7 9 8 7 6 5": "second wins"}
    at_least = {"target": 1, "largest": 1}

    @property
    def phrases(self) -> dict[str, int | str]:
        free = self.repeats == "allowed"
        but = "" if free else ", but not the number that the other player has just added"
        return self.parameters | {"but": but, "stuck": "" if free else " A player without a legal number loses."}

    def moves(self) -> Sequence[int]:
        return range(1, self.largest + 1)

    def fields(self) -> dict[str, int]:
        return {"total": self.target, "last": self.largest + 1}

    def play(self, number: int, total: int, last: int) -> Outcome:
        if number == last and self.repeats == "forbidden":  # no repeat
            return ILLEGAL
        total += number
        if total >= self.target:  # victory check
            return MOVER_LOSES
        return total, number

    def reason(self, verdict: Verdict, moves: Sequence[int]) -> str:
        return f"the total is {sum(moves)}; {self.target} or more loses"

    def refusal(self, move: int, moves: Sequence[int]) -> str:
        return f"{move} was just played" if moves and move == moves[-1] else ""

    def table(self, moves: Sequence[int]) -> str:
        return f"total {sum(moves)}, last number {moves[-1] if moves else '(none yet)'}"
