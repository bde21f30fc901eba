"""Slow and plain versions of what the solver computes, to compare with."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from games import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, GameGraph, Policy


def solved_by_layers(graph: GameGraph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Value and remoteness: all that is decided within 0 plies, then within 1, and so on until nothing changes."""
    to, states = graph.next_state, graph.num_states
    value, remoteness, plies = np.zeros(states + 4, dtype=np.int64), np.full(states, -1), 0
    value[[MOVER_WINS, MOVER_LOSES]] = -1, 1  # told for the other player, who would have to move next
    legal = to != ILLEGAL
    value[:states][~legal.any(axis=1)] = -1
    remoteness[~legal.any(axis=1)] = 0
    while True:
        plies += 1
        won = (legal & (value[to] < 0)).any(axis=1)
        lost = (~legal | (value[to] > 0)).all(axis=1)
        new = (value[:states] == 0) & (won | lost)
        if not new.any():
            return value[:states], remoteness
        value[:states][new] = np.where(won, 1, -1)[new]
        remoteness[new] = plies


Row = dict[int, Fraction]


def absorbed(rows: list[Row], reward: list[Fraction]) -> list[Fraction]:
    """x = rows x + reward in fractions; 0 where no end can be reached (rows that sum to less than 1 end)."""
    ends = {i for i, row in enumerate(rows) if sum(row.values()) < 1}
    while more := {i for i, row in enumerate(rows) if i not in ends and any(j in ends for j in row)}:
        ends |= more
    live = sorted(ends)
    table = [[Fraction(i == j) - rows[i].get(j, Fraction(0)) for j in live] + [reward[i]] for i in live]
    for k in range(len(live)):
        pivot = next(i for i in range(k, len(live)) if table[i][k])
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [entry / table[k][k] for entry in table[k]]
        for i in range(len(live)):
            if i != k and table[i][k]:
                table[i] = [a - table[i][k] * b for a, b in zip(table[i], table[k], strict=True)]
    answer = [Fraction(0)] * len(rows)
    for i, row_ in zip(live, table, strict=True):
        answer[i] = row_[-1]
    return answer


def pair_chain(graph: GameGraph, policies: tuple[Policy, Policy]) -> tuple[list[Row], dict[int, list[Fraction]]]:
    """Nodes 2 s + seat: where they lead, and the probability of each ending there, told for the first seat."""
    rows: list[Row] = []
    ends = {k: [Fraction(0)] * (2 * graph.num_states) for k in (MOVER_WINS, MOVER_LOSES, DRAW)}
    for node in range(2 * graph.num_states):
        s, seat = divmod(node, 2)
        row: Row = {}
        if not graph.legal[s].any():
            ends[MOVER_WINS if seat else MOVER_LOSES][node] = Fraction(1)
        for a, p in enumerate(policies[seat].probability[s].tolist()):
            t = int(graph.next_state[s, a])
            if p and t >= 0:
                row[2 * t + 1 - seat] = row.get(2 * t + 1 - seat, Fraction(0)) + Fraction(p)
            elif p:
                swap = {MOVER_WINS: MOVER_LOSES, MOVER_LOSES: MOVER_WINS, DRAW: DRAW}
                ends[swap[t] if seat else t][node] += Fraction(p)  # type: ignore[index]
        rows.append(row)
    return rows, ends  # type: ignore[return-value]


def versus_in_fractions(graph: GameGraph, first: Policy, second: Policy) -> tuple[Fraction, ...]:
    """Win, loss, draw, and the expected plies times the probability of ending."""
    rows, ends = pair_chain(graph, (first, second))
    win, loss, draw = (absorbed(rows, ends[kind]) for kind in (MOVER_WINS, MOVER_LOSES, DRAW))
    moves = [bool(graph.legal[node // 2].any()) for node in range(len(rows))]
    ending = [(w + x + d) * m for w, x, d, m in zip(win, loss, draw, moves, strict=True)]
    plies = absorbed(rows, ending)
    return win[0], loss[0], draw[0], plies[0]


def best_of_all_responses(graph: GameGraph, policy: Policy) -> tuple[list[Fraction], list[Fraction]]:
    """What the best stationary deterministic response gets from every state, to move and with the policy to move."""
    choices = [np.flatnonzero(legal).tolist() or [0] for legal in graph.legal]
    best = [Fraction(-2)] * (2 * graph.num_states)
    for answer in product(*choices):
        table = np.zeros(graph.next_state.shape)
        table[np.arange(graph.num_states), answer] = graph.legal.any(axis=1)
        rows, ends = pair_chain(graph, (Policy(graph, table), policy))
        reward = [w - x for w, x in zip(ends[MOVER_WINS], ends[MOVER_LOSES], strict=True)]
        best = [max(pair) for pair in zip(best, absorbed(rows, reward), strict=True)]
    return best[0::2], best[1::2]
