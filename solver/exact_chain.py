"""A Markov chain in fractions, for chances too small for floats: slow, and for some hundred nodes at most."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from solver.chain import Chain
from solver.rational import affordable, solve_rows, whole_weights

ZERO, ONE = Fraction(0), Fraction(1)


class Row(NamedTuple):
    weights: dict[int, int]  # node: whole weight
    ends: int  # the weight of ending
    total: int


class ExactChain:
    """A row stands for its weights divided by their sum, so that it sums to 1 exactly."""

    def __init__(self, chain: Chain) -> None:
        order, bound = chain.components
        self.groups: list[list[int]] = [order[a:b].tolist() for a, b in pairwise(bound.tolist())]  # sinks first
        self.rows: list[Row] = []
        start, target = chain.start.tolist(), chain.target.tolist()
        for node, ends in enumerate(chain.ends.tolist()):
            edges = range(start[node], start[node + 1])
            *weights, out = whole_weights([*chain.probability[edges.start : edges.stop].tolist(), ends])
            row: dict[int, int] = {}
            for edge, weight in zip(edges, weights, strict=True):
                row[target[edge]] = row.get(target[edge], 0) + weight
            self.rows.append(Row(row, out, out + sum(weights)))

    @property
    def affordable(self) -> bool:
        return affordable([[self.rows[i].total.bit_length() for i in group] for group in self.groups])

    def _closed(self, group: list[int]) -> bool:
        members = set(group)
        return all(not self.rows[i].ends and members.issuperset(self.rows[i].weights) for i in group)

    def forward(self) -> tuple[list[Fraction], list[Fraction]]:
        """From node 0: expected visits of nodes that play leaves, and the long-run share of those it never leaves."""
        inflow, visits, share = ([ZERO] * len(self.rows) for _ in range(3))
        inflow[0] = ONE
        for group in reversed(self.groups):
            arrived = sum((inflow[i] for i in group), ZERO)
            if not arrived:
                continue
            if self._closed(group):
                weights = self._per_weight(group[1:], {i: self.rows[group[0]].weights.get(i, 0) for i in group})
                turns = [Fraction(self.rows[group[0]].total), *self._turns(group[1:], weights)]
                for i, turn in zip(group, turns, strict=True):
                    share[i] = arrived * turn / sum(turns)
                continue
            for i, turn in zip(group, self._turns(group, self._per_weight(group, inflow)), strict=True):
                visits[i] = turn
                for j, weight in self.rows[i].weights.items():
                    inflow[j] += turn * weight / self.rows[i].total
        return visits, share

    def _per_weight(self, group: list[int], inflow: dict[int, int] | list[Fraction]) -> list[Fraction]:
        """Visits divided by the total weight of their row: z_j * total_j = inflow_j + sum of z_i * weight_ij."""
        place = {node: k for k, node in enumerate(group)}
        into: list[dict[int, int]] = [{} for _ in group]
        for i in group:
            for j, weight in self.rows[i].weights.items():
                if j in place and j != i:
                    into[place[j]][place[i]] = weight
        leaves = [self.rows[i].total - self.rows[i].weights.get(i, 0) for i in group]
        rows = [(into[k], Fraction(inflow[i]), leaves[k]) for k, i in enumerate(group)]
        if not rows:
            return []
        numbers, below = solve_rows(rows)
        return [Fraction(number, below) for number in numbers]

    def _turns(self, group: list[int], per_weight: list[Fraction]) -> list[Fraction]:
        return [x * self.rows[i].total for x, i in zip(per_weight, group, strict=True)]

    def ending(self) -> list[Fraction]:
        """The probability that play ends, from every node."""
        chance = [ZERO] * len(self.rows)
        for group in self.groups:
            if self._closed(group):
                continue
            place = {node: k for k, node in enumerate(group)}
            rows = []
            for i in group:
                row = self.rows[i]
                within = {place[j]: w for j, w in row.weights.items() if j in place and j != i}
                beyond = sum((w * chance[j] for j, w in row.weights.items() if j not in place), Fraction(row.ends))
                rows.append((within, beyond, row.total - row.weights.get(i, 0)))
            numbers, below = solve_rows(rows)
            for i, number in zip(group, numbers, strict=True):
                chance[i] = Fraction(number, below)
        return chance


def nearest(value: Fraction) -> float:
    """The nearest float; the largest where it is larger than any."""
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max
