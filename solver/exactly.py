"""A best response in fractions: the value itself is both bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.graph import GameGraph
from games.rulebook import Verdict
from solver.bounds import Claim
from solver.rational import Gamble, affordable, solve_exactly, whole_weights
from solver.support import STOP, UNDECIDED, Support

LARGEST = 200_000  # pairs of a state and a move of a graph whose values are held as fractions
MOST_NODES = 400  # undecided ones


def exact_claim(graph: GameGraph, support: Support, near: NDArray[np.int64]) -> Claim | None:
    """The exact value from every state, from choices that are nearly best on; None where it would take long."""
    from solver import response_kernels as kernels
    from solver.chain_kernels import components

    if graph.next_state.size > LARGEST or len(support.undecided) > MOST_NODES:
        return None
    game = _Gambles(graph, support)
    nodes = [game.of_node(n) for n in support.undecided.tolist()]
    edges = [sorted({m for gamble in gambles for m in gamble.weights}) for gambles in nodes]
    start = np.cumsum([0, *map(len, edges)])
    order, bound = components(start, np.array([m for row in edges for m in row], dtype=np.int64))
    groups = [order[a:b].tolist() for a, b in pairwise(bound.tolist())]
    if not affordable([[max(g.total.bit_length() for g in nodes[n]) for n in group] for group in groups]):
        return None
    before = [[gamble.choice for gamble in gambles] for gambles in nodes]
    first = [known.index(c) for known, c in zip(before, near[support.undecided].tolist(), strict=True)]
    value, best = solve_exactly(nodes, groups, first)
    choice = support.choice.copy()
    for n, gambles, k in zip(support.undecided.tolist(), nodes, best, strict=True):
        choice[n] = gambles[k].choice
    exact = np.array([Fraction(int(x)) for x in support.known], dtype=object)
    for s in np.flatnonzero(support.known == UNDECIDED).tolist():
        exact[s] = value[game.place[int(support.node[s])]]
    reply = np.array([game.reply(t, exact) for t in range(graph.num_states)], dtype=object)
    action = kernels.actions_of(graph.next_state, support.policy, support.node, support.inside, support.around, choice)
    below, above = (exact < 0).astype(np.bool_), (exact > 0).astype(np.bool_)
    moves = (graph.next_state, support.policy, support.able)
    ranks = kernels.way_out(*moves, below, action, True), kernels.way_out(*moves, above, action, False)
    return Claim(exact, reply, exact, reply, action, *ranks)


class _Gambles:
    """The choices of the undecided nodes, as whole weights."""

    def __init__(self, graph: GameGraph, support: Support) -> None:
        self.graph, self.support = graph, support
        self.place = {n: i for i, n in enumerate(support.undecided.tolist())}  # by node
        self.states: dict[int, list[int]] = {n: [] for n in self.place}
        for s in np.flatnonzero(support.known == UNDECIDED).tolist():
            self.states[int(support.node[s])].append(s)
        self.rows: dict[int, tuple[list[int], list[int]]] = {}

    def row(self, t: int) -> tuple[list[int], list[int]]:
        """Where the policy's moves at t lead, and their whole weights."""
        if t not in self.rows:
            moves = np.flatnonzero(self.support.policy[t] > 0.0)
            weights = whole_weights(self.support.policy[t, moves].tolist())
            self.rows[t] = self.graph.next_state[t, moves].tolist(), weights
        return self.rows[t]

    def of_node(self, n: int) -> list[Gamble]:
        support, actions = self.support, self.graph.num_actions
        gambles = [Gamble(STOP, {}, Fraction(0), 1)] if support.inside[n] >= 0 else []
        for s in self.states[n]:
            for a in np.flatnonzero(self.graph.legal[s]).tolist():
                t = int(self.graph.next_state[s, a])
                if t < 0 or not (support.inside[s] >= 0 and support.around[t] == support.inside[s]):
                    gambles.append(self._gamble(s * actions + a, t))
        return gambles

    def _gamble(self, choice: int, t: int) -> Gamble:
        if t < 0 or not self.support.able[t]:
            return Gamble(choice, {}, Fraction(Verdict(t).worth if t < 0 else 1), 1)
        weights: dict[int, int] = {}
        reward = 0
        targets, row = self.row(t)
        for u, weight in zip(targets, row, strict=True):
            known = -Verdict(u).worth if u < 0 else int(self.support.known[u])
            if known == UNDECIDED:
                m = self.place[int(self.support.node[u])]
                weights[m] = weights.get(m, 0) + weight
            else:
                reward += weight * known
        return Gamble(choice, weights, Fraction(reward), sum(row))

    def reply(self, t: int, value: NDArray[Any]) -> Fraction:
        if not self.support.able[t]:
            return Fraction(1)
        targets, row = self.row(t)
        after = [value[u] if u >= 0 else Fraction(-Verdict(u).worth) for u in targets]
        if all(x == after[0] for x in after):
            return Fraction(after[0])
        return sum((w * x for w, x in zip(row, after, strict=True)), Fraction(0)) / sum(row)
