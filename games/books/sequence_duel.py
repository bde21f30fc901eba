"""Sequence Duel: write numbers in a row, no three neighbours may add up to a multiple of seven."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from games.rulebook import ILLEGAL, MOVER_LOSES, MOVER_WINS, Outcome, RuleBook, Verdict

BACK = ("last", "second_last", "third_last", "fourth_last", "fifth_last", "sixth_last", "seventh_last", "eighth_last")


@dataclass(frozen=True)
class SequenceDuel(RuleBook):
    """Append 1 to 9, but not the last number again; a bad triple loses, and so does writing the tenth number."""

    largest: int = 9
    window: int = 3
    modulus: int = 7
    limit: int = 10
    limit_loser: Literal["writer", "next"] = "writer"  # who loses when the sequence is full
    repeats: Literal["forbidden", "allowed"] = "forbidden"  # the last number again: allowed makes another game

    title = "Sequence Duel"
    rules = """The sequence starts empty. Players take turns; a turn appends a whole number from 1 to {largest}{but}.
        Whoever makes the last {window} numbers add up to a multiple of {modulus} loses at once. When the sequence
        reaches {limit} numbers without that, the game ends: {loser} loses.{stuck}"""
    endings = {
        MOVER_LOSES: "the last {window} numbers add up to a multiple of {modulus}{or_full}",
        MOVER_WINS: "the sequence is {limit} long and the other player would have to write on",
    }
    examples = {"2 3 4 5 6 1 5 2 4 3": "first wins"}
    at_least = {"largest": 1, "window": 2, "modulus": 2, "limit": 1}
    at_most = {"window": len(BACK) + 1}

    @property
    def phrases(self) -> dict[str, int | str]:
        free, writer = self.repeats == "allowed", self.limit_loser == "writer"
        return self.parameters | {
            "but": "" if free else ", but not the last number of the sequence",
            "loser": "whoever wrote the last number" if writer else "whoever would have to write the next number",
            "or_full": f", or the sequence is {self.limit} long" if writer else "",
            "stuck": "" if free else " A player without a valid number loses.",
        }

    def moves(self) -> Sequence[int]:
        return range(1, self.largest + 1)

    def fields(self) -> dict[str, int]:
        back = reversed(BACK[: self.window - 1])
        return {"length": self.limit} | dict.fromkeys(back, self.largest + 1)

    def play(self, number: int, length: int, *recent: int) -> Outcome:
        if number == recent[-1] and self.repeats == "forbidden":  # no repeating adjacent numbers
            return ILLEGAL
        length += 1
        if length >= self.window and (sum(recent) + number) % self.modulus == 0:  # sum condition
            return MOVER_LOSES
        if length == self.limit:  # sequence length limit
            return MOVER_LOSES if self.limit_loser == "writer" else MOVER_WINS
        return length, *recent[1:], number

    def reason(self, verdict: Verdict, moves: Sequence[int]) -> str:
        recent = moves[-self.window :]
        if verdict == MOVER_LOSES and len(recent) == self.window and sum(recent) % self.modulus == 0:
            return f"{' + '.join(map(str, recent))} = {sum(recent)}, a multiple of {self.modulus}"
        rest = "wrote the last number" if verdict == MOVER_LOSES else "would have to write the next number"
        return f"the sequence is {self.limit} long, and whoever {rest} loses"

    def refusal(self, move: int, moves: Sequence[int]) -> str:
        return f"{move} is the last number of the sequence" if moves and move == moves[-1] else ""

    def table(self, moves: Sequence[int]) -> str:
        sums = f" (last {self.window} add up to {sum(moves[-self.window :])})" if len(moves) >= self.window else ""
        return f"sequence {' '.join(map(str, moves)) or '(empty)'}{sums}"
