"""Seven-is-Forbidden: append digits to a shared number and never make it divisible by seven."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.rulebook import DRAW, MOVER_LOSES, Outcome, RuleBook, Verdict


@dataclass(frozen=True)
class SevenIsForbidden(RuleBook):
    """Append a digit from 1 to 9 to the shared number; whoever makes it divisible by 7 loses."""

    modulus: int = 7
    base: int = 10
    draw_at: int = 0  # a number as large as this is a draw: then every number is a position of its own; 0 for never

    title = "Seven-is-Forbidden"
    rules = """The shared number starts empty. Players take turns; a turn appends {digit} to its end{written}.
        Whoever makes a number divisible by {modulus} loses at once. {limit}"""
    endings = {
        MOVER_LOSES: "the shared number is divisible by {modulus}",
        DRAW: "the shared number is {draw_at} or more",
    }
    examples = {
        "5 3 1 4": "goes on",  # the book calls this lost, but 5314 = 7 x 759 + 1
        "5 3 1 3": "first wins",
    }
    at_least = {"modulus": 2, "base": 2}

    @property
    def phrases(self) -> dict[str, int | str]:
        draw = f"Any other number of {self.draw_at} or more is a draw."
        return self.parameters | {
            "digit": f"one digit, from 1 to {self.base - 1}," if self.base > 2 else "the digit 1",
            "written": "" if self.base == 10 else f", as numbers are written in base {self.base}",
            "limit": draw if self.draw_at else "Nothing else ends the game.",
        }

    def moves(self) -> Sequence[int]:
        return range(1, self.base)  # no zeros

    def fields(self) -> dict[str, int]:
        return {"shared": self.draw_at or self.modulus}

    def play(self, digit: int, shared: int) -> Outcome:
        shared = shared * self.base + digit
        if shared % self.modulus == 0:  # divisibility check
            return MOVER_LOSES
        if self.draw_at > 0 and shared >= self.draw_at:
            return DRAW
        return shared

    def canonical(self, shared: int) -> int:
        return shared if self.draw_at else shared % self.modulus

    def reason(self, verdict: Verdict, moves: Sequence[int]) -> str:
        if verdict == DRAW:
            return f"the number is {self._written(moves)}; {self.draw_at} or more is a draw"
        return f"{self._written(moves)} is divisible by {self.modulus}"

    def table(self, moves: Sequence[int]) -> str:
        return f"number {self._written(moves) or '(empty)'}"

    def _written(self, moves: Sequence[int]) -> str:
        return ("" if self.base <= 10 else ".").join(map(str, moves))
