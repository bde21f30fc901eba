"""Verdicts about a policy, from its support: a chance of 1e-300 to err is a chance to err."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from games.graph import GameGraph
from solver.response import Response, in_fractions
from solver.support import Support, decide
from solver.values import Solution


def gives_nothing_away(graph: GameGraph, policy: NDArray[np.float64], solution: Solution, response: Response) -> bool:
    """Whether a best response gets the value of the game from the start, and no more, in either seat.

    In a game that one side wins that is decided without numbers. Where nobody can force a win, a responder that meets
    a blunder without one of its own gains; and where it can only gamble, the exact value of the gamble decides. Where
    that takes too long, nothing is proved, and so the answer is no.
    """
    if sum(response.lower) > 0.0:
        return False
    support, value = decide(graph, policy), int(solution.value[0])
    if value > 0:
        return support.value_of_reply(0) == -1
    if value < 0:
        return int(support.known[0]) == -1
    if _hopeless(support):
        return True
    if _meets_blunder(graph, policy, solution):
        return False
    if max(response.upper) > 0.0:
        exact = in_fractions(graph, support, None)
        return exact is not None and max(exact.upper) <= 0.0
    return True


def always_finishes(graph: GameGraph, policy: NDArray[np.float64], lost: NDArray[np.bool_]) -> bool:
    """Whether nobody can hold the policy off for ever from the `lost` states, with the responder to move there.

    For a policy without a blunder this is all that is left to ask: play from a lost state stays among lost states, so a
    responder gains there only by never ending.
    """
    from solver import support_kernels as kernels

    return graph.ordered or not kernels.holdable(graph.next_state, policy, lost).any()


def _hopeless(support: Support) -> bool:
    """Whether the responder cannot win, in either seat, whatever the luck."""
    ends = np.array([True, False, True, True])  # for the responder: a draw, the policy loses, wins; index from behind
    after = np.concatenate([support.hopeless, ends])[support.next_state[0]]
    return bool(support.able[0] and support.hopeless[0] and after[support.policy[0] > 0.0].all())


def _meets_blunder(graph: GameGraph, policy: NDArray[np.float64], solution: Solution) -> bool:
    from solver import support_kernels as kernels

    return bool(kernels.meets_blunder(graph.next_state, policy, solution.keeps))
