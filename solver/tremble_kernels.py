"""Kernels of the game in which hands tremble."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.compiled import compiled
from solver.value_kernels import ILLEGAL, MOVER_LOSES, MOVER_WINS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
UNIT = 2.0**-53  # one rounding of a number up to 1


@compiled
def move_values(next_state: NDArray[np.int32], value: Floats, s: int, row: Floats) -> int:
    """What each legal move at s is worth to its mover, into `row`; how many there are."""
    count = 0
    for a in range(next_state.shape[1]):
        t = next_state[s, a]
        row[a] = np.nan
        if t != ILLEGAL:
            count += 1
            row[a] = -value[t] if t >= 0 else (1.0 if t == MOVER_WINS else (-1.0 if t == MOVER_LOSES else 0.0))
    return count


@compiled
def sweeps(next_state: NDArray[np.int32], epsilon: float, times: int) -> tuple[Floats, Floats]:
    """The value by backward sweeps: exact after one where every move leads to a later state, else a first guess.

    And how far off it may be after that one: by the doubts of the states after, and a rounding for each move and four.
    """
    states, actions = next_state.shape
    value, row, doubt = np.zeros(states), np.empty(actions), np.zeros(states)
    for _ in range(times):
        change = 0.0
        for s in range(states - 1, -1, -1):
            count = move_values(next_state, value, s, row)
            top, total, worst = -2.0, 0.0, 0.0
            for a in range(actions):
                if row[a] == row[a]:
                    top = max(top, row[a])
                    total += row[a]
                    if next_state[s, a] >= 0:
                        worst = max(worst, doubt[next_state[s, a]])
            new = -1.0 if count == 0 else min(max((1.0 - epsilon) * top + epsilon * total / count, -1.0), 1.0)
            doubt[s] = 0.0 if count == 0 else worst + (count + 4) * UNIT
            change = max(change, abs(new - value[s]))
            value[s] = new
        if change < 1e-13:
            break
    return value, doubt


@compiled
def chain(next_state: NDArray[np.int32], epsilon: float, action: Ints) -> tuple[Ints, Ints, Floats, Floats, Floats]:
    """Both players' turns under fixed intentions [2 S]: node 2 s + player; told for the first."""
    states, actions = next_state.shape
    start = np.zeros(2 * states + 1, dtype=np.int64)
    target = np.empty(2 * states * actions, dtype=np.int64)
    probability = np.empty(2 * states * actions)
    ends, reward = np.zeros(2 * states), np.zeros(2 * states)
    edge = 0
    for node in range(2 * states):
        s, side = node // 2, 1.0 - 2.0 * (node % 2)
        count = 0
        for a in range(actions):
            count += next_state[s, a] != ILLEGAL
        if count == 0:
            ends[node], reward[node] = 1.0, -side
        for a in range(actions):
            t = next_state[s, a]
            if t == ILLEGAL:
                continue
            p = epsilon / count + (1.0 - epsilon if a == action[node] else 0.0)
            if t >= 0:
                target[edge], probability[edge] = 2 * t + 1 - node % 2, p
                edge += 1
            else:
                ends[node] += p
                if t == MOVER_WINS:
                    reward[node] += side * p
                elif t == MOVER_LOSES:
                    reward[node] -= side * p
        start[node + 1] = edge
    return start, target[:edge].copy(), probability[:edge].copy(), ends, reward


@compiled
def improve(next_state: NDArray[np.int32], worth: Floats, action: Ints, player: int, tolerance: float) -> bool:
    """Switch that player's intentions where another move is worth more by the tolerance; says whether any did.

    The move that is worth most, and of several the lowest.
    """
    changed = False
    side = 1.0 - 2.0 * player
    other = np.empty(len(next_state))
    for s in range(len(next_state)):  # what each state is worth to the opponent of `player` when to move there
        other[s] = -side * worth[2 * s + 1 - player]
    row = np.empty(next_state.shape[1])
    for s in range(len(next_state)):
        node = 2 * s + player
        if move_values(next_state, other, s, row) == 0:
            continue
        top = action[node]
        for a in range(len(row)):
            if row[a] == row[a] and row[a] > row[top]:
                top = a
        if row[top] > row[action[node]] + tolerance:
            action[node] = top
            changed = True
    return changed


@compiled
def all_move_values(next_state: NDArray[np.int32], value: Floats) -> Floats:
    """[S, A]: what each legal move is worth to its mover; NaN elsewhere."""
    table = np.empty(next_state.shape)
    for s in range(len(next_state)):
        move_values(next_state, value, s, table[s])
    return table


@compiled
def ranks(next_state: NDArray[np.int32]) -> Ints:
    """[S]: in how many moves play may end from there, 0 without a move; -1 where it never does."""
    states, actions = next_state.shape
    rank = np.full(states, -1, dtype=np.int64)
    into = np.zeros(states + 1, dtype=np.int64)
    for s in range(states):
        for a in range(actions):
            if next_state[s, a] >= 0:
                into[next_state[s, a] + 1] += 1
    into = np.cumsum(into)
    place, source = into.copy(), np.empty(into[-1], dtype=np.int64)
    queue, length = np.empty(states, dtype=np.int64), 0
    for s in range(states):
        count, ends = 0, False
        for a in range(actions):
            t = next_state[s, a]
            count += t != ILLEGAL
            ends = ends or (t < 0 and t != ILLEGAL)
            if t >= 0:
                source[place[t]] = s
                place[t] += 1
        if ends or count == 0:
            rank[s] = 0
            queue[length] = s
            length += 1
    done = 0
    while done < length:
        t = queue[done]
        done += 1
        for e in range(into[t], into[t + 1]):
            if rank[source[e]] < 0:
                rank[source[e]] = rank[t] + 1
                queue[length] = source[e]
                length += 1
    return rank
