"""Kayles: bowl at a row of pins; the last throw wins."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.rulebook import ILLEGAL, MOVER_WINS, Outcome, RuleBook

MOST = 100  # a move is 100 times the first pin that falls, and the last


@dataclass(frozen=True)
class Kayles(RuleBook):
    """Knock down one pin, or two that stand side by side; whoever knocks down the last one wins."""

    pins: int = 9

    rules = """{pins} pins stand in a row. Players take turns; a turn knocks down one pin, or two that stand side by
        side with no gap between them. Whoever knocks down the last pin wins."""
    endings = {MOVER_WINS: "the last pin is down"}
    examples = {
        "pin 5, pin 1, pin 9, pins 2 and 3, pins 7 and 8, pin 4, pin 6": "first wins",
        "pins 1 and 2, pins 4 and 5": "goes on",
    }
    at_least = {"pins": 1}
    at_most = {"pins": 16}

    def moves(self) -> Sequence[int]:
        single = [MOST * pin + pin for pin in range(1, self.pins + 1)]
        return sorted(single + [pair + 1 for pair in single[:-1]])

    def name_of(self, move: int) -> str:
        first, last = divmod(move, MOST)
        return f"pin {first}" if first == last else f"pins {first} and {last}"

    def fields(self) -> dict[str, int]:
        return {f"pin_{pin}_down": 2 for pin in range(1, self.pins + 1)}

    def play(self, move: int, *down: int) -> Outcome:
        first, last = divmod(move, MOST)
        if down[first - 1] or down[last - 1]:
            return ILLEGAL
        after = tuple(1 if first <= pin <= last else fallen for pin, fallen in enumerate(down, 1))
        return MOVER_WINS if all(after) else after

    def words(self, position: Sequence[int]) -> str:
        return "pins " + " ".join("." if fallen else str(pin) for pin, fallen in enumerate(position, 1))
