"""The words that a judge and a player exchange: one JSON object a line, a question and its answer.

docs/formats/protocol.md is the page for authors of players. Nothing here starts a process or waits.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.board import Board
from base.text import clean
from games import Mistake
from games.rulebook import Verdict

VERSION = "perfect-play-1"
LONGEST_LINE = 65_536  # bytes of an answer; more is no answer
LONGEST_NUMBER = 18  # digits; a longer one is illegal in every game, and never computed with
KINDS = ("legal", "illegal", "unparsable", "late", "crashed")
SHOWN = 200  # characters of a line that a person wants to see
EXTRAS = 20  # keys of "about" or "usage" that are kept
LARGEST_COST = 1e15  # of a number in "usage": so many of them as there are answers still add up to a number


@dataclass(frozen=True)
class Answer:
    """What became of one question."""

    kind: str  # one of KINDS
    move: int | None = None  # where it is legal
    said: str = ""  # the line, cut and clean
    about: dict[str, str | int | float | bool | None] = field(default_factory=dict)  # who answered, by its own word
    usage: dict[str, int | float] = field(default_factory=dict)  # what it cost, by its own word


def question(table: Board, moves: Sequence[int], seconds: float) -> dict[str, Any]:
    """All that a player is told, but for the id: it differs each time that the question is asked."""
    return {"protocol": VERSION, **told(table, moves), "seconds": seconds}


def told(table: Board, moves: Sequence[int]) -> dict[str, Any]:
    """The game and the position after these moves, as players are told them everywhere."""
    position, state = table.book.start, table.graph.follow(moves)
    for move in moves:
        outcome = table.book.step(move, position)
        if isinstance(outcome, Verdict):
            raise Mistake(f"{table.book.name}: the game is over after '{' '.join(map(str, moves))}'; nothing to ask")
        position = outcome
    book = table.book
    names = {str(move): book.name_of(move) for move in book.moves()}
    return {
        "game": table.book.name,
        "parameters": table.book.parameters,
        "rules": table.book.text,
        "moves": [int(move) for move in moves],
        "position": dict(zip(table.book.fields(), position, strict=True)),
        "words": table.book.table(moves),
        "legal": table.legal(state),
        **({"names": names} if any(move != name for move, name in names.items()) else {}),
    }


def digest(thing: Any) -> str:
    """SHA-256 of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()


def understand(line: bytes, id: str, legal: Sequence[int], earlier: Collection[str]) -> Answer | None:
    """The answer in a line; None if it belongs to an earlier question, and so to nothing any more."""
    said = shown(line)
    unparsable = Answer("unparsable", said=said)
    if len(line) > LONGEST_LINE:
        return unparsable
    try:
        record = json.loads(line.decode("utf-8"), parse_int=_number, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return unparsable
    if not isinstance(record, dict):
        return unparsable
    name, move = record.get("id"), record.get("move")
    if isinstance(name, str) and name != id and name in earlier:
        return None
    if name != id:
        return unparsable
    about, usage = flat(record.get("about")), costs(record.get("usage"))
    if isinstance(move, bool) or not isinstance(move, int | _Huge):
        return Answer("unparsable", None, said, about, usage)
    if isinstance(move, int) and move in legal:
        return Answer("legal", move, said, about, usage)
    return Answer("illegal", None, said, about, usage)


def shown(line: bytes) -> str:
    """The beginning of what a player wrote, as a person can look at it."""
    return clean(line[:SHOWN].decode("utf-8", errors="backslashreplace").strip())[:SHOWN]


def flat(record: Any) -> dict[str, str | int | float | bool | None]:
    """An object of texts and numbers, clean and cut to a sensible size; anything else in it is left out."""
    if not isinstance(record, dict):
        return {}
    values = {clean(key[:100]): value for key, value in record.items() if isinstance(value, str | int | float | None)}
    cut = {key: clean(value[:500]) if isinstance(value, str) else value for key, value in values.items()}
    finite = {key: value for key, value in cut.items() if not isinstance(value, float) or math.isfinite(value)}
    return dict(list(finite.items())[:EXTRAS])


def costs(record: Any) -> dict[str, int | float]:
    """What an answer cost: the numbers in an object, if they can be added up."""
    numbers = {
        key: value
        for key, value in flat(record).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return {key: value for key, value in numbers.items() if abs(value) <= LARGEST_COST}


class _Huge:
    """A whole number with more digits than any move has."""


def _number(digits: str) -> int | _Huge:
    return int(digits) if len(digits) <= LONGEST_NUMBER else _Huge()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a key stands there twice")
    return record
