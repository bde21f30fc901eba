"""Policy iteration in whole numbers, for the few states where floats cannot tell how a long gamble ends.

A float is a fraction, so a policy is a table of fractions, and the best response to it has one exact value. It is found
component by component, each solved by elimination without fractions (Bareiss 1968). This is slow, and affordable for
some hundred states at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

EFFORT = 2_000_000_000  # of an elimination, about a second or two: steps times digits of their numbers


@dataclass(frozen=True)
class Gamble:
    """One choice at a node: whole weights of where it leads, and of what it earns at once."""

    choice: int
    weights: dict[int, int]  # node: weight
    reward: Fraction  # sum of weight times worth, over the ends that it may lead to
    total: int  # of all weights, ends included


def affordable(groups: Iterable[Sequence[int]]) -> bool:
    """Whether elimination ends in a second or two: for each component the bits of its rows' largest weights."""
    efforts = [len(bits) ** 3 * max(sum(bits) / 64, 1.0) ** 1.6 for bits in groups if len(bits) > 1]
    return float(sum(efforts)) < EFFORT


def solve_exactly(
    nodes: list[list[Gamble]], groups: list[list[int]], choice: list[int]
) -> tuple[list[Fraction], list[int]]:
    """The value of every node and the best choice there; `groups` are its components, sinks first.

    `choice` is where the iteration starts: the index of a gamble for each node. Each step switches only to a choice
    that is better, however little, so it ends.
    """
    value, choice = [Fraction(0)] * len(nodes), list(choice)
    for group in groups:
        place = {n: i for i, n in enumerate(group)}
        inner: dict[int, list[tuple[dict[int, int], Fraction, int]]] = {}
        for n in group:
            inner[n] = []
            for gamble in nodes[n]:
                within = {place[m]: w for m, w in gamble.weights.items() if m in place and m != n}
                beyond = sum((w * value[m] for m, w in gamble.weights.items() if m not in place), gamble.reward)
                inner[n].append((within, beyond, gamble.total - gamble.weights.get(n, 0)))
        while True:
            numbers, below = solve_rows([inner[n][choice[n]] for n in group])
            switched = False
            for i, n in enumerate(group):
                now = Fraction(numbers[i], below)
                best = now
                for k, (within, beyond, leaves) in enumerate(inner[n]):
                    if k == choice[n]:
                        continue
                    worth = (Fraction(sum(w * numbers[j] for j, w in within.items()), below) + beyond) / leaves
                    if worth > best:
                        best, choice[n], switched = worth, k, True
            if not switched:
                break
        for i, n in enumerate(group):
            value[n] = Fraction(numbers[i], below)
    return value, choice


def solve_rows(rows: list[tuple[dict[int, int], Fraction, int]]) -> tuple[list[int], int]:
    """x_i * leaves_i = sum of weight * x_j + beyond_i: the numerators of x, and what they are all divided by."""
    size = len(rows)
    scale = lcm(*(beyond.denominator for _, beyond, _ in rows))
    if size == 1:
        ((_, beyond, leaves),) = rows
        return [int(beyond * scale)], leaves * scale
    table = [[0] * size + [int(beyond * scale)] for _, beyond, _ in rows]
    for i, (within, _, leaves) in enumerate(rows):
        table[i][i] = leaves
        for j, weight in within.items():
            table[i][j] = -weight
    before = 1
    for k in range(size - 1):
        pivot = table[k]
        for i in range(k + 1, size):
            row = table[i]
            first = row[k]
            for j in range(k + 1, size + 1):
                row[j] = (row[j] * pivot[k] - first * pivot[j]) // before
            row[k] = 0
        before = pivot[k]
    below = table[-1][-2]
    numbers = [0] * size
    for i in range(size - 1, -1, -1):
        rest = table[i][size] * below - sum(table[i][j] * numbers[j] for j in range(i + 1, size))
        numbers[i] = rest // table[i][i]
    return numbers, below * scale


def whole_weights(row: list[float]) -> list[int]:
    """Floats times a power of two that makes them whole numbers."""
    parts = [p.as_integer_ratio() for p in row]
    common = max(below for _, below in parts)
    return [above * (common // below) for above, below in parts]
