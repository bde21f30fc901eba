"""The best response to a fixed policy, exact with cycles too, and what it takes from the policy.

What is sure is decided on the support of the policy, without numbers: where the responder wins or loses with
probability 1, and where it can hold play for ever, which is worth 0. Value iteration from zero is wrong there (it
gambles just before its horizon, for ever), and a gain of 1e-13 a ply is a certain one where play comes back often
enough. In between, the sets that play can be held in are taken as one node each; what is left ends with probability 1
and is solved by policy iteration. Its value is then enclosed: between that of the response found and a bound that no
move improves, both checked by `solver.bounds`. Where floats leave more than 1e-9 between them, fractions decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.graph import GameGraph
from games.policy import Policy
from solver.bounds import Claim, find_faults
from solver.chain import Chain
from solver.results import table
from solver.support import UNDECIDED, Support, decide

Floats = NDArray[np.float64]

CLOSE = 1e-9  # bounds this near to each other are shown as one number
SLACK = 2.0**-48  # a ply, added to a value and taken from it, so that rounding cannot turn a bound over
SLACKS = 4  # each 16 times as large, tried until the bounds are proved
GUESSES = 30  # sweeps of value iteration before policy iteration
ITERATIONS = 1_000  # of policy iteration; it takes a few


@dataclass(frozen=True, eq=False)
class Response:
    """Told for the responder. Bounds hold whatever was rounded on the way: `solver.bounds` can prove the claim."""

    value: Floats  # [S]: what it expects when it is to move there
    action: NDArray[np.int64]  # [S]: a best move; -1 where there is none
    reply: Floats  # [S]: what it expects when the policy is to move there
    first: float  # the responder sits first
    second: float  # the policy moves first
    claim: Claim  # bounds of value and reply, as they were proved

    @cached_property
    def lower(self) -> tuple[float, float]:
        """Below `first` and `second`: what the moves in `action` earn."""
        return _down(self.claim.lower[0]), _down(self.claim.lower_reply[0])

    @cached_property
    def upper(self) -> tuple[float, float]:
        """Above `first` and `second`: no response earns more."""
        return _up(self.claim.upper[0]), _up(self.claim.upper_reply[0])

    @property
    def error(self) -> float:
        """Neither `first` nor `second` is off by more than this."""
        shown = (self.first, self.second)
        return max(0.0, *(max(high - x, x - low) for x, low, high in zip(shown, self.lower, self.upper, strict=True)))


def best_response(graph: GameGraph, policy: Policy) -> Response:
    """The most that anyone can get against this policy, from every state and in both seats."""
    return response_to_table(graph, table(graph, policy))


def exploitability(graph: GameGraph, policy: Policy) -> float:
    """Mean over the two seats of the value given away to a best response: 0 to 1, NashConv / 2."""
    return given_away(best_response(graph, policy))


def given_away(response: Response) -> float:
    """What one seat gives away above the game's value, the other gives below it: the value itself cancels."""
    return min(max((response.first + response.second) / 2, 0.0), 1.0)


def response_to_table(graph: GameGraph, policy: Floats) -> Response:
    if graph.ordered:
        return _swept(graph, policy)
    support = decide(graph, policy)
    if not len(support.undecided):
        return _proved(graph, policy, _sure(support))
    choice = _best_choices(support)
    response = _in_floats(support, choice, SLACK)
    for attempt in range(1, SLACKS):
        if not find_faults(graph, policy, response.claim):
            break
        response = _in_floats(support, choice, SLACK * 16.0**attempt)
    response = _proved(graph, policy, response)
    if _width(response.claim) <= CLOSE:
        return response
    return in_fractions(graph, support, choice) or response


def _swept(graph: GameGraph, policy: Floats) -> Response:
    from solver import response_kernels as kernels

    value, reply, action, doubt, reply_doubt = kernels.sweep(graph.next_state, policy)
    rank = np.arange(graph.num_states, 0, -1)  # play goes on to later states, and ends
    bounds = (value + doubt, reply + reply_doubt, value - doubt, reply - reply_doubt)
    return _response(value, action, reply, Claim(*bounds, action, rank, rank))


def _sure(support: Support) -> Response:
    value = support.known.astype(np.float64)
    return _enclosed(support, support.choice, value, value, value, SLACK)


