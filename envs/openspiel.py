"""Our games as OpenSpiel's: `load("number-flip", target=20)` is a pyspiel game for its algorithms; and the way back.

    game = load("fifty-wins", target=12)
    policy = policy_from(game, some_openspiel_policy)       # or bot_policy(game, some_bot)
    print(scorecard(policy.graph, policy))

A game with a cycle is cut off as a draw after `max_plies` moves. OpenSpiel is an extra: `pip install open_spiel`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games.find import make_rulebook
from games.graph import GameGraph, playable_graph
from games.observation import observe
from games.policy import Policy
from games.rulebook import Verdict

NAME = "python_perfect_play"
DEFAULT_PLIES = 100  # of a game that may never end
MISSING = "openspiel: OpenSpiel is not installed; pip install open_spiel"


class Arrays:
    """What all states of a game share. A copy of a state does not copy it."""

    def __init__(self, graph: GameGraph, max_plies: int) -> None:
        self.graph, self.max_plies = graph, max_plies
        self.outcome: list[list[int]] = graph.outcome.tolist()
        self.legal = [np.flatnonzero(row).tolist() for row in graph.legal]
        self.seen = np.asarray(observe(graph), dtype=np.float32)

    def __deepcopy__(self, memo: object) -> Arrays:
        return self


def load(name: str, *, max_plies: int | None = None, **parameters: Any) -> Any:
    """A pyspiel game of that name or path: of a rule book, a file of one, or a game file."""
    pyspiel = _registered()
    told: dict[str, Any] = {"env": name, "parameters": json.dumps(parameters, sort_keys=True)}
    return pyspiel.load_game(NAME, told | ({} if max_plies is None else {"max_plies": max_plies}))


def policy_from(game: Any, policy: Any) -> Policy:
    """A policy of OpenSpiel, for a game of `load`, as one that is judged here."""

    def chosen(state: Any) -> dict[int, float]:
        return dict(policy.action_probabilities(state))

    return _policy(game, chosen)


def bot_policy(game: Any, bot: Any) -> Policy:
    """A bot of OpenSpiel, asked once in each position, as a policy that is judged here."""

    def chosen(state: Any) -> dict[int, float]:
        bot.restart_at(state)
        return {int(bot.step(state)): 1.0}

    return _policy(game, chosen)


def graph_of(game: Any) -> GameGraph:
    """The arrays of a game of `load`."""
    arrays = getattr(game, "arrays", None)
    if arrays is None:
        raise Mistake(
            "openspiel: this game was not made by envs.openspiel.load; load it so, and make its policy for that"
        )
    graph: GameGraph = arrays.graph
    return graph


def _policy(game: Any, chosen: Callable[[Any], dict[int, float]]) -> Policy:
    """The table of a policy that is asked in a state of OpenSpiel for each of our positions."""
    graph = graph_of(game)
    table = np.zeros(graph.next_state.shape)
    for state, line in enumerate(_lines(graph)):
        if not graph.legal[state].any():
            continue
        there = game.new_initial_state()
        for action in line:
            there.apply_action(action)
        if there.is_terminal():
            raise Mistake(f"{graph.game}: max_plies cuts off its position {graph.words(state)}; load it with more")
        for action, probability in chosen(there).items():
            table[state, action] = probability
    return Policy(graph, table)


def _lines(graph: GameGraph) -> list[list[int]]:
    """[S]: a shortest line of actions to each position."""
    lines: list[list[int] | None] = [None] * graph.num_states
    lines[0] = []
    waiting = [0]
    for state in waiting:
        line = lines[state]
        assert line is not None
        for action, after in enumerate(graph.next_state[state].tolist()):
            if after >= 0 and lines[after] is None:
                lines[after] = [*line, action]
                waiting.append(after)
    return [line if line is not None else [] for line in lines]


@lru_cache(maxsize=16)
def _arrays(env: str, parameters: str, max_plies: int) -> Arrays:
    graph = playable_graph(make_rulebook(env, **json.loads(parameters)))
    return Arrays(graph, max_plies if max_plies > 0 else DEFAULT_PLIES if graph.has_cycle else graph.num_states)


@lru_cache(maxsize=1)
def _registered() -> Any:
    """pyspiel, which knows our games from now on."""
    try:
        import pyspiel
    except ImportError:
        raise Mistake(MISSING) from None
    kind = pyspiel.GameType(
        short_name=NAME,
        long_name="A game of Perfect Play",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"env": "", "parameters": "{}", "max_plies": 0},
        default_loadable=False,
    )

    class Game(pyspiel.Game):  # type: ignore[misc]
        """A rule book or game file."""

        def __init__(self, params: Any = None) -> None:
            told = dict(params or {})
            self.arrays = _arrays(told.get("env", ""), told.get("parameters", "{}"), int(told.get("max_plies", 0)))
            info = pyspiel.GameInfo(
                num_distinct_actions=self.arrays.graph.num_actions,
                max_chance_outcomes=0,
                num_players=2,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0,
                max_game_length=self.arrays.max_plies,
            )
            super().__init__(kind, info, told)

        def new_initial_state(self) -> Any:
            return State(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            return Observer(self.arrays)

    class State(pyspiel.State):  # type: ignore[misc]
        """A position, who is to move in it, and how the game has ended."""

        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.arrays: Arrays = game.arrays
            self.position, self.seat, self.plies = 0, 0, 0
            self.result: float | None = None  # for the first player

        def current_player(self) -> int:
            return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.seat

        def _legal_actions(self, player: int) -> list[int]:
            return list(self.arrays.legal[self.position])

        def _apply_action(self, action: int) -> None:
            after = self.arrays.outcome[self.position][action]
            self.plies += 1
            if after < 0:
                self.result = float(Verdict(after).worth) * (1.0 if self.seat == 0 else -1.0)
            else:
                self.position = after
                if self.plies >= self.arrays.max_plies:
                    self.result = 0.0
            self.seat = 1 - self.seat

        def _action_to_string(self, player: int, action: int) -> str:
            return self.arrays.graph.name_of(action)

        def is_terminal(self) -> bool:
            return self.result is not None

        def returns(self) -> list[float]:
            return [0.0, 0.0] if self.result is None else [self.result, 0.0 - self.result]

        def observation_string(self, player: int | None = None) -> str:
            return str(self)

        def information_state_string(self, player: int | None = None) -> str:
            return str(self)

        def __str__(self) -> str:
            where = self.arrays.graph.words(self.position)
            if self.result is None:
                return f"{where}; player {self.seat} to move"
            how = "a draw" if not self.result else f"player {0 if self.result > 0 else 1} has won"
            return f"{where}; after {self.plies} moves {how}"

    class Observer:
        """The one-hot view as OpenSpiel's observers give it."""

        def __init__(self, arrays: Arrays) -> None:
            self.arrays = arrays
            self.tensor: NDArray[np.float32] = np.zeros(arrays.seen.shape[1], dtype=np.float32)
            self.dict = {"observation": self.tensor}

        def set_from(self, state: Any, player: int) -> None:
            self.tensor[:] = self.arrays.seen[state.position]

        def string_from(self, state: Any, player: int) -> str:
            return str(state)

    pyspiel.register_game(kind, Game)
    return pyspiel
