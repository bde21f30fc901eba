"""Kernels that follow two policies: a forward sweep, the chain of (state, seat) pairs, and ply-by-ply bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.compiled import compiled
from solver.value_kernels import ILLEGAL, MOVER_LOSES, MOVER_WINS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def has_move(next_state: NDArray[np.int32], s: int) -> bool:
    for a in range(next_state.shape[1]):  # noqa: SIM110  (a kernel has no generators)
        if next_state[s, a] != ILLEGAL:
            return True
    return False


@compiled
def follow(next_state: NDArray[np.int32], first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Every move leads to a later state: mass is pushed forward once. Visits [S, 2]; win, loss, draw, plies."""
    states, actions = next_state.shape
    visits, total = np.zeros((states, 2)), np.zeros(4)
    visits[0, 0] = 1.0
    for s in range(states):
        for seat in range(2):
            mass = visits[s, seat]
            if mass == 0.0:
                continue
            if not has_move(next_state, s):
                total[1 - seat] += mass
                continue
            total[3] += mass
            row = first[s] if seat == 0 else second[s]
            for a in range(actions):
                if row[a] > 0.0:
                    t = next_state[s, a]
                    if t >= 0:
                        visits[t, 1 - seat] += mass * row[a]
                    elif t == MOVER_WINS:
                        total[seat] += mass * row[a]
                    elif t == MOVER_LOSES:
                        total[1 - seat] += mass * row[a]
                    else:
                        total[2] += mass * row[a]
    return visits, total


@compiled
def pairs(
    next_state: NDArray[np.int32], first: Floats, second: Floats
) -> tuple[Ints, Ints, Ints, Floats, Floats, NDArray[np.bool_]]:
    """The pairs 2 * state + seat that play reaches, as a chain; outcome [n, 3]; moves [n]: whether there is one."""
    states, actions = next_state.shape
    number = np.full(2 * states, -1, dtype=np.int64)
    pair = np.empty(2 * states, dtype=np.int64)
    pair[0], number[0] = 0, 0
    count, edges, i = 1, 0, 0
    while i < count:
        s, seat = pair[i] // 2, pair[i] % 2
        row = first[s] if seat == 0 else second[s]
        for a in range(actions):
            if row[a] > 0.0 and next_state[s, a] >= 0:
                edges += 1
                to = 2 * next_state[s, a] + 1 - seat
                if number[to] < 0:
                    number[to], pair[count] = count, to
                    count += 1
        i += 1
    start = np.zeros(count + 1, dtype=np.int64)
    target = np.empty(edges, dtype=np.int64)
    probability = np.empty(edges)
    outcome = np.zeros((count, 3))
    moves = np.ones(count, dtype=np.bool_)
    edge = 0
    for i in range(count):
        s, seat = pair[i] // 2, pair[i] % 2
        row = first[s] if seat == 0 else second[s]
        if not has_move(next_state, s):
            moves[i] = False
            outcome[i, 1 - seat] = 1.0
        for a in range(actions):
            if row[a] > 0.0:
                t = next_state[s, a]
                if t >= 0:
                    target[edge], probability[edge] = number[2 * t + 1 - seat], row[a]
                    edge += 1
                elif t == MOVER_WINS:
                    outcome[i, seat] += row[a]
                elif t == MOVER_LOSES:
                    outcome[i, 1 - seat] += row[a]
                else:
                    outcome[i, 2] += row[a]
        start[i + 1] = edge
    return pair[:count].copy(), start, target, probability, outcome, moves


@compiled
def ply_by_ply(
    start: Ints,
    target: Ints,
    probability: Floats,
    outcome: Floats,
    moves: NDArray[np.bool_],
    closed: NDArray[np.bool_],
    plies: int,
    small: float,
) -> tuple[Floats, Floats, int, float, float]:
    """Push mass ply by ply until less than `small` is open: what ended, visits, plies, what is open, survival.

    What has ended: win, loss, draw, endless (mass that entered a closed component), plies of the games that ended.
    Survival is the largest probability, over all nodes, of being open after that many plies more.
    """
    n = len(start) - 1
    done, visits = np.zeros(5), np.zeros(n)
    mass, alive = np.zeros(n), np.where(closed, 0.0, 1.0)
    mass[0] = 1.0
    ply, rest, worst = 0, 1.0, 1.0
    while True:
        after, alive_after = np.zeros(n), np.zeros(n)
        rest, worst = 0.0, 0.0
        for i in range(n):
            if closed[i]:
                done[3] += mass[i]
                continue
            if mass[i] > 0.0:
                visits[i] += mass[i]
                for k in range(3):
                    done[k] += mass[i] * outcome[i, k]
                    done[4] += mass[i] * outcome[i, k] * (ply + moves[i])
            for e in range(start[i], start[i + 1]):
                after[target[e]] += mass[i] * probability[e]
                alive_after[i] += probability[e] * alive[target[e]]
            worst = max(worst, alive_after[i])
        for i in range(n):
            rest += after[i]
        ply += 1
        mass, alive = after, alive_after
        if rest < small or ply >= plies:
            break
    still = 0.0
    for i in range(n):  # the last arrivals in closed components are endless, not open
        if closed[i]:
            done[3] += mass[i]
        else:
            still += mass[i]
    return done, visits, ply, still, worst
