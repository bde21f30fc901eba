"""The arrays of a game: every reachable position, every move, and where it leads. Everything else works on these."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.mistake import Mistake
from games.rows import Column, NotOnColumns, run
from games.rulebook import ILLEGAL, Position, RuleBook, Verdict

MAX_STATES = 20_000_000
SMALL = 100_000  # (position, move) pairs: below this, ints are faster than columns
CHUNK = 1 << 15  # positions a column holds at once: small enough to stay in the cache


@dataclass(frozen=True, eq=False)
class GameGraph:
    """Reachable states only, sorted by their fields; state 0 is the start. All arrays are read-only."""

    game: str
    parameters: Mapping[str, int | str]
    fields: Mapping[str, int]  # name: size
    positions: NDArray[np.int32]  # [S, F]: the fields of each state
    moves: NDArray[np.int64]  # [A]: the number that each action says
    next_state: NDArray[np.int32]  # [S, A]: a state, or a verdict (< 0)

    def __post_init__(self) -> None:
        for array in (self.positions, self.moves, self.next_state):
            array.flags.writeable = False

    @property
    def num_states(self) -> int:
        return len(self.next_state)

    @property
    def num_actions(self) -> int:
        return len(self.moves)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """[S, A]: what the rules allow; a losing move is legal."""
        legal = self.next_state != ILLEGAL
        legal.flags.writeable = False
        return legal

    @cached_property
    def ordered(self) -> bool:
        """Whether every move leads to a later state, so that one backward sweep solves the game."""
        for first in range(0, self.num_states, CHUNK):
            block = self.next_state[first : first + CHUNK]
            states = np.arange(first, first + len(block), dtype=np.int32)[:, None]
            if ((block >= 0) & (block <= states)).any():
                return False
        return True

    @cached_property
    def has_cycle(self) -> bool:
        """Whether play may come back to a position, and so may never end."""
        if self.ordered:
            return False
        incoming = np.bincount(self.next_state[self.next_state >= 0], minlength=self.num_states)
        free, seen = np.flatnonzero(incoming == 0), 0
        while len(free):  # take away what nothing leads to, until nothing is left or a cycle is
            seen += len(free)
            targets = self.next_state[free]
            reached, times = np.unique(targets[targets >= 0], return_counts=True)
            incoming[reached] -= times
            free = reached[incoming[reached] == 0]
        return seen < self.num_states

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of all that the game is, in a byte order of its own."""
        head = {"game": self.game, "parameters": dict(self.parameters), "fields": dict(self.fields)}
        digest = hashlib.sha256(json.dumps(head, sort_keys=True).encode())
        for array, kind in ((self.moves, "<i8"), (self.positions, "<i4"), (self.next_state, "<i4")):
            digest.update(np.ascontiguousarray(array, dtype=kind).data)
        return digest.hexdigest()

    def action(self, move: object) -> int:
        """The action that says this move."""
        found = np.flatnonzero(self.moves == move)
        if isinstance(move, bool) or len(found) != 1:
            raise Mistake(f"{self.game}: no move {move!r} (moves: {' '.join(map(str, self.moves))})")
        return int(found[0])

    def state(self, position: Iterable[int]) -> int:
        """The state of a canonical position."""
        wanted = tuple(position)
        found = np.flatnonzero((self.positions == np.array(wanted, dtype=np.int64)).all(axis=1))
        if len(found) != 1:
            raise Mistake(f"{self.game}: position {wanted} is not reachable (fields: {', '.join(self.fields)})")
        return int(found[0])

    def follow(self, moves: Iterable[int], start: int = 0) -> int:
        """The state after these moves, or the verdict of the last of them; an illegal move or one after the end is refused."""
        state, said = start, ""
        for move in moves:
            if state < 0:
                raise Mistake(f"{self.game}: the game is over after '{said.strip()}'; leave out the moves after that")
            state = int(self.next_state[state, self.action(move)])
            if state == ILLEGAL:
                raise Mistake(f"{self.game}: {move} is against the rules after '{said.strip()}'")
            said += f" {move}"
        return state

    def words(self, state: int) -> str:
        """A position for people: "total 15, last 7"."""
        pairs = zip(self.fields, self.positions[state].tolist(), strict=True)
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in pairs)


