"""UCT compiled by numba: one search per state. Import this module only where a search is made."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np

from agents.tabular_kernels import LOSES, WINS, below
from solver.compiled import compiled


@compiled
def search_every_state(
    next_state: Any,  # [S, A]
    legal_count: Any,  # [S]
    legal_action: Any,  # [S, A]: the legal actions first
    simulations: Any,
    exploration: Any,
    max_plies: Any,
    generator: Any,  # [1]
    roots: Any,  # the states to search
) -> Any:
    """visits [S, A]: how often the search rooted at each of these states tried each of its moves."""
    states, actions = next_state.shape
    answer = np.zeros((states, actions), dtype=np.int64)
    visits = np.zeros((states, actions), dtype=np.int64)
    total = np.zeros(states, dtype=np.int64)  # visits of a state; a state with none is not in the tree yet
    worth = np.zeros((states, actions))  # sum of outcomes, for the mover there
    path = np.zeros((max_plies, 2), dtype=np.int64)
    touched = np.zeros(simulations + max_plies + 1, dtype=np.int64)
    for root in roots:
        count = 0
        for _ in range(simulations if legal_count[root] > 0 else 0):
            state, depth, outcome, inside = np.int64(root), 0, 0.0, True
            while inside and depth < max_plies:  # down the tree, and one move out of it
                untried = 0
                for k in range(legal_count[state]):
                    untried += visits[state, legal_action[state, k]] == 0
                if untried > 0:
                    skip, action = below(generator, untried), np.int64(0)
                    for k in range(legal_count[state]):
                        action = legal_action[state, k]
                        if visits[state, action] == 0:
                            if skip == 0:
                                break
                            skip -= 1
                else:
                    top, action = -np.inf, np.int64(0)
                    for k in range(legal_count[state]):
                        a = legal_action[state, k]
                        n = visits[state, a]
                        score = worth[state, a] / n + exploration * sqrt(log(total[state]) / n)
                        if score > top:
                            top, action = score, a
                if total[state] == 0:
                    touched[count] = state
                    count += 1
                    inside = state == root  # the root is in the tree from the beginning
                path[depth, 0], path[depth, 1] = state, action
                depth += 1
                after = next_state[state, action]
                if after < 0 or legal_count[after] == 0:
                    outcome = 0.0 if after < 0 and after != WINS and after != LOSES else -1.0 if after == LOSES else 1.0
                    state = np.int64(-1)
                    break
                state = np.int64(after)
            ply, sign = depth, -1.0  # the outcome is told for the last mover on the path
            while state >= 0 and ply < max_plies:  # a random game to its end
                action = legal_action[state, below(generator, legal_count[state])]
                after = next_state[state, action]
                if after < 0 or legal_count[after] == 0:
                    mover = 0.0 if after < 0 and after != WINS and after != LOSES else -1.0 if after == LOSES else 1.0
                    outcome = sign * mover
                    break
                state, sign, ply = np.int64(after), -sign, ply + 1
            for k in range(depth - 1, -1, -1):
                worth[path[k, 0], path[k, 1]] += outcome
                visits[path[k, 0], path[k, 1]] += 1
                total[path[k, 0]] += 1
                outcome = -outcome
        answer[root] = visits[root]
        for k in range(count):
            visits[touched[k]] = 0
            worth[touched[k]] = 0.0
            total[touched[k]] = 0
    return answer
