"""Kernels of the best response to a fixed policy: a backward sweep, and the parts of policy iteration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.compiled import compiled
from solver.result_kernels import has_move
from solver.value_kernels import ILLEGAL, MOVER_LOSES, MOVER_WINS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STOP, NONE = -2, -1  # in place of an action: hold the game for ever, worth 0; no legal move


@compiled
def reply(next_state: NDArray[np.int32], policy: Floats, value: Floats, t: int) -> float:
    """What the responder expects when the policy moves at t, given its value of each state with itself to move."""
    total, stuck = 0.0, True
    for b in range(next_state.shape[1]):
        u = next_state[t, b]
        if u == ILLEGAL:
            continue
        stuck = False
        if policy[t, b] > 0.0:
            if u >= 0:
                total += policy[t, b] * value[u]
            elif u == MOVER_WINS:
                total -= policy[t, b]
            elif u == MOVER_LOSES:
                total += policy[t, b]
    return 1.0 if stuck else total


@compiled
def best(next_state: NDArray[np.int32], replies: Floats, s: int) -> tuple[float, int]:
    """The best move at s, the lowest of several, given what the responder expects at each state of the policy."""
    top, action = -2.0, NONE
    for a in range(next_state.shape[1]):
        t = next_state[s, a]
        if t == ILLEGAL:
            continue
        gain = replies[t] if t >= 0 else (1.0 if t == MOVER_WINS else (-1.0 if t == MOVER_LOSES else 0.0))
        if gain > top:
            top, action = gain, a
    return (top, action) if action >= 0 else (-1.0, NONE)


@compiled
def sweep(next_state: NDArray[np.int32], policy: Floats) -> tuple[Floats, Floats, Ints]:
    """Every move leads to a later state: value and reply of each are known when it is met."""
    states = len(next_state)
    value, replies, action = np.zeros(states), np.zeros(states), np.empty(states, dtype=np.int64)
    for s in range(states - 1, -1, -1):
        value[s], action[s] = best(next_state, replies, s)
        replies[s] = reply(next_state, policy, value, s)
    return value, replies, action


@compiled
def holdable(next_state: NDArray[np.int32], policy: Floats, among: NDArray[np.bool_]) -> Ints:
    """A move that surely keeps play endless, or NONE: the largest set within `among` closed under such moves."""
    states, actions = next_state.shape
    stay = np.where(among, 0, NONE).astype(np.int64)  # [S]: the responder's move
    safe = np.ones(states, dtype=np.bool_)  # [S]: whatever the policy does there, play goes on inside the set
    changed = True
    while changed:
        changed = False
        for t in range(states):
            if safe[t]:
                moves = False
                for b in range(actions):
                    if policy[t, b] > 0.0:
                        u = next_state[t, b]
                        moves = True
                        if u < 0 or stay[u] < 0:
                            safe[t] = False
                            break
                safe[t] = safe[t] and moves
                changed = changed or not safe[t]
        for s in range(states):
            if stay[s] >= 0:
                while stay[s] < actions and not (next_state[s, stay[s]] >= 0 and safe[next_state[s, stay[s]]]):
                    stay[s] += 1  # a move that has become unsafe never becomes safe again
                if stay[s] == actions:
                    stay[s] = NONE
                    changed = True
    return stay


@compiled
def chain(next_state: NDArray[np.int32], policy: Floats, action: Ints) -> tuple[Ints, Ints, Floats, Floats, Floats]:
    """The responder's turns under fixed actions as a chain: start, target, probability, ends, reward."""
    states, actions = next_state.shape
    start = np.zeros(states + 1, dtype=np.int64)
    for s in range(states):
        edges = 0
        if action[s] >= 0 and next_state[s, action[s]] >= 0:
            t = next_state[s, action[s]]
            for b in range(actions):
                edges += policy[t, b] > 0.0 and next_state[t, b] >= 0
        start[s + 1] = start[s] + edges
    target, probability = np.empty(start[states], dtype=np.int64), np.empty(start[states])
    ends, reward = np.zeros(states), np.zeros(states)
    for s in range(states):
        if action[s] < 0:
            ends[s], reward[s] = 1.0, 0.0 if action[s] == STOP else -1.0
            continue
        t = next_state[s, action[s]]
        if t < 0 or not has_move(next_state, t):
            ends[s] = 1.0
            reward[s] = 1.0 if t >= 0 or t == MOVER_WINS else (-1.0 if t == MOVER_LOSES else 0.0)
            continue
        edge = start[s]
        for b in range(actions):
            if policy[t, b] > 0.0:
                u = next_state[t, b]
                if u >= 0:
                    target[edge], probability[edge] = u, policy[t, b]
                    edge += 1
                else:
                    ends[s] += policy[t, b]
                    reward[s] += policy[t, b] * (-1.0 if u == MOVER_WINS else (1.0 if u == MOVER_LOSES else 0.0))
    return start, target, probability, ends, reward


@compiled
def improve(
    next_state: NDArray[np.int32], replies: Floats, value: Floats, action: Ints, stay: Ints, tolerance: float
) -> bool:
    """Switch to a better move, or to holding the game, where it gains more than the tolerance; says whether any did."""
    changed = False
    for s in range(len(next_state)):
        if action[s] == NONE:
            continue
        top, move = best(next_state, replies, s)
        if stay[s] >= 0 and top < 0.0:
            top, move = 0.0, STOP
        if top > value[s] + tolerance:
            action[s] = move
            changed = True
    return changed


@compiled
def reply_everywhere(next_state: NDArray[np.int32], policy: Floats, value: Floats) -> Floats:
    replies = np.empty(len(next_state))
    for t in range(len(next_state)):
        replies[t] = reply(next_state, policy, value, t)
    return replies
