"""The trembling game in fractions, where what floats lose comes back often enough to decide."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from games.graph import GameGraph
from games.rulebook import Verdict
from solver.chain import Chain
from solver.rational import affordable, solve_rows

LARGEST = 200_000  # pairs of a state and a move of a graph whose values are held as fractions


def exact_values(graph: GameGraph, epsilon: float, chain: Chain, intention: NDArray[np.int64]) -> list[Fraction] | None:
    """[S]: for the mover, by strategy iteration from these intentions on [2 S]; None where it would take long.

    `chain` is that of any intentions: all moves may be slips, so its components are those of every other.
    """
    order, bound = chain.components
    groups = [order[a:b].tolist() for a, b in pairwise(bound.tolist())]  # sinks first
    slip = Fraction(epsilon)
    bits = (slip.denominator * graph.num_actions).bit_length()
    if graph.next_state.size > LARGEST or not affordable([[bits] * len(group) for group in groups]):
        return None
    game = _Game(graph, slip)
    intended = intention.tolist()
    for group in groups:
        if chain.closed[group[0]]:
            continue  # endless, for 0
        place = {node: i for i, node in enumerate(group)}
        while True:
            numbers, below = solve_rows([game.row(node, intended[node], place) for node in group])
            for node, number in zip(group, numbers, strict=True):
                game.worth[node] = Fraction(number, below)
            if not (game.switch(group, intended, 1) or game.switch(group, intended, 0)):
                break
    return game.worth[0::2]


class _Game:
    """Nodes 2 s + player, as in the chain; worth is told for the first player."""

    def __init__(self, graph: GameGraph, slip: Fraction) -> None:
        self.legal = [np.flatnonzero(row).tolist() for row in graph.legal]
        self.to, self.slip = graph.next_state.tolist(), slip
        self.worth = [Fraction(0)] * (2 * graph.num_states)

    def after(self, node: int, action: int) -> int | Fraction:
        """The node that a move leads to, or what its end is worth: a Fraction."""
        t, player = self.to[node // 2][action], node % 2
        return 2 * t + 1 - player if t >= 0 else Fraction(Verdict(t).worth * (1 - 2 * player))

    def row(self, node: int, intended: int, place: dict[int, int]) -> tuple[dict[int, int], Fraction, int]:
        moves = self.legal[node // 2]
        if not moves:
            return {}, Fraction(2 * (node % 2) - 1), 1
        chance, whole = self.slip.numerator, self.slip.denominator
        within: dict[int, int] = {}
        beyond = Fraction(0)
        for a in moves:
            weight = chance + (len(moves) * (whole - chance) if a == intended else 0)
            after = self.after(node, a)
            if isinstance(after, int) and after in place:
                within[place[after]] = within.get(place[after], 0) + weight
            else:
                beyond += weight * (self.worth[after] if isinstance(after, int) else after)
        return within, beyond, len(moves) * whole

    def switch(self, group: list[int], intended: list[int], player: int) -> bool:
        """Let that player intend what is worth more, however little; says whether anything was."""
        switched, side = False, 1 - 2 * player
        for node in group:
            moves = self.legal[node // 2]
            if node % 2 != player or not moves:
                continue
            values = {
                a: after if isinstance(after := self.after(node, a), Fraction) else self.worth[after] for a in moves
            }
            best = max(moves, key=lambda a: side * values[a])
            if side * values[best] > side * values[intended[node]]:
                intended[node], switched = best, True
        return switched
