"""A tabular learner near the limit: it goes to the nearest move that it never tried, and sweeps what it saw backward.

Whoever learns from play alone has to try every legal move of every position once: no learner without a model of the
rules can be sure of less. This one plays games from the opening only, and knows of the rules what a player is told:
what is legal here, where a move led, and who won.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.learner import State
from agents.settings import SweepBackSettings
from agents.tabular import Table
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
        for name in self.kept:
            getattr(self, name)[:] = state[name]
