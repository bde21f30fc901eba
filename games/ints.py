"""The engine on ints: every position that the start leads to, breadth first, one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games.rulebook import Position, RuleBook, Verdict


def explore(book: RuleBook, max_states: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """positions [S, F] and next_state [S, A], sorted by the fields."""
    moves, found = list(book.moves()), {book.start: list[Any]()}
    queue = [book.start]
    for position in queue:  # grows while we walk it
        found[position] = [outcome_of(book, move, position) for move in moves]
        for outcome in found[position]:
            if not isinstance(outcome, Verdict) and outcome not in found:
                found[outcome] = []
                queue.append(outcome)
        if len(found) > max_states:
            raise too_many(book, max_states)
    for position in reversed(queue):  # once more in another order: a pure rule does not notice
        for move, before in zip(moves, found[position], strict=True):
            if (after := outcome_of(book, move, position)) != before:
                raise impure(book, move, position, before, after)
    order = {position: state for state, position in enumerate(sorted(queue))}
    rows = [[out if isinstance(out, Verdict) else order[out] for out in found[position]] for position in order]
    return np.array(list(order), dtype=np.int32), np.array(rows, dtype=np.int32)


def outcome_of(book: RuleBook, move: int, position: Position) -> Verdict | Position:
    """What a move does to a canonical position, checked; the next position is canonical again."""
    try:
        outcome: Any = book.step(move, position)
        if isinstance(outcome, Verdict):
            return outcome
        literal, outcome = outcome, book.fold(outcome)
    except Exception as error:
        raise _fault(
            book, move, position, f"raised {type(error).__name__}: {error}; it must answer every move"
        ) from error
    sizes = book.fields()
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


def too_many(book: RuleBook, max_states: int) -> Mistake:
    return Mistake(f"{book.name}: more than {max_states} states; take smaller parameters or pass a larger max_states")


def _fault(book: RuleBook, move: int, position: Position, what: str) -> Mistake:
    return Mistake(f"{book.name}: play({move}, {', '.join(map(str, position))}) {what}")
