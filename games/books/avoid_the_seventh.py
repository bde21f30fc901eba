"""Avoid the Seventh: add small numbers to a growing total and never make a multiple of seven."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.rulebook import DRAW, MOVER_LOSES, Outcome, RuleBook, Verdict


@dataclass(frozen=True)
class AvoidTheSeventh(RuleBook):
    """Add 1 to 5 to the total; whoever makes it a multiple of 7 loses."""

    modulus: int = 7
    largest: int = 5
    draw_at: int = 0  # a total as large as this is a draw: then every total is a position of its own; 0 for never

    title = "Avoid the Seventh"
    rules = """The total starts at 0. Players take turns; a turn adds a whole number from 1 to {largest} to the total.
        Whoever makes the total a multiple of {modulus} loses at once. {limit}"""
    endings = {MOVER_LOSES: "the total is a multiple of {modulus}", DRAW: "the total is {draw_at} or more"}
    examples = {
        "3 4": "first wins",
        "2 5": "first wins",
        "1 2 3 1": "first wins",
        "2 3 1 1": "first wins",
    }
    at_least = {"modulus": 2, "largest": 1}

    @property
    def phrases(self) -> dict[str, int | str]:
        draw = f"Any other total of {self.draw_at} or more is a draw."
        return self.parameters | {"limit": draw if self.draw_at else "Nothing else ends the game."}

    def moves(self) -> Sequence[int]:
        return range(1, self.largest + 1)

    def fields(self) -> dict[str, int]:
        return {"total": self.draw_at or self.modulus}

    def play(self, number: int, total: int) -> Outcome:
        total += number
        if total % self.modulus == 0:  # losing condition
            return MOVER_LOSES
        if self.draw_at > 0 and total >= self.draw_at:
            return DRAW
        return total

    def canonical(self, total: int) -> int:
        return total if self.draw_at else total % self.modulus

    def reason(self, verdict: Verdict, moves: Sequence[int]) -> str:
        if verdict == DRAW:
            return f"the total is {sum(moves)}; {self.draw_at} or more is a draw"
        return f"the total is {sum(moves)}, a multiple of {self.modulus}"

    def table(self, moves: Sequence[int]) -> str:
        return f"total {sum(moves)}"
