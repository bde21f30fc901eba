"""What a language model is shown of a question, and how its reply is read: one text and one reader for every harness.

Nothing but the standard library is imported, so that a player's own program can use it. A reply is read leniently, and
never repaired: what comes out is a whole number that stands in the reply, or nothing. docs/formats/questions.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

VERSION = 2  # counted up with any change of the texts or of the reader
PROMPT = """You are playing a game for two players, {game}.
The rules: {rules}
Moves so far, in turn: {moves}.
On the table: {words}.
You are the {seat} player, and it is your turn.{names}{legal}
Choose your move. You may think first; end your reply with a line of its own of this form:
MOVE: number"""
NAMES = "\nEvery move has a number: {names}."
LEGAL = "\nYou may choose one of: {moves}."

LONGEST_REPLY = 20_000  # characters from the end that are looked at
MARK = re.compile(r"\bMOVE\b[\s*_`]{0,10}[:=]", re.IGNORECASE)
GLUED = re.compile(  # whatever a reader would take for one word or one number, with the signs that nobody sees
    r"(?:[\w.,/'’^%°+\-−–—×\u00ad\u200b-\u200f\u2060\ufe0f\ufeff\u20e3]|(?<=\d):(?=\d))+"
)
WHOLE = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,999})")
THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.IGNORECASE | re.DOTALL)
READ = ("marked", "bare")  # what a reading with a move is called
UNREAD = ("empty", "no-number", "not-whole", "several")  # and one without


@dataclass(frozen=True)
class Reading:
    """What a reply says: a whole number, legal or not, or nothing."""

    move: int | None
    how: str  # one of READ or UNREAD


def prompt(question: Mapping[str, Any], *, legal_shown: bool = False) -> str:
    """The text for a model; a question is one of the protocol or of a set, for they share these keys."""
    seat = "first" if len(question["moves"]) % 2 == 0 else "second"
    moves = " ".join(map(str, question["moves"])) or "none"
    named = "; ".join(f"{move} is {name}" for move, name in (question.get("names") or {}).items())
    legal = LEGAL.format(moves=", ".join(map(str, question["legal"]))) if legal_shown else ""
    told = {key: question[key] for key in ("game", "rules", "words")}
    return PROMPT.format(**told, moves=moves, seat=seat, names=NAMES.format(names=named) if named else "", legal=legal)


def prompt_hash() -> str:
    """Of everything that decides what a model is shown and how it is understood."""
    patterns = [pattern.pattern for pattern in (MARK, GLUED, WHOLE, THOUGHT)]
    texts = [VERSION, PROMPT, NAMES, LEGAL, LONGEST_REPLY, patterns]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]


def read_reply(reply: str) -> Reading:
    """The move that a reply ends with.

    The last line with "MOVE:" decides: it must hold one number after the mark, and no other. Without such a line it is
    the last number of the reply, unless that stands in a row of numbers. A number counts if it is written in the
    digits 0 to 9 and is whole: 3.5, 1/2, 7th, 007 or a digit of another script is no move. What stands between <think>
    and </think> is not looked at.
    """
    rest = THOUGHT.sub(" ", reply)
    if (closed := rest.lower().rfind("</think>")) >= 0:  # some servers leave the opening out
        rest = rest[closed + len("</think>") :]
    rest = rest[-LONGEST_REPLY:]
    if not rest.strip():
        return Reading(None, "empty")
    marks = list(MARK.finditer(rest))
    if not marks:
        return _last(_words(rest))
    words = _words(rest[marks[-1].end() :].lstrip().split("\n", 1)[0])
    numbers = [word for word in words if word.is_number]
    if len(numbers) > 1:
        return Reading(None, "several")
    if numbers and any(word.is_sign for word in words[: words.index(numbers[0])]):
        return Reading(None, "not-whole")  # "- 7" may be meant as -7
    return _reading(numbers, "marked")


@dataclass(frozen=True)
class _Word:
    text: str  # without the quotes and full stops around it
    joined: bool  # whether nothing but spaces lies between it and the word before

    @property
    def is_number(self) -> bool:
        """Whether there is a digit in it, of any script."""
        return any(character.isnumeric() for character in self.text)

    @property
    def is_sign(self) -> bool:
        return bool(self.text) and not self.text.strip("+-−–—")


def _words(text: str) -> list[_Word]:
    words, end = list[_Word](), 0
    for match in GLUED.finditer(text):
        joined = bool(words) and not text[end : match.start()].strip()
        words.append(_Word(match[0].rstrip(".,'’_").lstrip("'’_"), joined))
        end = match.end()
    return words


def _last(words: list[_Word]) -> Reading:
    """The last number, unless it stands in a row of numbers: "1 000" is none, and "8 7 9" is not an answer."""
    places = [place for place, word in enumerate(words) if word.is_number]
    if places and words[places[-1]].joined and words[places[-1] - 1].is_number:
        return Reading(None, "several")
    return _reading([words[place] for place in places[-1:]], "bare")


def _reading(numbers: list[_Word], how: str) -> Reading:
    if not numbers:
        return Reading(None, "no-number")
    if not WHOLE.fullmatch(numbers[0].text):
        return Reading(None, "not-whole")
    return Reading(int(numbers[0].text), how)
