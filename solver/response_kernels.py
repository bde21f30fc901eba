"""Kernels of the best response to a fixed policy: a backward sweep, and the parts of policy iteration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.compiled import compiled
from solver.support import UNDECIDED as _UNDECIDED
from solver.support_kernels import NONE, STOP, Bools, Floats, Ints, Table, is_choice, worth_of
from solver.value_kernels import ILLEGAL

UNIT = 2.0**-53  # one rounding of a number up to 1
NOISE = 2.0**-50  # of values that come out of elimination: a gain below this share of them is not seen here
UNDECIDED = _UNDECIDED

Known = NDArray[np.int8]


@compiled
def reply(next_state: Table, policy: Floats, value: Floats, t: int, stuck: float) -> tuple[float, float, float, int]:
    """What the responder expects when the policy moves at t, the least and the most that may come, and of how many."""
    total, weight, least, most, count = 0.0, 0.0, np.inf, -np.inf, 0
    for b in range(next_state.shape[1]):
        if policy[t, b] > 0.0:
            u = next_state[t, b]
            gain = value[u] if u >= 0 else -float(worth_of(u))
            total += policy[t, b] * gain
            weight += policy[t, b]
            least, most = min(least, gain), max(most, gain)
            count += 1
    if count == 0:
        return stuck, stuck, stuck, 0
    return min(max(total / weight, least), most), least, most, count


@compiled
def sweep(next_state: Table, policy: Floats) -> tuple[Floats, Floats, Ints, Floats, Floats]:
    """Every move leads to a later state: value and reply of each are known when it is met; and how far off they may be.

    A mean of k numbers is off by its numbers' doubts and 2 k + 4 roundings: of products, sums, and the row's own sum.
    """
    states, actions = next_state.shape
    value, replies, action = np.zeros(states), np.zeros(states), np.empty(states, dtype=np.int64)
    doubt, reply_doubt = np.zeros(states), np.zeros(states)
    for s in range(states - 1, -1, -1):
        top, move, unsure, weight, total, alike = -2.0, NONE, 0.0, 0.0, 0.0, True
        count, worst, seen = 0, 0.0, 0.0
        for a in range(actions):
            t = next_state[s, a]
            if t == ILLEGAL:
                continue
            gain = replies[t] if t >= 0 else float(worth_of(t))
            if gain > top:
                top, move = gain, a
            if t >= 0:
                unsure = max(unsure, reply_doubt[t])
            p = policy[s, a]
            if p > 0.0:
                comes = value[t] if t >= 0 else -float(worth_of(t))
                alike = alike and (count == 0 or comes == seen)
                seen = comes
                total += p * comes
                weight += p
                count += 1
                if t >= 0:
                    worst = max(worst, doubt[t])
        value[s], action[s], doubt[s] = (top, move, unsure) if move >= 0 else (-1.0, NONE, 0.0)
        if count == 0:
            replies[s] = 1.0
        elif alike:
            replies[s], reply_doubt[s] = seen, worst
        else:
            replies[s] = min(max(total / weight, -1.0), 1.0)
            reply_doubt[s] = worst + (2 * count + 4) * UNIT
    return value, replies, action, doubt, reply_doubt


@compiled
def gamble(
    next_state: Table, policy: Floats, able: Bools, node: Ints, value: Floats, n: int, t: int
) -> tuple[float, float, float]:
    """Of a choice at node n: the mean of what may come other than n itself, its size, and the probability of that.

    Coming back to n changes nothing, so it is left out: a way out of 1e-20 a ply counts as what it leads to.
    """
    if t < 0 or not able[t]:
        worth = float(worth_of(t)) if t < 0 else 1.0
        return worth, abs(worth), 1.0
    total, size, leaves = 0.0, 0.0, 0.0
    for b in range(next_state.shape[1]):
        p = policy[t, b]
        if p > 0.0:
            u = next_state[t, b]
            if u < 0 or node[u] != n:
                gain = value[u] if u >= 0 else -float(worth_of(u))
                leaves += p
                total += p * gain
                size += p * abs(gain)
    if leaves == 0.0:  # an underflow; nothing can be said here
        return -2.0, 0.0, 1.0
    return total / leaves, size / leaves, leaves


@compiled
def improve(
    next_state: Table,
    policy: Floats,
    able: Bools,
    node: Ints,
    inside: Ints,
    around: Ints,
    known: Known,
    value: Floats,
    choice: Ints,
    bonus: float,
    noise: float,
    at_once: bool,
) -> int:
    """Switch to better choices; says how many. `at_once` also takes over the new value: value iteration."""
    states, actions = next_state.shape
    best = np.full(states, -np.inf)
    move = np.full(states, NONE, dtype=np.int64)
    size = np.zeros(states)
    switched = 0
    for i in range(states):
        s = states - 1 - i
        n = node[s]
        if known[n] != UNDECIDED:
            continue
        if inside[s] >= 0 and best[n] < 0.0:
            best[n], move[n], size[n] = 0.0, STOP, 0.0
        for a in range(actions):
            if is_choice(next_state, inside, around, s, a):
                t = next_state[s, a]
                mean, large, leaves = gamble(next_state, policy, able, node, value, n, t)
                if t >= 0 and able[t]:
                    mean += bonus / leaves
                if mean > best[n]:
                    best[n], move[n], size[n] = mean, s * actions + a, large
        if at_once and inside[s] < 0:
            value[s] = min(best[n], 1.0)
            choice[n] = move[n]
    for s in range(states):
        n = node[s]
        if known[n] != UNDECIDED:
            continue
        if at_once:
            value[s] = min(best[n], 1.0)
            choice[n] = move[n]
        elif n == s and best[n] - value[n] > noise * (abs(value[n]) + size[n]):
            choice[n] = move[n]
            switched += 1
    return switched


@compiled
def chain(
    next_state: Table,
    policy: Floats,
    able: Bools,
    node: Ints,
    known: Known,
    choice: Ints,
    bonus: float,
) -> tuple[Ints, Ints, Floats, Floats, Floats]:
    """The nodes under fixed choices as a chain: start, target, probability, ends, reward. What is known is an end."""
    states, actions = next_state.shape
    start = np.zeros(states + 1, dtype=np.int64)
    for n in range(states):
        edges = 0
        if node[n] == n and known[n] == UNDECIDED and choice[n] >= 0:
            t = next_state[choice[n] // actions, choice[n] % actions]
            if t >= 0:
                for b in range(actions):
                    edges += policy[t, b] > 0.0 and next_state[t, b] >= 0 and known[next_state[t, b]] == UNDECIDED
        start[n + 1] = start[n] + edges
    target, probability = np.empty(start[states], dtype=np.int64), np.empty(start[states])
    ends, reward = np.zeros(states), np.zeros(states)
    for n in range(states):
        if node[n] != n or known[n] != UNDECIDED or choice[n] < 0:
            ends[n] = 1.0
            continue
        t = next_state[choice[n] // actions, choice[n] % actions]
        if t < 0 or not able[t]:
            ends[n] = 1.0
            reward[n] = worth_of(t) if t < 0 else 1.0
            continue
        edge = start[n]
        reward[n] = bonus
        for b in range(actions):
            if policy[t, b] > 0.0:
                u = next_state[t, b]
                if u >= 0 and known[u] == UNDECIDED:
                    target[edge], probability[edge] = node[u], policy[t, b]
                    edge += 1
                else:
                    ends[n] += policy[t, b]
                    reward[n] += policy[t, b] * (known[u] if u >= 0 else -worth_of(u))
    return start, target, probability, ends, reward


@compiled
def spread(node: Ints, known: Known, value: Floats) -> None:
    """What the support decides, and what each node is worth, to all its states."""
    for s in range(len(node)):
        value[s] = value[node[s]] if known[s] == UNDECIDED else float(known[s])


@compiled
def replies(next_state: Table, policy: Floats, value: Floats, slack: float) -> Floats:
    """[S]: what the responder expects with the policy to move, more or less some slack; within what may come."""
    table = np.empty(len(next_state))
    for t in range(len(next_state)):
        mean, least, most, _ = reply(next_state, policy, value, t, 1.0)
        table[t] = min(max(mean + slack, least), most)
    return table


@compiled
def actions_of(next_state: Table, policy: Floats, node: Ints, inside: Ints, around: Ints, choice: Ints) -> Ints:
    """[S]: the choices as moves: inside an end component a move towards its way out, or any that stays."""
    states, actions = next_state.shape
    action = np.full(states, NONE, dtype=np.int64)
    there = np.zeros(states, dtype=np.bool_)
    for s in range(states):
        c = choice[node[s]]
        if inside[s] < 0:
            action[s] = c - s * actions if c >= 0 else NONE
        elif c >= 0 and c // actions == s:
            action[s], there[s] = c % actions, True
    changed = True
    while changed:
        changed = False
        for s in range(states):
            if inside[s] < 0 or there[s]:
                continue
            for a in range(actions):
                t = next_state[s, a]
                if t < 0 or around[t] != inside[s]:
                    continue
                nearer = choice[node[s]] == STOP
                for b in range(actions):
                    nearer = nearer or (policy[t, b] > 0.0 and there[next_state[t, b]])
                if nearer:
                    action[s], there[s] = a, True
                    changed = True
                    break
    return action


@compiled
def way_out(next_state: Table, policy: Floats, able: Bools, members: Bools, action: Ints, every: bool) -> Ints:
    """[S]: a rank that falls, with some probability, at each turn among the members; -1 where play may stay for ever.

    The responder makes its moves in `action`, or, with `every`, any.
    """
    states, actions = next_state.shape
    rank, placed = np.full(states, -1, dtype=np.int64), 0
    changed, backwards = True, True
    while changed:
        changed = False
        for i in range(states):
            s = states - 1 - i if backwards else i
            if not members[s] or rank[s] >= 0:
                continue
            out = True
            for a in range(actions):
                t = next_state[s, a]
                if t == ILLEGAL or not (every or a == action[s]) or t < 0 or not able[t]:
                    continue
                nearer = False
                for b in range(actions):
                    if policy[t, b] > 0.0:
                        u = next_state[t, b]
                        nearer = nearer or u < 0 or not members[u] or rank[u] >= 0
                if not nearer:
                    out = False
                    break
            if out:
                rank[s] = placed
                placed += 1
                changed = True
        backwards = not backwards
    return rank
