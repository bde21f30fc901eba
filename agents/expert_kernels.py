"""PUCT compiled by numba: one search per state, over what a network has said of all states beforehand."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from agents.tabular_kernels import LOSES, WINS
from solver.compiled import compiled


@compiled
def search_states(
    roots: Any,  # [K]: the states to search from
    prior: Any,  # [S, A]: the network's probabilities of legal moves
    value: Any,  # [S]: what the network says a state is worth to its mover
    next_state: Any,  # [S, A]
    legal_count: Any,  # [S]
    legal_action: Any,  # [S, A]: the legal actions first
    simulations: Any,
    exploration: Any,
    noise: Any,  # the share of uniform play mixed into the prior at the root
    discount: Any,
    tried: Any,  # [K, A]: written: how often each search tried each move
    worth: Any,  # [K]: written: the mean outcome of the move tried most
) -> None:
    """All paths to a state within one search share its statistics; the next search starts from nothing.

    A line of play that comes back to a state is endless, and worth 0.
    """
    states, actions = next_state.shape
    visits = np.zeros((states, actions), dtype=np.int64)
    total = np.zeros(states, dtype=np.int64)  # visits of a state; a state with none is not in the tree yet
    gained = np.zeros((states, actions))  # sum of outcomes, for the mover there
    path = np.zeros((states, 2), dtype=np.int64)
    passed = np.full(states, -1, dtype=np.int64)  # the last simulation that came through a state
    touched = np.zeros(simulations + 1, dtype=np.int64)
    for r in range(len(roots)):
        root = roots[r]
        touched[0], count = root, 1
        for simulation in range(r * simulations, (r + 1) * simulations):
            state, depth, outcome = np.int64(root), 0, 0.0
            while passed[state] != simulation:  # down the tree to its edge, or to the end of the game
                passed[state] = simulation
                if total[state] == 0 and state != root:  # a leaf: the network says what it is worth to the one to move
                    outcome = -discount * value[state]
                    total[state] = 1
                    touched[count] = state
                    count += 1
                    break
                top, action = -np.inf, np.int64(0)
                spread = exploration * sqrt(max(total[state], 1))
                for k in range(legal_count[state]):
                    a = legal_action[state, k]
                    n = visits[state, a]
                    p = prior[state, a]
                    if state == root:
                        p = (1.0 - noise) * p + noise / legal_count[state]
                    score = (gained[state, a] / n if n > 0 else 0.0) + spread * p / (1 + n)
                    if score > top:
                        top, action = score, a
                path[depth, 0], path[depth, 1] = state, action
                depth += 1
                after = next_state[state, action]
                if after < 0 or legal_count[after] == 0:
                    outcome = 0.0 if after < 0 and after != WINS and after != LOSES else -1.0 if after == LOSES else 1.0
                    break
                state = np.int64(after)
            for k in range(depth - 1, -1, -1):  # told for the last mover on the path, then for the one before
                state, action = path[k, 0], path[k, 1]
                gained[state, action] += outcome
                visits[state, action] += 1
                total[state] += 1
                outcome *= -discount
        most = legal_action[root, 0]
        for k in range(legal_count[root]):
            a = legal_action[root, k]
            tried[r, a] = visits[root, a]
            if visits[root, a] > visits[root, most]:
                most = a
        worth[r] = gained[root, most] / max(visits[root, most], 1)
        for k in range(count):
            visits[touched[k]] = 0
            gained[touched[k]] = 0.0
            total[touched[k]] = 0