def _best_choices(support: Support) -> NDArray[np.int64]:
    """[S]: where policy iteration begins: some sweeps of value iteration."""
    from solver import response_kernels as kernels

    game = (support.next_state, support.policy, support.able, support.node)
    choice = support.choice.copy()
    guess = np.where(support.known == UNDECIDED, np.where(support.inside >= 0, 0.0, -1.0), support.known)
    for _ in range(GUESSES):
        kernels.improve(*game, support.inside, support.around, support.known, guess, choice, 0.0, 0.0, True)
    return choice


def _in_floats(support: Support, choice: NDArray[np.int64], slack: float) -> Response:
    """Policy iteration with a bonus of two slacks a ply gives the upper bound, its choices with a malus the lower."""
    from solver import response_kernels as kernels

    game = (support.next_state, support.policy, support.able, support.node)

    def evaluate(bonus: float) -> Floats:
        start, target, probability, ends, reward = kernels.chain(*game, support.known, choice, bonus)
        value = np.asarray(Chain(start, target, probability, ends).backward(reward))
        kernels.spread(support.node, support.known, value)
        return value

    for _ in range(ITERATIONS):
        upper = evaluate(2.0 * slack)
        if not kernels.improve(
            *game, support.inside, support.around, support.known, upper, choice, 2.0 * slack, kernels.NOISE, False
        ):
            break
    upper = np.minimum(upper, np.where(support.hopeless, 0.0, 1.0))
    lower = np.maximum(evaluate(-2.0 * slack), -1.0)
    value = np.clip(evaluate(0.0), lower, np.maximum(lower, upper))
    return _enclosed(support, choice, value, lower, upper, slack)


def _enclosed(
    support: Support,
    choice: NDArray[np.int64],
    value: Floats,
    lower: Floats,
    upper: Floats,
    slack: float,
) -> Response:
    from solver import response_kernels as kernels

    game = (support.next_state, support.policy)
    action = kernels.actions_of(*game, support.node, support.inside, support.around, choice)
    reply, above, below = (kernels.replies(*game, x, s) for x, s in ((value, 0.0), (upper, slack), (lower, -slack)))
    ranks = _ranks(support, action, upper < 0, lower > 0)
    return _response(value, action, reply, Claim(upper, above, lower, below, action, *ranks))


def _ranks(support: Support, action: NDArray[np.int64], below: NDArray[np.bool_], above: NDArray[np.bool_]) -> Any:
    from solver import response_kernels as kernels

    game = (support.next_state, support.policy, support.able)
    return kernels.way_out(*game, below, action, True), kernels.way_out(*game, above, action, False)


def _proved(graph: GameGraph, policy: Floats, response: Response) -> Response:
    """The response with the bounds that are proved; in place of others, that a game is worth something from -1 to 1."""
    claim, one = response.claim, np.ones(len(response.value))
    no_upper, no_lower = replace(claim, upper=one, upper_reply=one), replace(claim, lower=-one, lower_reply=-one)
    for less in (claim, no_upper, no_lower):
        if not find_faults(graph, policy, less):
            return replace(response, claim=less)
    return replace(response, claim=replace(no_upper, lower=-one, lower_reply=-one))


def in_fractions(graph: GameGraph, support: Support, choice: NDArray[np.int64] | None) -> Response | None:
    """The exact value, where that is affordable; from these choices on, if there are any."""
    from solver.exactly import exact_claim

    claim = exact_claim(graph, support, _best_choices(support) if choice is None else choice)
    if claim is None:
        return None
    value, reply = (np.array([float(x) for x in bound]) for bound in (claim.upper, claim.upper_reply))
    return _response(value, claim.action, reply, claim)


def _response(value: Floats, action: NDArray[np.int64], reply: Floats, claim: Claim) -> Response:
    value, reply = value + 0.0, reply + 0.0  # never -0.0
    return Response(value, action, reply, float(value[0]), float(reply[0]), claim)


def _width(claim: Claim) -> float:
    """The widest gap between an upper and a lower bound."""
    return max(float(np.max(claim.upper - claim.lower)), float(np.max(claim.upper_reply - claim.lower_reply)))


def _down(bound: Any) -> float:
    low = max(float(bound), -1.0)
    return low if low <= bound else max(float(np.nextafter(low, -2.0)), -1.0)


def _up(bound: Any) -> float:
    return 0.0 - _down(-bound)
