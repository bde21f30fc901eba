"""Kernels that solve a game: a backward sweep, and retrograde analysis for graphs with cycles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from games.rulebook import DRAW as _DRAW
from games.rulebook import ILLEGAL as _ILLEGAL
from games.rulebook import MOVER_LOSES as _MOVER_LOSES
from games.rulebook import MOVER_WINS as _MOVER_WINS
from solver.compiled import compiled

ILLEGAL, MOVER_WINS, MOVER_LOSES, DRAW = int(_ILLEGAL), int(_MOVER_WINS), int(_MOVER_LOSES), int(_DRAW)


@compiled
def sweep(next_state: NDArray[np.int32], value: NDArray[np.int8], remoteness: NDArray[np.int32]) -> None:
    """Every move leads to a later state: each is decided when it is met."""
    states, actions = next_state.shape
    for s in range(states - 1, -1, -1):
        hurry, delay, hold = np.int32(2**31 - 1), np.int32(-1), False
        for a in range(actions):
            t = next_state[s, a]
            if t >= 0:
                if value[t] < 0:
                    hurry = min(hurry, remoteness[t])
                elif value[t] > 0:
                    delay = max(delay, remoteness[t])
                else:
                    hold = True
            elif t == MOVER_WINS:
                hurry = np.int32(0)
            elif t == MOVER_LOSES:
                delay = max(delay, np.int32(0))
            elif t == DRAW:
                hold = True
        if hurry < 2**31 - 1:
            value[s], remoteness[s] = 1, hurry + 1
        elif hold:
            value[s], remoteness[s] = 0, -1
        else:
            value[s], remoteness[s] = -1, delay + 1


@compiled
def predecessors(next_state: NDArray[np.int32], start: NDArray[np.int32], source: NDArray[np.int32]) -> None:
    """Who leads to t: source[start[t]:start[t + 1]]. `start` [S + 2] comes as zeros, `source` with room for all."""
    states, actions = next_state.shape
    for s in range(states):
        for a in range(actions):
            if next_state[s, a] >= 0:
                start[next_state[s, a] + 2] += 1
    for t in range(states):
        start[t + 2] += start[t + 1]
    for s in range(states):
        for a in range(actions):
            t = next_state[s, a]
            if t >= 0:
                source[start[t + 1]] = s
                start[t + 1] += 1


@compiled
def retrograde(
    next_state: NDArray[np.int32],
    start: NDArray[np.int32],
    source: NDArray[np.int32],
    open_moves: NDArray[np.unsignedinteger],
    value: NDArray[np.int8],
    remoteness: NDArray[np.int32],
) -> None:
    """From the ends backwards, nearest first; what is never reached can be held or drawn, and keeps value 0.

    `open_moves` [S] counts the moves that are not known to lose; 0 where all is known. It alone is asked about every
    edge, at random, so it is kept small.
    """
    states, actions = next_state.shape
    queue = np.empty(states, dtype=np.int32)
    tail = 0
    for s in range(states):
        count, wins, stuck = 0, False, True
        for a in range(actions):
            t = next_state[s, a]
            stuck &= t == ILLEGAL
            wins |= t == MOVER_WINS
            count += (t != ILLEGAL) & (t != MOVER_LOSES)
        open_moves[s] = count
        value[s], remoteness[s] = 0, -1
        if wins:
            value[s], remoteness[s] = 1, 1
            open_moves[s] = 0
        elif stuck:
            value[s], remoteness[s] = -1, 0
            queue[tail] = s
            tail += 1
        elif count == 0:
            value[s], remoteness[s] = -1, 1
    for s in range(states):  # remoteness 1 after remoteness 0: the queue is sorted by it
        if remoteness[s] == 1:
            queue[tail] = s
            tail += 1
    head = 0
    while head < tail:
        t = queue[head]
        head += 1
        for edge in range(start[t], start[t + 1]):
            s = source[edge]
            if open_moves[s] == 0:
                continue
            if value[t] < 0:
                open_moves[s] = 0
                value[s] = 1
            else:
                open_moves[s] -= 1
                if open_moves[s] > 0:
                    continue
                value[s] = -1
            remoteness[s] = remoteness[t] + 1
            queue[tail] = s
            tail += 1


@compiled
def mark(
    next_state: NDArray[np.int32],
    value: NDArray[np.int8],
    first: int,
    last: int,
    keeps: NDArray[np.bool_],
    critical: NDArray[np.bool_],
) -> None:
    """Which moves keep the value, and where that is a question; of the states from `first` to before `last`."""
    actions = next_state.shape[1]
    for s in range(first, last):
        some, other = False, False
        for a in range(actions):
            t = next_state[s, a]
            if t >= 0:
                worth = -value[t]
            elif t == ILLEGAL:
                keeps[s, a] = False
                continue
            else:
                worth = 1 if t == MOVER_WINS else (-1 if t == MOVER_LOSES else 0)
            keeps[s, a] = worth == value[s]
            some = some or keeps[s, a]
            other = other or not keeps[s, a]
        critical[s] = some and other
