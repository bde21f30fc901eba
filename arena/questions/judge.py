"""One answer to one question: the one judge of exam.py and of every harness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.prompt import read_reply
from arena.questions.record import Question


@dataclass(frozen=True)
class Judged:
    kind: str  # "legal", "illegal" or "unparsable"
    move: int | None  # where it is legal
    kept: bool  # whether it keeps the value of the position
    lost: int  # the value that it throws away: 0, 1 or 2; an answer without a legal move stands for the worst one
    how: str  # how a reply was read (arena/prompt.py); "move" where a number was given


def judge_move(question: Question, move: Any, how: str = "move") -> Judged:
    """A whole number, or anything else, which is no move."""
    number = move if isinstance(move, int) and not isinstance(move, bool) else None
    kind = "unparsable" if number is None else "legal" if number in question.legal else "illegal"
    lost = question.value - question.worth(number)
    return Judged(kind, number if kind == "legal" else None, kind == "legal" and lost == 0, lost, how)


def judge_reply(question: Question, reply: str) -> Judged:
    """What a model wrote."""
    reading = read_reply(reply)
    return judge_move(question, reading.move, reading.how)
