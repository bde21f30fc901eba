"""Random game graphs and policies: cycles, self-loops, dead ends, draws, and ends that are far away."""

from __future__ import annotations

import numpy as np
import pytest

from games import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, GameGraph, Policy
from solver.chain import Chain


def graph_of(rows: list[list[int]]) -> GameGraph:
    """A graph written down by hand."""
    next_state = np.array(rows, dtype=np.int32)
    states, actions = next_state.shape
    positions = np.arange(states, dtype=np.int32)[:, None]
    return GameGraph("random", {}, {"state": states}, positions, np.arange(actions), next_state)


def random_graph(rng: np.random.Generator, most_states: int = 40, most_actions: int = 4) -> GameGraph:
    states, actions = int(rng.integers(1, most_states + 1, 2).max()), int(rng.integers(1, most_actions + 1))
    if rng.random() < 0.3:  # anything leads anywhere, self-loops too
        next_state = rng.integers(0, states, (states, actions))
    else:  # mostly a little forward, so that ends are far
        next_state = np.arange(states)[:, None] + rng.integers(rng.choice([-1, 0, 1]), 4, (states, actions))
        next_state = np.where((next_state < 0) | (next_state >= states), MOVER_LOSES, next_state)
    verdicts = rng.choice([ILLEGAL, MOVER_WINS, MOVER_LOSES, DRAW], (states, actions), p=rng.dirichlet([4, 2, 2, 0.2]))
    next_state = np.where(rng.random((states, actions)) < rng.choice([0.05, 0.2, 0.4]), verdicts, next_state)
    return graph_of(next_state.tolist())


def random_policy(rng: np.random.Generator, graph: GameGraph, parts: int = 4) -> Policy:
    """Probabilities that are multiples of 1 / parts, which a float holds exactly if parts is a power of two."""
    table = np.zeros(graph.next_state.shape)
    for s, legal in enumerate(graph.legal):
        for action in rng.choice(np.flatnonzero(legal), parts) if legal.any() else []:
            table[s, action] += 1 / parts
    return Policy(graph, table)


def long_walk(rng: np.random.Generator, states: int) -> GameGraph:
    """A ring of states, all in one strong component: a step on, a step back, a leap, or an end."""
    numbers = np.arange(states)
    ends = rng.choice([MOVER_WINS, MOVER_LOSES, DRAW], states, p=[0.1, 0.8, 0.1])
    return graph_of(
        np.stack([(numbers + 1) % states, (numbers - 1) % states, (numbers + 5) % states, ends], 1).tolist()
    )


def calls_of_sparse(monkeypatch: pytest.MonkeyPatch) -> list[Chain]:
    """The chains that are solved by a sparse factorisation from now on."""
    seen: list[Chain] = []
    solved = Chain._sparse

    def spy(self: Chain, reward: np.ndarray) -> np.ndarray:
        seen.append(self)
        return solved(self, reward)

    monkeypatch.setattr(Chain, "_sparse", spy)
    return seen
