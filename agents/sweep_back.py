"""A tabular learner near the limit: it goes to the nearest move that it never tried, and sweeps what it saw backward.

Whoever learns from play alone has to try every legal move of every position once: no learner without a model of the
rules can be sure of less. This one plays games from the opening only, and knows of the rules what a player is told:
what is legal here, where a move led, and who won.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.learner import State, within
from agents.settings import SweepBackSettings
from agents.tabular import Table
from base.mistake import Mistake
from games import GameGraph


class SweepBackLearner(Table):
    """Optimism about what was never tried says where to go; Q-learning over all that was seen says what it is worth."""

    kept = ("far", "untried", "tried", "memory", "place", "generator")  # beside the table of values

    def __init__(self, settings: SweepBackSettings, graph: GameGraph, seed: int) -> None:
        super().__init__(graph)
        self.far = np.zeros(graph.num_states, dtype=np.int64)  # [S]
        self.untried = self.legal_count.copy()  # [S]
        self.tried = np.zeros(graph.next_state.shape, dtype=np.bool_)  # [S, A]
        self.memory = np.zeros((int(self.legal_count.sum()), 2), dtype=np.int64)  # [legal pairs, 2]
        self.place = np.array([-1, 0, 0, 0])  # [4]: state, plies, how many moves are remembered, and have been swept
        self.generator = np.random.SeedSequence(seed).generate_state(1, np.uint64)  # [1]
        self.discount, self.longest = settings.discount, graph.longest(settings.max_plies)

    def advance(self, steps: int) -> int:
        from agents.sweep_back_kernels import explore

        explore(
            *(self.q, self.best, self.far, self.untried, self.tried, self.memory, self.place, self.generator),
            *(self.graph.next_state, self.legal_count, self.legal_action, self.discount, self.longest, steps),
        )
        self.done += steps
        return steps

    def state(self) -> State:
        return super().state() | {name: getattr(self, name).copy() for name in self.kept}

    def restore(self, state: Mapping[str, Any]) -> None:
        super().restore(state)
        self._look_at(state)
        for name in self.kept:
            getattr(self, name)[:] = state[name]

    def _look_at(self, state: Mapping[str, Any]) -> None:
        """Refuse what would be an index out of range, or a count that is not that of what was tried."""
        tried, memory = state["tried"], within(state, "memory", 0, self.q.size)
        place, ply, remembered, swept = state["place"].tolist()
        stands = 0 <= place < len(self.q) and self.legal_count[place] > 0 and 0 <= ply < self.longest
        if not (place == -1 or stands) or not 0 <= swept <= remembered <= len(memory):
            raise Mistake(f"place holds {place}, {ply}, {remembered}, {swept}, which is no place in a game")
        within(state, "far", 0, len(self.q))
        pairs = memory[:remembered]
        if (memory >= self.q.shape).any() or not tried[pairs[:, 0], pairs[:, 1]].all():
            raise Mistake("memory holds a move that was never tried")
        if (tried & ~self.graph.legal).any() or tried.sum() != remembered:
            raise Mistake("tried holds other moves than those that are remembered")
        if (state["untried"] != self.legal_count - tried.sum(axis=1)).any():
            raise Mistake("untried holds other counts than tried")
