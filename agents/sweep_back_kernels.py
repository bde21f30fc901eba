"""The inner loops of the learner near the limit, compiled by numba. Import this module only where a learner is made."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.tabular_kernels import LOSES, WINS, below, compiled, inlined, record_value

# What `place` holds: where the game stands (-1: none), its plies, how many moves are remembered and have been swept.
STATE, PLY, REMEMBERED, SWEPT = 0, 1, 2, 3


@compiled
def explore(
    q: Any,  # [S, A]
    best: Any,  # [S]
    far: Any,  # [S]: plies to the nearest move that was never tried; 0 where there is one
    untried: Any,  # [S]: how many legal moves were never tried there
    tried: Any,  # [S, A]
    memory: Any,  # [S x A, 2]: the moves that were tried, state and action, the oldest first
    place: Any,  # [4]: STATE, PLY, REMEMBERED, SWEPT
    generator: Any,  # [1]
    next_state: Any,  # [S, A]
    legal_count: Any,  # [S]
    legal_action: Any,  # [S, A]: the legal actions first
    discount: Any,
    max_plies: Any,
    plies: Any,
) -> None:
    """Play games from the opening towards what was never tried; after each, sweep what is remembered backward."""
    state, ply, remembered = place[STATE], place[PLY], place[REMEMBERED]
    for _ in range(plies):
        if state < 0:
            state, ply = np.int64(0), np.int64(0)
        action = _choose(best, far, untried, tried, generator, next_state, legal_count, legal_action, state)
        if not tried[state, action]:
            tried[state, action] = True
            untried[state] -= 1
            memory[remembered, 0], memory[remembered, 1] = state, action
            remembered += 1
        after = next_state[state, action]
        ply += 1
        state = np.int64(after) if after >= 0 and legal_count[after] > 0 and ply < max_plies else np.int64(-1)
        if state < 0 and remembered > place[SWEPT]:
            place[SWEPT] = remembered
            _sweep_values(q, best, memory, remembered, next_state, legal_count, legal_action, discount)
            _sweep_distances(far, untried, memory, remembered, next_state, legal_count)
    place[STATE], place[PLY], place[REMEMBERED] = state, ply, remembered


@inlined
def _choose(
    best: Any,
    far: Any,
    untried: Any,
    tried: Any,
    generator: Any,
    next_state: Any,
    legal_count: Any,
    legal_action: Any,
    state: Any,
) -> Any:
    """A move never tried, if there is one; else one towards the nearest of them; else the best."""
    action = best[state]
    if untried[state] > 0:
        skip = below(generator, untried[state])
        for k in range(legal_count[state]):
            if not tried[state, legal_action[state, k]]:
                if skip == 0:
                    action = legal_action[state, k]
                skip -= 1
    else:
        nearest, equals = np.int64(len(far)), 0
        for k in range(legal_count[state]):
            after = next_state[state, legal_action[state, k]]
            if after >= 0 and legal_count[after] > 0 and far[after] <= nearest and far[after] < len(far):
                equals = equals + 1 if far[after] == nearest else 1
                nearest = far[after]
                if below(generator, equals) == 0:  # each of several alike
                    action = legal_action[state, k]
    return action


@inlined
def _sweep_values(
    q: Any, best: Any, memory: Any, remembered: Any, next_state: Any, legal_count: Any, legal_action: Any, discount: Any
) -> None:
    """Q-learning updates with a step size of 1 over all that is remembered, the newest first, until none changes."""
    for _ in range(len(q)):  # a value comes from at most so many plies away
        changed = False
        for m in range(remembered - 1, -1, -1):
            state, action = memory[m, 0], memory[m, 1]
            after = next_state[state, action]
            value = 1.0 if after == WINS else -1.0 if after == LOSES else 0.0
            if after >= 0:
                value = -discount * q[after, best[after]] if legal_count[after] > 0 else 1.0
            if value != q[state, action]:
                changed = True
                record_value(q, best, legal_count, legal_action, state, action, value)
        if not changed:
            break


@inlined
def _sweep_distances(far: Any, untried: Any, memory: Any, remembered: Any, next_state: Any, legal_count: Any) -> None:
    """far, from the moves that are remembered; as many as there are states means: nothing is left to try from here."""
    for m in range(remembered):
        state = memory[m, 0]
        far[state] = 0 if untried[state] > 0 else len(far)
    changed = True
    while changed:
        changed = False
        for m in range(remembered - 1, -1, -1):
            state = memory[m, 0]
            after = next_state[state, memory[m, 1]]
            if after >= 0 and legal_count[after] > 0 and far[after] + 1 < far[state]:
                far[state] = far[after] + 1
                changed = True
