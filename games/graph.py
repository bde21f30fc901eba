"""The arrays of a game: every reachable position, every move, and where it leads. Everything else works on these."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from base.text import named
from games.columns import NotOnColumns
from games.grid import sweep
from games.ints import explore, impure, outcome_of, too_many
from games.notebook import WIDEST, map_html
from games.rulebook import ILLEGAL, MOVER_WINS, RuleBook, Verdict

MAX_STATES = 20_000_000  # on columns
MAX_STATES_ON_INTS = 200_000  # a position at a time takes long, and much memory
MOST_MOVES = 32_767  # actions that 16 bits can name
PAIRS_PER_STATE = 20  # (position, move) pairs are limited too: as many as that many moves in each state would make
WIDE = 1 << 20  # combinations of fields that are laid out without a thought, however few states are allowed
SMALL = 20_000  # (position, move) pairs: up to this, ints are fast enough, and they try every move twice
CHUNK = 1 << 15  # states looked at at once, where a whole pass would take too much memory

WORTH = np.array([0, *(Verdict(-place).worth for place in range(1, 1 + len(Verdict)))])  # [5]: WORTH[-verdict]
WORTH.flags.writeable = False


@dataclass(frozen=True, eq=False)
class GameGraph:
    """Reachable states only, sorted by their fields; state 0 is the start. All arrays are read-only."""

    game: str
    parameters: Mapping[str, int | str]
    fields: Mapping[str, int]  # name: size
    positions: NDArray[np.int32]  # [S, F]: the fields of each state
    moves: NDArray[np.int64]  # [A]: the number that each action says
    next_state: NDArray[np.int32]  # [S, A]: a state, or a verdict (< 0)
    book: RuleBook | None = None  # what it was compiled from; None for a graph that was built by hand

    def __post_init__(self) -> None:
        for array in (self.positions, self.moves, self.next_state):
            array.flags.writeable = False

    def __repr__(self) -> str:
        fields = ", ".join(f"{name} below {size}" for name, size in self.fields.items())
        size = f"{self.num_states:,} positions ({fields}), {self.num_actions} moves"
        return f"<GameGraph of {named(self.game, self.parameters)}: {size}>"

    def _repr_html_(self) -> str:
        shown = self.next_state[:WIDEST]
        marks = np.where(shown == ILLEGAL, -1, (shown < 0).astype(np.int8))
        return map_html(
            repr(self)[1:-1], marks, self.num_states, [("goes on", "#9aa5b1"), ("ends the game", "#334e68")]
        )

    @property
    def num_states(self) -> int:
        return len(self.next_state)

    @property
    def num_actions(self) -> int:
        return len(self.moves)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """[S, A]: what the rules allow; a losing move is legal."""
        legal: NDArray[np.bool_] = self.next_state != ILLEGAL
        legal.flags.writeable = False
        return legal

    @cached_property
    def legal_actions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """[S], [S, A]: how many actions are legal, and the actions, the legal ones first."""
        count, action = self.legal.sum(axis=1), np.argsort(~self.legal, axis=1, kind="stable")
        count.flags.writeable = action.flags.writeable = False
        return count, action

    @cached_property
    def outcome(self) -> NDArray[np.int32]:
        """[S, A]: next_state, but a move into a position without a legal move is a win, for that position is lost."""
        stuck = np.logical_not(self.legal.any(axis=1))  # [S]
        if not stuck.any():
            return self.next_state
        outcome = np.where((self.next_state >= 0) & stuck[self.next_state], np.int32(MOVER_WINS), self.next_state)
        outcome.flags.writeable = False
        return outcome

    @cached_property
    def ordered(self) -> bool:
        """Whether every move leads to a later state, so that one backward sweep solves the game."""
        for first in range(0, self.num_states, CHUNK):
            block = self.next_state[first : first + CHUNK].view(np.uint32)  # verdicts lie beyond all states
            if (block <= np.arange(first, first + len(block), dtype=np.uint32)[:, None]).any():
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

    def longest(self, max_plies: int) -> int:
        """How many plies a game may last: `max_plies` where play may never end, else as many as there are states."""
        return max_plies if self.has_cycle else self.num_states

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of all that the game is, in a byte order of its own."""
        head = {"game": self.game, "parameters": dict(self.parameters), "fields": dict(self.fields)}
        digest = hashlib.sha256(json.dumps(head, sort_keys=True).encode())
        for array, kind in ((self.moves, "<i8"), (self.positions, "<i4"), (self.next_state, "<i4")):
            digest.update(np.ascontiguousarray(array, dtype=kind).data)
        return digest.hexdigest()

    @cached_property
    def _actions(self) -> dict[object, int]:
        return {move: action for action, move in enumerate(self.moves.tolist())}

    def action(self, move: object) -> int:
        """The action that says this move."""
        known = isinstance(move, Hashable) and not isinstance(move, bool)
        action = self._actions.get(move) if known else None
        if action is None:
            raise Mistake(f"{self.game}: no move {move!r} (moves: {' '.join(map(str, self.moves))})")
        return action

    def state(self, position: Iterable[int]) -> int:
        """The state of a canonical position."""
        wanted = tuple(position)
        states = np.flatnonzero((self.positions == np.array(wanted, dtype=np.int64)).all(axis=1))
        if len(states) != 1:
            raise Mistake(f"{self.game}: position {wanted} is not reachable (fields: {', '.join(self.fields)})")
        return int(states[0])

    def follow(self, moves: Iterable[int], start: int = 0) -> int:
        """The state after these moves, or the verdict of the last; an illegal move or one after the end is refused."""
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
        position = self.positions[state].tolist()
        if self.book is not None:
            return self.book.words(position)
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in zip(self.fields, position, strict=True))

    def name_of(self, action: int) -> str:
        """What a player calls the move of an action."""
        move = int(self.moves[action])
        return str(move) if self.book is None else self.book.name_of(move)


