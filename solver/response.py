"""The best response to a fixed policy, exact with cycles too, and what it takes from the policy.

Value iteration from zero is wrong where play may be endless: it gambles just before its horizon, for ever. Here the
responder may "stop", worth 0, where play can surely be kept endless, and policy iteration starts from stopping there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from games.graph import GameGraph
from games.policy import Policy
from solver.chain import Chain
from solver.results import table

TOLERANCE = 1e-12  # a switch must gain more than this; a gain below it is nothing


@dataclass(frozen=True, eq=False)
class Response:
    value: NDArray[np.float64]  # [S]: what the responder expects when it is to move there
    action: NDArray[np.int64]  # [S]: a best move; -1 where there is none
    reply: NDArray[np.float64]  # [S]: what the responder expects when the policy is to move there
    first: float  # the responder sits first
    second: float  # the policy moves first


def best_response(graph: GameGraph, policy: Policy) -> Response:
    """The most that anyone can get against this policy, from every state and in both seats."""
    return response_to_table(graph, table(graph, policy))


def exploitability(graph: GameGraph, policy: Policy) -> float:
    """Mean over the two seats of the value given away to a best response: 0 to 1, NashConv / 2."""
    return given_away(best_response(graph, policy))


def given_away(response: Response) -> float:
    """What one seat gives away above the game's value, the other gives below it: the value itself cancels."""
    return min(max((response.first + response.second) / 2, 0.0), 1.0)


def response_to_table(graph: GameGraph, policy: NDArray[np.float64]) -> Response:
    from solver import response_kernels as kernels

    if graph.ordered:
        value, reply, action = kernels.sweep(graph.next_state, policy)
        return _within(value, action, reply)
    stay = kernels.holdable(graph.next_state, policy, np.ones(graph.num_states, dtype=np.bool_))
    lowest = np.where(graph.legal.any(axis=1), graph.legal.argmax(axis=1), kernels.NONE)
    action = np.where(stay >= 0, kernels.STOP, lowest)
    while True:
        start, target, probability, ends, reward = kernels.chain(graph.next_state, policy, action)
        value = Chain(start, target, probability, ends).backward(reward)
        reply = kernels.reply_everywhere(graph.next_state, policy, value)
        if not kernels.improve(graph.next_state, reply, value, action, stay, TOLERANCE):
            break
    return _within(value, np.where(action == kernels.STOP, stay, action), reply)


def _within(value: NDArray[np.float64], action: NDArray[np.int64], reply: NDArray[np.float64]) -> Response:
    """No value lies beyond -1 and 1, and none is -0.0: that is rounding."""
    value, reply = np.clip(value, -1.0, 1.0) + 0.0, np.clip(reply, -1.0, 1.0) + 0.0
    return Response(value, action, reply, float(value[0]), float(reply[0]))


def always_finishes(graph: GameGraph, policy: NDArray[np.float64], lost: NDArray[np.bool_]) -> bool:
    """Whether nobody can hold the policy off for ever from the `lost` states, with the responder to move there.

    For a policy without a blunder this is all that is left to ask: play from a lost state stays among lost states, so a
    responder gains there only by never ending. Decided on the support of the policy, without rounding.
    """
    from solver import response_kernels as kernels

    return graph.ordered or bool((kernels.holdable(graph.next_state, policy, lost) < 0).all())