def compile_rulebook(book: RuleBook, *, max_states: int = MAX_STATES, engine: str | None = None) -> GameGraph:
    """The arrays of a rule book. Both engines, "ints" and "columns", give the same; the default takes the faster."""
    size = prod(_sizes(book))
    if engine is None:
        engine = "ints" if size * len(book.moves()) <= SMALL or size > 4 * max_states else "columns"
        try:
            return compile_rulebook(book, max_states=max_states, engine=engine)
        except NotOnColumns:
            engine = "ints"  # slow beats refused; check_rulebook says so
    if engine not in ("ints", "columns"):
        raise Mistake(f"{book.name}: no engine {engine!r} (there is: ints, columns)")
    positions, next_state = (_explore if engine == "ints" else _sweep)(book, max_states)
    moves = np.array(book.moves(), dtype=np.int64)
    graph = GameGraph(book.name, book.parameters, dict(book.fields()), positions, moves, next_state)
    _spot_check(book, graph)
    return graph


def _sizes(book: RuleBook) -> list[int]:
    sizes, moves = list(book.fields().values()), list(book.moves())
    if not sizes or min(sizes) < 1:
        raise Mistake(f"{book.name}: fields() is {dict(book.fields())}; a position needs a field, each of size 1 or more")
    if not moves or moves != sorted(set(moves)):
        raise Mistake(f"{book.name}: moves() must be distinct numbers in ascending order, not {moves[:12]}")
    return sizes


def outcome_of(book: RuleBook, move: int, position: Position) -> Verdict | Position:
    """What a move does to a canonical position, checked; the next position is canonical again."""
    try:
        outcome: Any = book.step(move, position)
        if isinstance(outcome, Verdict):
            return outcome
        literal, outcome = outcome, book.fold(outcome)
    except Exception as error:
        what = f"raised {type(error).__name__}: {error}; a rule must answer every move"
        raise Mistake(f"{_call(book, move, position)} {what}") from error
    sizes = book.fields()
    if len(outcome) != len(sizes) or not all(type(value) is int for value in outcome):
        what = f"gave {literal}; it must give a verdict or the {len(sizes)} fields {', '.join(sizes)}"
        raise Mistake(f"{_call(book, move, position)} {what}")
    for (name, size), value in zip(sizes.items(), outcome, strict=True):
        if not 0 <= value < size:
            what = f"makes {name} {value}, outside 0 to {size - 1}; end the game there or make fields() larger"
            raise Mistake(f"{_call(book, move, position)} {what}")
    return tuple(outcome)


def _call(book: RuleBook, move: int, position: Position) -> str:
    return f"{book.name}: play({move}, {', '.join(map(str, position))})"


def _too_many(book: RuleBook, max_states: int) -> Mistake:
    return Mistake(f"{book.name}: more than {max_states} states; take smaller parameters or pass a larger max_states")