def compile_rulebook(book: RuleBook, *, max_states: int | None = None, engine: str | None = None) -> GameGraph:
    """The arrays of a rule book. Both engines, "ints" and "columns", give the same; large games are left to columns.

    A game of more than `max_states` states is refused: of more than 20 million, or 200,000 where only ints will do.
    """
    if book.arrays is not None:
        return book.arrays
    sizes = list(book.fields().values())
    if not sizes or min(sizes) < 1:
        raise Mistake(f"{book.name}: fields() is {dict(book.fields())}; it takes one or more, each of size 1 or more")
    if len(book.moves()) > MOST_MOVES:
        raise too_many(book, MOST_MOVES, "moves")
    moves = list(book.moves())
    if not moves or moves != sorted(set(moves)):
        raise Mistake(f"{book.name}: moves() must be distinct numbers in ascending order, not {moves[:12]}")
    if engine is None:
        states, combinations = max_states or MAX_STATES, prod(sizes)
        small = combinations * len(moves) <= SMALL
        wide = combinations > max(4 * states, WIDE)
        heavy = combinations * len(moves) > 4 * PAIRS_PER_STATE * max(states, WIDE)
        try:
            return compile_rulebook(book, max_states=max_states, engine="ints" if small or wide or heavy else "columns")
        except NotOnColumns:
            engine = "ints"  # slow beats refused; check_rulebook says so
    if engine not in ("ints", "columns"):
        raise Mistake(f"{book.name}: no engine {engine!r} (there is: ints, columns)")
    if engine == "ints":
        states = max_states or MAX_STATES_ON_INTS
        positions, next_state = explore(book, states, PAIRS_PER_STATE * max(states, MAX_STATES_ON_INTS))
    else:
        positions, next_state = sweep(book, max_states or MAX_STATES)
    graph = GameGraph(book.name, book.parameters, dict(book.fields()), positions, np.array(moves), next_state, book)
    _spot_check(book, graph)
    return graph


_graphs: WeakValueDictionary[RuleBook, GameGraph] = WeakValueDictionary()
_latest: list[GameGraph] = []  # one that is kept though nobody holds it: runs of one game follow each other


def shared_graph(book: RuleBook, shape: Sequence[int] | None = None) -> GameGraph:
    """The arrays of a rule book, compiled once for all who hold them at the same time.

    `shape` is that of a table [S, A] which claims to be of this game: a larger game is refused before the work.
    """
    graph = _graphs.get(book)
    if graph is None:
        if shape is not None and (len(shape) != 2 or shape[0] < 1 or shape[1] != len(book.moves())):
            raise Mistake(f"{book.name}: its tables have {len(book.moves())} columns, so none is of shape {shape}")
        graph = _graphs[book] = compile_rulebook(book, max_states=None if shape is None else min(shape[0], MAX_STATES))
    _latest[:] = [graph]
    return graph


def playable_graph(book: RuleBook) -> GameGraph:
    """The shared arrays of a rule book that has a first move."""
    graph = shared_graph(book)
    if not graph.legal[0].any():
        raise Mistake(f"{book.name}: the first player has no legal move; take other parameters")
    return graph


def _spot_check(book: RuleBook, graph: GameGraph) -> None:
    """A few states played on ints: columns that differ, or a rule that changes its mind, do not get past this."""
    for state in np.unique(np.linspace(0, graph.num_states - 1, 50).astype(np.int64)).tolist():
        position = tuple(graph.positions[state].tolist())
        for move, after in zip(graph.moves.tolist(), graph.next_state[state].tolist(), strict=True):
            outcome = outcome_of(book, move, position)
            there = Verdict(after) if after < 0 else tuple(graph.positions[after].tolist())
            if outcome != there:
                raise impure(book, move, position, there, outcome)
