"""The inner loops of the learner that traces values back, compiled by numba. Import only where a learner is made."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.tabular_kernels import LOSES, WINS, below, compiled, inlined, record_value

STATE, PLY, TRIED = (
    0,
    1,
    2,
)  # what `place` holds: where the game stands (-1: none), its plies, how many moves were tried


@compiled
def explore(
    table: Any,  # q [S, A], best [S]
    known: Any,  # tried [S, A], open [S], untried [S], far [S]; see TraceBackLearner
    links: Any,  # first [S], next [S x A]: the tried moves that lead to a state, as a list of state x A + action
    work: Any,  # queue [S], queued [S]: states whose value has changed
    place: Any,  # [3]
    generator: Any,  # [1]
    rules: Any,  # next_state [S, A], legal_count [S], legal_action [S, A]: the legal actions first
    discount: Any,
    max_plies: Any,
    plies: Any,
) -> None:
    """Play games from the opening to where something is left to try, and trace each new value back at once."""
    best = table[1]
    tried = known[0]
    next_state, legal_count, legal_action = rules
    state, ply = place[STATE], place[PLY]
    for _ in range(plies):
        if state < 0:
            state, ply = np.int64(0), np.int64(0)
        action = _choose(best, known, generator, next_state, legal_count, legal_action, state)
        if not tried[state, action]:
            place[TRIED] += 1
            learn(table, known, links, work, rules, discount, state, action)
        after = next_state[state, action]
        ply += 1
        state = np.int64(after) if after >= 0 and legal_count[after] > 0 and ply < max_plies else np.int64(-1)
    place[STATE], place[PLY] = state, ply


@compiled
def remember(table: Any, known: Any, links: Any, work: Any, rules: Any, discount: Any, wanted: Any) -> None:
    """Learn all moves that are `wanted` [S, A], the last states first: what was known when they had been tried."""
    for state in range(len(wanted) - 1, -1, -1):
        for action in range(wanted.shape[1]):
            if wanted[state, action]:
                learn(table, known, links, work, rules, discount, state, action)


@compiled
def learn(table: Any, known: Any, links: Any, work: Any, rules: Any, discount: Any, state: Any, action: Any) -> None:
    """What a move that was tried for the first time says of its state, and of all that lead there."""
    q, best = table
    tried, open_moves, untried, _ = known
    first, following = links
    queue, queued = work
    next_state, legal_count, legal_action = rules
    actions, room = q.shape[1], len(queue)
    tried[state, action] = True
    untried[state] -= 1
    after = next_state[state, action]
    goes_on = after >= 0 and legal_count[after] > 0
    if goes_on:
        following[state * actions + action] = first[after]
        first[after] = state * actions + action
    begin, count = 0, 0
    if _back_up(q, best, next_state, legal_count, legal_action, discount, state, action):
        queue[0], queued[state], count = state, True, 1
    while count > 0:  # the oldest first, so that a value seldom changes twice
        now = queue[begin]
        queued[now] = False
        begin, count = (begin + 1) % room, count - 1
        pair = first[now]
        while pair >= 0:
            before = pair // actions
            changed = _back_up(
                q, best, next_state, legal_count, legal_action, discount, before, pair - before * actions
            )
            if changed and not queued[before]:
                queue[(begin + count) % room], queued[before], count = before, True, count + 1
            pair = following[pair]
    if goes_on and open_moves[after] > 0:
        return
    open_moves[state] -= 1  # nothing is left to try behind this move
    if open_moves[state] == 0:
        queue[0], count = state, 1
    while count > 0:
        count -= 1
        pair = first[queue[count]]
        while pair >= 0:
            before = pair // actions
            open_moves[before] -= 1
            if open_moves[before] == 0:
                queue[count] = before
                count += 1
            pair = following[pair]


@inlined
def _choose(
    best: Any, known: Any, generator: Any, next_state: Any, legal_count: Any, legal_action: Any, state: Any
) -> Any:
    """A move never tried, if there is one; else one towards the nearest of them; else the best.

    How far that is, is looked up one move ahead and written down, and so becomes true where games come by often.
    """
    tried, open_moves, untried, far = known
    action = best[state]
    if untried[state] > 0:
        skip = below(generator, untried[state])
        for k in range(legal_count[state]):
            if not tried[state, legal_action[state, k]]:
                if skip == 0:
                    action = legal_action[state, k]
                skip -= 1
    elif open_moves[state] > 0:
        nearest, equals = np.int64(len(far)), 0
        for k in range(legal_count[state]):
            after = next_state[state, legal_action[state, k]]
            if after >= 0 and open_moves[after] > 0 and far[after] <= nearest:
                equals = equals + 1 if far[after] == nearest else 1
                nearest = far[after]
                if below(generator, equals) == 0:  # each of several alike
                    action = legal_action[state, k]
        far[state] = min(nearest + 1, len(far))
    return action


@inlined
def _back_up(
    q: Any, best: Any, next_state: Any, legal_count: Any, legal_action: Any, discount: Any, state: Any, action: Any
) -> Any:
    """Whether the value of the state has changed with that of this move."""
    after = next_state[state, action]
    value = 1.0 if after == WINS else -1.0 if after == LOSES else 0.0
    if after >= 0:
        value = -discount * q[after, best[after]] if legal_count[after] > 0 else 1.0
    old = q[state, best[state]]
    if value != q[state, action]:
        record_value(q, best, legal_count, legal_action, state, action, value)
    return q[state, best[state]] != old