def _explore(book: RuleBook, max_states: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Breadth first from the start, one position at a time."""
    moves, found = list(book.moves()), {book.start: list[Any]()}
    queue = [book.start]
    for position in queue:  # grows while we walk it
        outcomes: list[Any] = [outcome_of(book, move, position) for move in moves]
        for outcome in outcomes:
            if not isinstance(outcome, Verdict) and outcome not in found:
                found[outcome] = []
                queue.append(outcome)
        found[position] = outcomes
        if len(found) > max_states:
            raise _too_many(book, max_states)
    for position in reversed(queue):  # once more in another order: a pure rule does not notice
        for move, before in zip(moves, found[position], strict=True):
            if (after := outcome_of(book, move, position)) != before:
                raise _impure(book, move, position, before, after)
    order = {position: state for state, position in enumerate(sorted(queue))}
    rows = [[out if isinstance(out, Verdict) else order[out] for out in found[position]] for position in order]
    return np.array(list(order), dtype=np.int32), np.array(rows, dtype=np.int32)


def _impure(book: RuleBook, move: int, position: Position, before: object, after: object) -> Mistake:
    what = "a rule must be pure: it may read its arguments and parameters, nothing else"
    return Mistake(f"{_call(book, move, position)} gave {before} and then {after}; {what}")


def _sweep(book: RuleBook, max_states: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Every combination of fields at once, on columns; then what the start reaches is kept."""
    sizes, moves = _sizes(book), list(book.moves())
    total = prod(sizes)
    if total >= 2**31:
        raise NotOnColumns(f"{total} combinations of fields are too many to lay out")
    next_state = np.empty((total, len(moves)), dtype=np.int32)
    strides = [prod(sizes[i + 1 :]) for i in range(len(sizes))]

    def rule(move: int, *position: Any) -> Any:
        outcome = book.play(move, *position)
        if isinstance(outcome, Verdict):
            return outcome
        folded = book.canonical(*outcome) if isinstance(outcome, tuple) else book.canonical(outcome)
        return folded if isinstance(folded, tuple) else (folded,)

    outside = np.zeros(total, dtype=bool)  # positions with a move out of bounds: a mistake only where reachable
    for first in range(0, total, CHUNK):
        columns = list(np.unravel_index(np.arange(first, min(first + CHUNK, total)), sizes))
        block, bad = next_state[first : first + CHUNK], outside[first : first + CHUNK]
        for a, move in enumerate(moves):

            def give(rows: Any, outcome: Any, a: int = a, block: Any = block, bad: Any = bad) -> None:
                if isinstance(outcome, Verdict):
                    block[rows, a] = outcome
                    return
                if len(outcome) != len(sizes):
                    raise NotOnColumns("a wrong number of fields")  # the ints name the place
                code: Any = 0
                for value, size, stride in zip(outcome, sizes, strides, strict=True):
                    if not isinstance(value, Column | int):
                        raise NotOnColumns(f"a field that is {type(value).__name__}")
                    array, low, high = (value.values, value.low, value.high) if isinstance(value, Column) else (value,) * 3
                    if low < 0 or high >= size:
                        wrong = (array < 0) | (array >= size)
                        if np.any(wrong):
                            bad[rows] |= wrong
                            array = np.where(wrong, 0, array)
                    code = code + array * stride
                block[rows, a] = code

            try:
                run(lambda *position, move=move: rule(move, *position), columns, sizes, give)
            except NotOnColumns:
                raise
            except Exception as error:  # the ints find out whether and where the rule itself is wrong
                raise NotOnColumns(f"{type(error).__name__}: {error}") from error
    reached = _reachable(next_state)
    for state in np.flatnonzero(reached & outside)[:1]:
        position = tuple(int(value) for value in np.unravel_index(state, sizes))
        for move in moves:
            outcome_of(book, move, position)  # raises, and names the field
    kept = np.flatnonzero(reached)
    if len(kept) > max_states:
        raise _too_many(book, max_states)
    if len(kept) < total:
        number = np.cumsum(reached, dtype=np.int32) - 1
        for first in range(0, len(kept), CHUNK):  # in place: a row only ever moves up
            block = next_state[kept[first : first + CHUNK]]
            next_state[first : first + CHUNK][: len(block)] = np.where(block >= 0, number[block], block)
        next_state = next_state[: len(kept)].copy()
    positions = np.empty((len(kept), len(sizes)), dtype=np.int32)
    for f, column in enumerate(np.unravel_index(kept, sizes)):
        positions[:, f] = column
    return positions, next_state


def _reachable(next_state: NDArray[np.int32]) -> NDArray[np.bool_]:
    """[S]: what the start leads to."""
    count = len(next_state)
    reached, forward = np.ones(count, dtype=bool), True
    for _ in range(32):  # drop what nothing leads to; where all moves lead forward, what stays is reachable
        led_to = np.zeros(count + 4, dtype=bool)  # verdicts are negative and land in the last four
        for first in range(0, count, CHUNK):
            block = next_state[first : first + CHUNK]
            block = block[reached[first : first + CHUNK]]
            led_to[block.ravel()] = True
            forward = forward and not ((block >= 0) & (block <= np.arange(first, first + len(block))[:, None])).any()
        led_to[0] = True
        if not forward or (led_to[:count] == reached).all():
            break
        reached &= led_to[:count]
    else:
        forward = False
    if forward:
        return reached
    reached = np.zeros(count, dtype=bool)
    reached[0], frontier = True, np.zeros(1, dtype=np.int64)
    while len(frontier):
        led = next_state[frontier].ravel()
        led = led[led >= 0]
        led = np.unique(led[~reached[led]])
        reached[led], frontier = True, led
    return reached


def _spot_check(book: RuleBook, graph: GameGraph) -> None:
    """A few states played on ints: columns that differ, or a rule that changes its mind, do not get past this."""
    for state in np.unique(np.linspace(0, graph.num_states - 1, 50).astype(np.int64)).tolist():
        position = tuple(graph.positions[state].tolist())
        for move, after in zip(graph.moves.tolist(), graph.next_state[state].tolist(), strict=True):
            outcome = outcome_of(book, move, position)
            there = Verdict(after) if after < 0 else tuple(graph.positions[after].tolist())
            if outcome != there:
                raise _impure(book, move, position, there, outcome)
