"""A game as every env here plays it: the arrays, what is seen and allowed in each state, and how a move ends a game.

No rule stands here: a move does what the graph's arrays say.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from base.mistake import Mistake, need, unknown
from games.find import NoSuchParameter, make_rulebook
from games.graph import GameGraph, playable_graph
from games.observation import OWN, observe, views, width
from games.rulebook import DRAW, ILLEGAL, MOVER_WINS, RuleBook, Verdict

ILLEGAL_MOVES = ("forfeit", "retry")
RENDER_MODES = ["ansi", "human", "rgb_array"]
SEATS = ("first player", "second player")
MOST_MOVES = 100_000  # that a game may begin with
DEFAULT_PLIES = 100  # where play may never end
REWARD = {verdict: float(verdict.worth) for verdict in Verdict}  # to the player who moved
LARGEST_TABLE = 1 << 22  # numbers that a table of all observations may hold; above that each is made when asked for


@dataclass(frozen=True, eq=False)
class Core:
    """Immutable, so that copies of an env share it."""

    book: RuleBook
    graph: GameGraph
    view: str
    retry: bool  # whether an illegal move may be taken back
    max_plies: int | None
    outcome: NDArray[np.int32]  # [S, A]: graph.outcome
    table: NDArray[np.generic] | None  # [S, width]: all observations, or None where they are too many

    def __deepcopy__(self, memo: object) -> Core:
        return self

    def observation_space(self) -> spaces.Space[Any]:
        """What a player sees."""
        if self.view == "index":
            return spaces.Discrete(self.graph.num_states)
        if self.view == OWN:
            seen = observe(self.graph, OWN)
            return spaces.Box(float(seen.min()), float(seen.max()), seen.shape[1:], np.float32)
        return spaces.Box(0.0, 1.0, (width(self.graph, self.view),), np.float32)

    def action_space(self) -> spaces.Discrete:
        """What a player may say: action a is the move `graph.moves[a]`."""
        return spaces.Discrete(self.graph.num_actions)

    def observation(self, state: int) -> Any:
        """What a player sees in a state; a new array each time."""
        if self.view == "index":
            return np.int64(state)
        if self.table is None:
            return observe(self.graph, self.view, np.array([state]))[0]
        return self.table[state].copy()

    def mask(self, state: int, over: bool) -> NDArray[np.bool_]:
        """[A]: what the rules allow, all ones after the end; a new array. Every single env's mask is this."""
        return np.ones(self.graph.num_actions, dtype=np.bool_) if over else self.graph.legal[state].copy()

    def info(self, state: int, over: bool) -> dict[str, Any]:
        return {"state": np.int64(state), "action_mask": self.mask(state, over).astype(np.int8)}

    def action(self, given: Any) -> int:
        """The action as a number that the arrays take."""
        try:
            if isinstance(given, bool | np.bool_):
                raise TypeError
            action = operator.index(given)
        except TypeError:
            raise Mistake(f"{self.graph.game}: action {given!r} is not a whole number; {self._actions()}") from None
        if not 0 <= action < self.graph.num_actions:
            raise Mistake(f"{self.graph.game}: there is no action {action}; {self._actions()}")
        return action

    def opening(self, options: dict[str, Any] | None) -> tuple[int, list[int]]:
        """The state in which a game starts, and the moves that led there: `options={"moves": [...]}`."""
        if not isinstance(options, Mapping | None):
            raise Mistake(f"{self.graph.game}: options={options!r} is no dictionary; write {{'moves': [...]}}")
        given = (options or {}).get("moves", ())
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise Mistake(f"{self.graph.game}: options moves={given!r} is no list of moves; write {{'moves': [...]}}")
        moves = [move.item() if isinstance(move, np.integer) else move for move in islice(given, MOST_MOVES + 1)]
        if len(moves) > MOST_MOVES:
            raise Mistake(f"{self.graph.game}: more than {MOST_MOVES:,} moves in the options; no game starts there")
        state = self.graph.follow(moves)
        if state < 0 or not self.graph.legal[state].any():
            said = " ".join(map(str, moves))
            raise Mistake(f"{self.graph.game}: the game is over after '{said}'; leave out the last move")
        return state, moves

    def ending(self, state: int, action: int, mover: int) -> Ending:
        """How the game ended that this move ended."""
        verdict = Verdict(int(self.outcome[state, action]))
        return Ending(
            verdict, mover, int(self.graph.moves[action]), stuck=bool(self.graph.next_state[state, action] >= 0)
        )

    def _actions(self) -> str:
        return f"actions are 0 to {self.graph.num_actions - 1}"


