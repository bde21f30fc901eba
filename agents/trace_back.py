"""A tabular learner for large games: it goes where something is left to try, and traces every new value back at once.

It knows of the rules what a player is told, as sweep-back does, and learns the same from the same moves; but where that
one sweeps over all it remembers after every game, this one follows the moves that lead to a state whose value has
changed, so a whole game costs little more than trying each of its moves once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.learner import MOST_STEPS, State, within
from agents.settings import TraceBackSettings
from agents.tabular import Table
from base.mistake import Mistake
from games import GameGraph


class TraceBackLearner(Table):
    """Every move is tried once; Q-learning over all that was seen is always at its end."""

    def __init__(self, settings: TraceBackSettings, graph: GameGraph, seed: int) -> None:
        super().__init__(graph)
        states, pairs = graph.num_states, graph.next_state.size
        self.tried = np.zeros(graph.next_state.shape, dtype=np.bool_)  # [S, A]
        self.open = self.legal_count.copy()  # [S]: moves that were never tried, or behind which there are such
        self.untried = self.legal_count.copy()  # [S]: moves that were never tried
        self.far = np.zeros(states, dtype=np.int32)  # [S]: at least so many plies to the nearest move never tried
        self.links = np.full(states, -1), np.full(pairs, -1)  # [S], [S × A]: see the kernels
        self.work = np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.bool_)  # [S], [S]
        self.place = np.array([-1, 0, 0])  # [3]: state, plies, how many moves were tried
        self.generator = np.random.SeedSequence(seed).generate_state(1, np.uint64)  # [1]
        self.discount, self.longest = settings.discount, graph.longest(settings.max_plies)

    def advance(self, steps: int) -> int:
        from agents.trace_back_kernels import explore

        table, known = self._memory()
        explore(
            *(table, known, self.links, self.work, self.place, self.generator, self._rules()),
            *(self.discount, self.longest, steps),
        )
        self.done += steps
        return steps

    def state(self) -> State:
        """What was tried says what is known: the values follow from it."""
        tried = {"tried": np.packbits(self.tried), "place": self.place.copy(), "generator": self.generator.copy()}
        return tried | {"far": self.far.copy(), "done": self.done}

    def restore(self, state: Mapping[str, Any]) -> None:
        from agents.trace_back_kernels import remember

        tried = np.unpackbits(state["tried"], count=self.tried.size).reshape(self.tried.shape).astype(np.bool_)
        place, ply, count = state["place"].tolist()
        stands = 0 <= place < len(self.q) and self.legal_count[place] > 0 and 0 <= ply < self.longest
        if not (place == -1 or stands) or (tried & ~self.graph.legal).any() or tried.sum() != count:
            raise Mistake(f"place holds {place}, {ply}, {count}, which does not fit the moves that were tried")
        remember(*self._memory(), self.links, self.work, self._rules(), self.discount, tried)
        self.place[:], self.generator[:] = state["place"], state["generator"]
        self.far[:] = within(state, "far", 0, len(self.far))
        self.done = int(within(state, "done", 0, MOST_STEPS))

    def _memory(self) -> tuple[Any, Any]:
        return (self.q, self.best), (self.tried, self.open, self.untried, self.far)

    def _rules(self) -> tuple[Any, Any, Any]:
        return self.graph.next_state, self.legal_count, self.legal_action
