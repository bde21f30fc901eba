"""The game in which every intended move slips now and then: it breaks the ties that perfect play leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games.graph import GameGraph
from games.policy import Policy
from solver.chain import Chain
from solver.results import table

TOLERANCE = 1e-12

GUESS = 200  # sweeps before the exact part, where there are cycles


@dataclass(frozen=True, eq=False)
class Tremble:
    epsilon: float
    value: NDArray[np.float64]  # [S]: for the mover
    move_value: NDArray[np.float64]  # [S, A]: of a move that did not slip; NaN where illegal
    action: NDArray[np.int64]  # [S]: the best move, the lowest of several; 0 where there is none

    def policy(self, graph: GameGraph) -> Policy:
        """The reference: the best move everywhere."""
        return Policy.greedy(graph, np.arange(graph.num_actions) == self.action[:, None])

    def regret(self, graph: GameGraph, policy: Policy) -> float:
        """Mean, over states with a legal move, of the best minus the played value of the intended move."""
        return self.regret_of_table(table(graph, policy))

    def regret_of_table(self, probability: NDArray[np.float64]) -> float:
        legal = ~np.isnan(self.move_value)
        can_move = legal.any(axis=1)
        best = np.where(legal, self.move_value, -2.0).max(axis=1)
        played = (np.where(legal, self.move_value, 0.0) * probability).sum(axis=1)
        lost = (1.0 - self.epsilon) * np.maximum(best - played, 0.0)[can_move]
        return float(lost.mean()) if len(lost) else 0.0


def tremble(graph: GameGraph, epsilon: float = 0.05) -> Tremble:
    """The value when each intended move becomes a uniform legal one with probability epsilon; 0 where nothing ends.

    With cycles: strategy iteration (Hoffman and Karp 1966), each intention judged exactly against the best reply to it.
    """
    from solver import tremble_kernels as kernels

    if not 0.0 < epsilon <= 1.0:
        raise Mistake(f"tremble: epsilon {epsilon} is not a probability above 0; take 0.05, for example")
    if graph.ordered:
        value = kernels.sweeps(graph.next_state, epsilon, 1)
    else:
        guess = kernels.all_move_values(graph.next_state, kernels.sweeps(graph.next_state, epsilon, GUESS))
        action = np.repeat(_lowest_best(guess), 2)  # [2 S]: the intention of the first and of the second player
        while True:
            start, target, probability, ends, reward = kernels.chain(graph.next_state, epsilon, action)
            worth = Chain(start, target, probability, ends).backward(reward)
            if kernels.improve(graph.next_state, worth, action, 1, TOLERANCE):
                continue
            if not kernels.improve(graph.next_state, worth, action, 0, TOLERANCE):
                break
        value = worth[0::2].copy()
    move_value = kernels.all_move_values(graph.next_state, value)
    return Tremble(epsilon, value, move_value, _lowest_best(move_value))


def _lowest_best(move_value: NDArray[np.float64]) -> NDArray[np.int64]:
    known = np.where(np.isnan(move_value), -2.0, move_value)
    return np.asarray((known >= known.max(axis=1, keepdims=True) - TOLERANCE).argmax(axis=1))
