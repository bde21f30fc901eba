"""Random game graphs and policies: cycles, self-loops, dead ends, draws, and ends that are far away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from games import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, GameGraph, Policy
from solver.chain import Chain

ENDINGS = [MOVER_WINS, *[MOVER_LOSES] * 8, DRAW]


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


def long_walk(rng: np.random.Generator, states: int, endings: Sequence[int] = ENDINGS) -> GameGraph:
    """A ring of states, all in one strong component: a step on, a step back, a leap, or an end."""
    numbers = np.arange(states)
    ends = rng.choice(endings, states)
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


CHANCES = [
    1.0,
    0.5,
    0.25,
    0.3,
    1e-3,
    2.0**-10,
    2.0**-20,
    1e-9,
    1e-13,
    2.0**-40,
    2.0**-53,
    1e-20,
    1e-100,
    1e-300,
    5e-324,
]


def cruel_policy(rng: np.random.Generator, graph: GameGraph) -> Policy:
    """Weights from 1 to the smallest float there is: what floats lose beside a 1 may decide."""
    kind = rng.integers(4)
    few = rng.choice(CHANCES, 3)
    table = np.zeros(graph.next_state.shape)
    for s, legal in enumerate(graph.legal):
        moves = np.flatnonzero(legal)
        rng.shuffle(moves)
        for place, action in enumerate(moves[: int(rng.integers(1, 1 + max(len(moves), 1)))].tolist()):
            table[s, action] = 1.0 if place == 0 else rng.choice(CHANCES[1:] if kind == 0 else few)
            if kind == 3:  # a near tie
                table[s, action] *= 1.0 + rng.integers(-2, 3) * 2.0**-52
    return Policy(graph, table / np.maximum(table.sum(axis=1, keepdims=True), 1e-300))


def rung_ladder(rungs: int, chance: float, quitting: float = 0.0, risk: float = 0.0) -> tuple[GameGraph, Policy]:
    """Up a rung with a small chance, else down to the ground; at the top the responder wins. It may also quit.

    State 2 i: the responder on rung i climbs (to 2 i + 1) or quits (to the last state). State 2 i + 1: the policy lets
    it climb, throws it down or, at that risk, ends the game with a win. Quitting is worth what is said.
    """
    last = 2 * rungs
    rows, table = [], []
    for i in range(rungs):
        rows += [[2 * i + 1, last, -1], [2 * i + 2 if i + 1 < rungs else -3, 0, -2]]
        table += [[1.0, 0.0, 0.0], [chance, 1 - chance - risk, risk]]
    graph = graph_of([*rows, [-3, -2, -1]])
    return graph, Policy(graph, [*table, [(1 + quitting) / 2, (1 - quitting) / 2, 0.0]])


def endless_graph(rng: np.random.Generator, most_states: int = 12, most_actions: int = 4) -> GameGraph:
    """Ends are rare, and play comes back from nearly everywhere."""
    states, actions = int(rng.integers(2, most_states + 1)), int(rng.integers(2, most_actions + 1))
    next_state = rng.integers(0, states, (states, actions))
    if rng.random() < 0.5:  # in circles
        next_state = (np.arange(states)[:, None] + rng.integers(-1, 3, (states, actions))) % states
    verdicts = rng.choice([ILLEGAL, MOVER_WINS, MOVER_LOSES, DRAW], (states, actions), p=[0.2, 0.35, 0.35, 0.1])
    return graph_of(
        np.where(rng.random((states, actions)) < rng.choice([0.1, 0.2, 0.3]), verdicts, next_state).tolist()
    )


def slips_in_a_row(rungs: int, waiting: int) -> GameGraph:
    """Up a rung at each slip of the other side, which throws down to the ground otherwise; at the top the climber wins.

    State 2 i: climb, or what waiting leads to. State 2 i + 1: let it climb, or throw it down.
    """
    rows = []
    for i in range(rungs):
        rows += [[2 * i + 1, waiting], [2 * i + 2 if i + 1 < rungs else MOVER_LOSES, 0]]
    return graph_of(rows)
