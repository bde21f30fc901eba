"""The words that a judge and a player exchange: one JSON object a line, a question and its answer.

docs/formats/protocol.md is the page for authors of players. Nothing here starts a process or waits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.board import Board
from games import Mistake
from games.rulebook import Verdict

VERSION = "perfect-play-1"
LONGEST_LINE = 65_536  # bytes of an answer; more is no answer
LONGEST_NUMBER = 18  # digits; a longer one is illegal in every game, and never computed with
KINDS = ("legal", "illegal", "unparsable", "late", "crashed")
EXTRAS = 20  # keys of "about" or "usage" that are kept


@dataclass(frozen=True)
class Answer:
    """What became of one question."""

    kind: str  # one of KINDS
    move: int | None = None  # where it is legal
    said: str = ""  # the line, cut to what a person wants to see
    about: dict[str, str | int | float | bool | None] = field(default_factory=dict)  # who answered, by its own word
    usage: dict[str, int | float] = field(default_factory=dict)  # what it cost, by its own word


def question(table: Board, moves: Sequence[int], seconds: float) -> dict[str, Any]:
    """All that a player is told, but for the id: it differs each time that the question is asked."""
    position, state = table.book.start, table.graph.follow(moves)
    for move in moves:
        outcome = table.book.step(move, position)
        if isinstance(outcome, Verdict):
            raise Mistake(f"{table.book.name}: the game is over after '{' '.join(map(str, moves))}'; nothing to ask")
        position = outcome
    return {
        "protocol": VERSION,
        "game": table.book.name,
        "parameters": table.book.parameters,
        "rules": table.book.text,
        "moves": [int(move) for move in moves],
        "position": dict(zip(table.book.fields(), position, strict=True)),
        "words": table.book.table(moves),
        "legal": table.legal(state),
        "seconds": seconds,
    }


def digest(thing: Any) -> str:
    """SHA-256 of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()


def understand(line: bytes, id: str, legal: Sequence[int], earlier: Collection[str]) -> Answer | None:
    """The answer in a line; None if it belongs to an earlier question, and so to nothing any more."""
    said = line[:200].decode("utf-8", errors="backslashreplace").strip()
    unparsable = Answer("unparsable", said=said)
    if len(line) > LONGEST_LINE:
        return unparsable
    try:
        found = json.loads(line.decode("utf-8"), parse_int=_number, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return unparsable
    if not isinstance(found, dict):
        return unparsable
    name, move = found.get("id"), found.get("move")
    if isinstance(name, str) and name != id and name in earlier:
        return None
    if name != id:
        return unparsable
    about, usage = _extras(found.get("about")), _extras(found.get("usage"))
    costs = {key: cost for key, cost in usage.items() if isinstance(cost, int | float) and not isinstance(cost, bool)}
    if isinstance(move, bool) or not isinstance(move, int | _Huge):
        return Answer("unparsable", None, said, about, costs)
    if isinstance(move, int) and move in legal:
        return Answer("legal", move, said, about, costs)
    return Answer("illegal", None, said, about, costs)


class _Huge:
    """A whole number with more digits than any move has."""


def _number(digits: str) -> int | _Huge:
    return int(digits) if len(digits) <= LONGEST_NUMBER else _Huge()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _extras(found: Any) -> dict[str, Any]:
    """A flat object of texts and numbers, cut to a sensible size; anything else is left out."""
    if not isinstance(found, dict):
        return {}
    flat = {key[:100]: value for key, value in found.items() if isinstance(value, str | int | float | bool | None)}
    cut = {key: value[:500] if isinstance(value, str) else value for key, value in list(flat.items())[:EXTRAS]}
    return {key: value for key, value in cut.items() if value == value and value not in (float("inf"), -float("inf"))}
