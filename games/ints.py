"""The engine on ints: every position that the start leads to, breadth first, one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games.rulebook import Position, RuleBook, Verdict


def explore(book: RuleBook, max_states: int, max_pairs: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """positions [S, F] and next_state [S, A], sorted by the fields; refused before a position that is too much."""
    moves, sizes, outcomes = list(book.moves()), book.fields(), {book.start: list[Any]()}
    queue = [book.start]
    for number, position in enumerate(queue, 1):  # grows while we walk it
        if number * len(moves) > max_pairs:
            raise too_many(book, max_pairs, "moves in all positions together")
        outcomes[position] = [outcome_of(book, move, position, sizes) for move in moves]
        for outcome in outcomes[position]:
            if not isinstance(outcome, Verdict) and outcome not in outcomes:
                outcomes[outcome] = []
                queue.append(outcome)
        if len(queue) > max_states:
            raise too_many(book, max_states)
    for position in reversed(queue):  # once more in another order: a pure rule does not notice
        for move, before in zip(moves, outcomes[position], strict=True):
            if (after := outcome_of(book, move, position, sizes)) != before:
                raise impure(book, move, position, before, after)
    order = {position: state for state, position in enumerate(sorted(queue))}
    rows = [[out if isinstance(out, Verdict) else order[out] for out in outcomes[position]] for position in order]
    return np.array(list(order), dtype=np.int32), np.array(rows, dtype=np.int32)


def outcome_of(
    book: RuleBook, move: int, position: Position, sizes: Mapping[str, int] | None = None
) -> Verdict | Position:
    """What a move does to a canonical position, checked; the next position is canonical again.

    `sizes` are `book.fields()`, for whoever asks often.
    """
    try:
        outcome: Any = book.step(move, position)
        if isinstance(outcome, Verdict):
            return outcome
        literal, outcome = outcome, book.fold(outcome)
    except Exception as error:
        raise _fault(
            book, move, position, f"raised {type(error).__name__}: {error}; it must answer every move"
        ) from error
    sizes = book.fields() if sizes is None else sizes
    if len(outcome) != len(sizes) or not all(type(value) is int for value in outcome):
        what = f"gave {literal}; it must give a verdict or the {len(sizes)} fields {', '.join(sizes)}"
        raise _fault(book, move, position, what)
    for (name, size), value in zip(sizes.items(), outcome, strict=True):
        if not 0 <= value < size:
            what = f"makes {name} {value}, outside 0 to {size - 1}; end the game there or make fields() larger"
            raise _fault(book, move, position, what)
    return tuple(outcome)


def impure(book: RuleBook, move: int, position: Position, before: object, after: object) -> Mistake:
    what = f"gave {before} and then {after}; a rule must be pure: it reads its arguments and parameters, nothing else"
    return _fault(book, move, position, what)


def too_many(book: RuleBook, most: int, what: str = "states") -> Mistake:
    return Mistake(f"{book.name}: more than {most} {what}; take smaller parameters")


def _fault(book: RuleBook, move: int, position: Position, what: str) -> Mistake:
    return Mistake(f"{book.name}: play({move}, {', '.join(map(str, position))}) {what}")
