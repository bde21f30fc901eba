"""Learners with a table of values: Q-learning, SARSA and Monte Carlo by self-play, and value iteration beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.learner import MOST_STEPS, Learner, State, within
from agents.settings import TabularSettings, ValueIterationSettings
from games import GameGraph, Mistake, Policy


class Table(Learner):
    """Values [S, A] from the mover's side, all 0 at first, and the legal moves as lists."""

    def __init__(self, graph: GameGraph) -> None:
        if not graph.legal[0].any():
            raise Mistake(f"{graph.game}: the start has no legal move, so there is nothing to learn")
        self.graph = graph
        self.q = np.zeros(graph.next_state.shape)  # [S, A]
        self.legal_count, self.legal_action = graph.legal_actions
        self.best = self.legal_action[:, 0].copy()  # [S]: the greedy action
        self.done = 0

    def policy(self) -> Policy:
        return Policy.greedy(self.graph, self.q)

    def state(self) -> State:
        return {"q": self.q.copy(), "done": self.done}

    def restore(self, state: Mapping[str, Any]) -> None:
        from agents.tabular_kernels import best_actions

        self.q[:] = state["q"]
        self.done = int(within(state, "done", 0, MOST_STEPS))
        best_actions(self.q, self.legal_count, self.legal_action, self.best)


class _Player(Table):
    """A table that learns by playing; `generator` and `place` are all that it remembers of the game in play."""

    def __init__(self, settings: TabularSettings, graph: GameGraph, seed: int) -> None:
        super().__init__(graph)
        self.generator = np.random.SeedSequence(seed).generate_state(1, np.uint64)  # [1]
        self.place = np.array([-1, 0, -1])  # [3]: state, plies, a move already chosen
        self.starts = np.flatnonzero(self.legal_count) if settings.exploring_starts else np.zeros(1, dtype=np.int64)
        self.opponent = _running_sums(graph, settings.opponent)  # [S, A], or [0, 0] for self-play
        per_step = 1 / max(settings.steps - 1, 1)
        self.schedule = np.array(  # [4]: epsilon and step size, at the first update and what each update adds
            [
                settings.epsilon,
                (settings.epsilon_end - settings.epsilon) * per_step,
                settings.step_size,
                (settings.step_size_end - settings.step_size) * per_step,
            ]
        )
        self.discount = settings.discount
        self.longest = graph.longest(settings.max_plies)  # moves of the longest game

    def state(self) -> State:
        return super().state() | {"generator": self.generator.copy(), "place": self.place.copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        super().restore(state)
        self.generator[:] = state["generator"]
        place, ply, chosen = within(state, "place", -1, max(self.graph.next_state.size, self.longest)).tolist()
        stands = 0 <= place < len(self.q) and self.legal_count[place] > 0 and 0 <= ply < self.longest
        can_choose = chosen == -1 or (
            0 <= chosen < self.graph.num_actions and (place < 0 or self.graph.legal[place, chosen])
        )
        if not (place == -1 or stands) or not can_choose:
            raise Mistake(f"place holds {place}, {ply}, {chosen}, which is no place in a game of {self.graph.game}")
        self.place[:] = place, ply, chosen

    def _game(self, steps: int) -> Any:
        graph = self.graph.next_state, self.legal_count, self.legal_action
        return *graph, self.starts, self.opponent, self.schedule, self.discount, self.longest, self.done, steps


class _OnlineLearner(_Player):
    rule = -1

    def advance(self, steps: int) -> int:
        from agents.tabular_kernels import learn_online

        learn_online(self.rule, self.q, self.best, self.place, self.generator, *self._game(steps))
        self.done += steps
        return steps


class QLearner(_OnlineLearner):
    """Watkins' Q-learning with the negamax target: minus the best value of the position moved to.

    With a step size of 1, zeros to begin with and a discount of at most 1, a value above 0 is a proof of a win and one
    below 0 a proof of a loss (each rests on such values further on), whatever is tried: so what self-play learns stays.
    """

    rule = 0


class SarsaLearner(_OnlineLearner):
    """On-policy: minus the value of the answer that is actually played next."""

    rule = 1


class MonteCarloLearner(_Player):
    """On-policy and without bootstrap: values move towards the outcomes of whole games."""

    def __init__(self, settings: TabularSettings, graph: GameGraph, seed: int) -> None:
        super().__init__(settings, graph, seed)
        self.path = np.zeros((self.longest, 2), dtype=np.int64)  # [longest game, 2]: the game in play
        self.factors = np.zeros(self.longest)  # [longest game]

    def advance(self, steps: int) -> int:
        from agents.tabular_kernels import learn_from_games

        learn_from_games(self.q, self.best, self.place, self.generator, self.path, self.factors, *self._game(steps))
        self.done += steps
        return steps

    def state(self) -> State:
        return super().state() | {"path": self.path.copy(), "factors": self.factors.copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        super().restore(state)
        self.path[:] = within(state, "path", 0, self.q.size)
        if (self.path >= (self.graph.num_states, self.graph.num_actions)).any():
            raise Mistake("path leads through positions or moves that there are not")
        self.factors[:] = state["factors"]


class ValueIterationPlanner(Table):
    """Bellman backups of every (state, action) pair in turn: what planning needs where learning has to find its way."""

    def __init__(self, settings: ValueIterationSettings, graph: GameGraph, seed: int) -> None:
        super().__init__(graph)
        self.discount = settings.discount
        self.pair = 0

    def advance(self, steps: int) -> int:
        from agents.tabular_kernels import back_up

        table = self.q, self.best, self.graph.next_state, self.legal_count, self.legal_action
        self.pair = int(back_up(*table, self.discount, self.pair, steps))
        self.done += steps
        return steps

    def state(self) -> State:
        return super().state() | {"pair": self.pair}

    def restore(self, state: Mapping[str, Any]) -> None:
        super().restore(state)
        self.pair = int(within(state, "pair", 0, self.q.size - 1))


def _running_sums(graph: GameGraph, opponent: str) -> NDArray[np.float64]:
    if opponent == "self":
        return np.zeros((0, 0))
    from agents.players import seated

    return seated(opponent, graph).probability.cumsum(axis=1)