@dataclass(frozen=True)
class Ending:
    """How a game ended, for people."""

    verdict: Verdict | None  # None: stopped by max_plies
    mover: int  # the seat of the player who moved last
    move: int
    stuck: bool = False  # whether the move left no legal move to the other player

    @property
    def winner(self) -> int | None:
        """The seat of the winner; None where nobody won."""
        if self.verdict in (None, DRAW):
            return None
        return self.mover if self.stuck or self.verdict == MOVER_WINS else 1 - self.mover

    def words(self, book: RuleBook, players: Sequence[str], moves: Sequence[int]) -> str:
        """Who won and why, after these moves; an illegal last one is not among them."""
        if self.verdict is None:
            return "stopped by max_plies, without a winner"
        if self.verdict == DRAW:
            return f"draw: {book.reason(self.verdict, moves)}"
        assert self.winner is not None
        wins = f"{players[self.winner]} wins"
        if self.stuck:
            return f"{wins}: {players[1 - self.winner]} has no legal move"
        if self.verdict == ILLEGAL:
            name = book.name_of(self.move)
            return f"{wins}: {players[self.mover]} said {name}, and {book.ending(self.verdict)}"
        return f"{wins}: {book.reason(self.verdict, moves)}"


def make_core(
    game: str | RuleBook, view: str, illegal_move: str, max_plies: int | str | None, parameters: dict[str, Any]
) -> Core:
    """The game of that name or rule book, with checked options; `max_plies="auto"` stops what may never end."""
    if isinstance(game, RuleBook):
        if parameters:
            what = f"{game.name}: {', '.join(parameters)}: a rule book has its parameters already"
            raise NoSuchParameter(f"{what}; pass them with a game's name ({_unexpected(parameters)})")
        book = game
    else:
        try:
            book = make_rulebook(game, **parameters)
        except NoSuchParameter as mistake:
            raise NoSuchParameter(f"{mistake} ({_unexpected(parameters)})") from None
        need(book.name, "illegal_move", illegal_move, ILLEGAL_MOVES)
    graph = playable_graph(book)
    need(book.name, "observation", view, views(graph))
    retry = illegal_move == "retry"
    if isinstance(max_plies, str) and max_plies == "auto":
        max_plies = DEFAULT_PLIES if retry or graph.has_cycle else None
    if max_plies is not None and (
        isinstance(max_plies, bool) or not isinstance(max_plies, int) or not 1 <= max_plies < 2**62
    ):
        raise Mistake(f"{book.name}: max_plies={max_plies!r} is not a whole number of 1 or more, nor None, nor 'auto'")
    return Core(book, graph, view, retry, max_plies, graph.outcome, _table(graph, view))


def _unexpected(parameters: dict[str, Any]) -> str:
    """As Python says it: TorchRL looks for these words."""
    return " or ".join(f"unexpected keyword argument {name!r}" for name in parameters)


def check_render_mode(book: RuleBook, render_mode: str | None) -> None:
    if render_mode is not None and not (isinstance(render_mode, str) and render_mode in RENDER_MODES):
        raise unknown(book.name, "render_mode", render_mode, RENDER_MODES)


def check_no_render_mode(book: RuleBook, render_mode: Any) -> None:
    if render_mode is not None:
        what = f"{book.name}: render_mode={render_mode!r}: many games are not shown"
        raise NoSuchParameter(f"{what}; leave it out, or make a single env")


@lru_cache(maxsize=8)
def _table(graph: GameGraph, view: str) -> NDArray[np.generic] | None:
    if graph.num_states * width(graph, view) > LARGEST_TABLE or view == "index":
        return None
    table = observe(graph, view)
    table.flags.writeable = False
    return table
