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
        for a, p in enumerate(normalised(policies[seat].probability[s].tolist())):
            t = int(graph.next_state[s, a])
            if p and t >= 0:
                row[2 * t + 1 - seat] = row.get(2 * t + 1 - seat, Fraction(0)) + p
            elif p:
                swap = {MOVER_WINS: MOVER_LOSES, MOVER_LOSES: MOVER_WINS, DRAW: DRAW}
                ends[swap[t] if seat else t][node] += p  # type: ignore[index]
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


def normalised(row: list[float]) -> list[Fraction]:
    """The weights of a row, divided by their sum."""
    weights = [Fraction(p) for p in row]
    return [w / sum(weights) if any(weights) else w for w in weights]


def best_response_in_fractions(graph: GameGraph, policy: Policy) -> tuple[list[Fraction], list[Fraction]]:
    """What the best response gets from every state, to move and with the policy to move: no float, no collapsing.

    Policy iteration that begins with holding play for ever wherever that can be done, and switches for any gain.
    """
    states, to = graph.num_states, graph.next_state.tolist()
    rows = [normalised(row) for row in policy.probability.tolist()]
    able = graph.legal.any(axis=1).tolist()
    stay = {s for s in range(states) if able[s]}
    while True:  # what cannot be held is taken away until nothing is
        safe = {t for t in range(states) if able[t] and all(to[t][b] in stay for b, p in enumerate(rows[t]) if p)}
        rest = {s for s in stay if any(t in safe for t in to[s])}
        if rest == stay:
            break
        stay = rest

    def after(place: int, value: list[Fraction], side: int) -> Fraction:
        ends = {int(MOVER_WINS): side, int(MOVER_LOSES): -side, int(DRAW): 0}
        return value[place] if place >= 0 else Fraction(ends[place])

    def replies(value: list[Fraction]) -> list[Fraction]:
        means = [
            sum((p * after(to[t][b], value, -1) for b, p in enumerate(rows[t]) if p), Fraction(0))
            for t in range(states)
        ]
        return [mean if able[t] else Fraction(1) for t, mean in enumerate(means)]

    stop = -1
    action = [stop if s in stay else next((a for a, t in enumerate(to[s]) if t != ILLEGAL), -2) for s in range(states)]
    while True:
        chain: list[Row] = [{} for _ in range(states)]
        reward = [Fraction(0)] * states
        for s in range(states):
            if action[s] < 0:
                reward[s] = Fraction(0 if action[s] == stop else -1)
                continue
            t = to[s][action[s]]
            if t < 0 or not able[t]:
                reward[s] = after(t, [], 1) if t < 0 else Fraction(1)
                continue
            for b, p in enumerate(rows[t]):
                if p and to[t][b] >= 0:
                    chain[s][to[t][b]] = chain[s].get(to[t][b], Fraction(0)) + p
                elif p:
                    reward[s] += p * after(to[t][b], [], -1)
        value = absorbed(chain, reward)
        reply, switched = replies(value), False
        for s in range(states):
            options = [(after(t, reply, 1), a) for a, t in enumerate(to[s]) if t != ILLEGAL]
            options += [(Fraction(0), stop)] if s in stay else []
            best = max(options, default=(Fraction(-1), -2))
            if best[0] > value[s]:
                action[s], switched = best[1], True
        if not switched:
            return value, reply


def tremble_in_fractions(graph: GameGraph, epsilon: float, held: list[int] | None = None) -> list[Fraction]:
    """What each state of the trembling game is worth to its mover: every player switches for any gain, from anywhere.

    With `held`, the mover intends these actions for ever, and only the other one switches.
    """
    slip, moves = Fraction(epsilon), [np.flatnonzero(legal).tolist() for legal in graph.legal]
    nodes = range(2 * graph.num_states)
    ends = {int(MOVER_WINS): 1, int(MOVER_LOSES): -1, int(DRAW): 0}
    intended = [moves[node // 2][-1] if moves[node // 2] else -1 for node in nodes]
    if held is not None:
        intended[0::2] = held

    def after(node: int, action: int, worth: list[Fraction]) -> Fraction:
        t, side = int(graph.next_state[node // 2, action]), 1 - 2 * (node % 2)
        return worth[2 * t + 1 - node % 2] if t >= 0 else Fraction(side * ends[t])

    def evaluated() -> list[Fraction]:
        rows: list[Row] = [{} for _ in nodes]
        reward = [Fraction(0)] * len(nodes)
        for node in nodes:
            legal, side = moves[node // 2], 1 - 2 * (node % 2)
            if not legal:
                reward[node] = Fraction(-side)
            for a in legal:
                p, t = slip / len(legal) + (1 - slip if a == intended[node] else 0), int(graph.next_state[node // 2, a])
                if t >= 0:
                    there = 2 * t + 1 - node % 2
                    rows[node][there] = rows[node].get(there, Fraction(0)) + p
                else:
                    reward[node] += p * side * ends[t]
        return absorbed(rows, reward)

    def switched(player: int, worth: list[Fraction]) -> bool:
        any_gain = False
        for node in nodes:
            if node % 2 == player and moves[node // 2]:
                side = 1 - 2 * player
                values = {a: side * after(node, a, worth) for a in moves[node // 2]}
                if max(values.values()) > values[intended[node]]:
                    intended[node], any_gain = max(values, key=lambda a: values[a]), True
        return any_gain

    while switched(1, worth := evaluated()) or (held is None and switched(0, worth)):
        pass
    return worth[0::2]
