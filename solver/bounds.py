"""An independent check of a best response, in one pass, that shares no code with the solver.

A claim holds bounds for each state, with the responder to move and with the policy to move, told for the responder, and
a response. They are right if

- no upper bound rises: with the responder to move it is at least that of whatever a move leads to, and with the policy
  to move at least the mean of what its moves lead to. Then nothing that ends is worth more. Play that never ends is
  worth 0, which is more than a bound below 0: so from a state with such a bound, whatever the responder does, play
  leaves these states. As witness each has a rank, which every move may lower, with a probability above 0;
- no lower bound falls, under the moves of the response; and from a state with a bound above 0 the response leaves these
  states, which is witnessed in the same way.

The check makes no use of rounded numbers: where a mean is too near to its bound for floats to tell, it is compared in
fractions. A row of the policy stands for its weights divided by their sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.graph import GameGraph
from games.rulebook import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS

MOST = 20  # faults told
SURE = 2.0**-49  # per move: the share of a sum that rounding may take or add, and much more
SMALL = 1e-290  # below this, products may have lost digits


@dataclass(frozen=True, eq=False)
class Claim:
    """Told for the responder. Bounds are floats, or objects: fractions."""

    upper: NDArray[Any]  # [S]: the responder is to move
    upper_reply: NDArray[Any]  # [S]: the policy is to move
    lower: NDArray[Any]
    lower_reply: NDArray[Any]
    action: NDArray[np.int64]  # [S]: the response that earns `lower`; -1 without a legal move
    upper_rank: NDArray[np.int64]  # [S]: witness that play leaves the states with `upper` below 0
    lower_rank: NDArray[np.int64]  # [S]: witness that the response leaves the states with `lower` above 0


def find_faults(graph: GameGraph, policy: NDArray[np.float64], claim: Claim) -> list[str]:
    """What is not proved by a claim, the first twenty; an empty list when its bounds are bounds."""
    to, states = graph.next_state, graph.num_states
    if any(len(getattr(claim, name)) != states for name in Claim.__dataclass_fields__):
        return ["the claim is about another number of states"]
    if (claim.action < -1).any() or (claim.action >= graph.num_actions).any():
        return ["the response has an action that there is not"]
    can_move = graph.legal.any(axis=1)
    # [S, A]: what a move leads to; verdicts, being negative, index from behind
    upper = np.concatenate([claim.upper_reply, _ends(1)])[to]
    chosen = np.maximum(claim.action, 0)
    every = np.arange(states)
    lower = np.concatenate([claim.lower_reply, _ends(1)])[to[every, chosen]]
    has_action = (claim.action >= 0) & graph.legal[every, chosen]
    plays = policy > 0
    responses = graph.legal & (np.arange(graph.num_actions) == chosen[:, None])
    not_above = _not_above(to, policy, claim.upper, claim.upper_reply)
    not_below = _not_above(to, policy, -claim.lower, -claim.lower_reply, -1)
    up_left = _left(to, plays, claim.upper < 0, claim.upper_rank, graph.legal)
    down_left = _left(to, plays, claim.lower > 0, claim.lower_rank, responses)
    claims = (
        (can_move & ~has_action, "has no legal response"),
        (can_move & ~plays.any(axis=1), "has no move of the policy"),
        (~can_move & ~((claim.upper >= -1) & (claim.lower <= -1)), "is lost, and its bounds deny it"),
        (
            ~can_move & ~((claim.upper_reply >= 1) & (claim.lower_reply <= 1)),
            "is won without a move, and its bounds deny it",
        ),
        ((graph.legal & ~(claim.upper[:, None] >= upper)).any(axis=1), "some move is worth more than the upper bound"),
        (can_move & ~(claim.lower <= lower), "the response is worth less than the lower bound"),
        (~not_above, "the policy's moves are worth more than the upper bound"),
        (~not_below, "the policy's moves are worth less than the lower bound"),
        (~up_left, "play may stay for ever, for 0, where the upper bound is below 0"),
        (~down_left, "the response may stay for ever, for 0, where the lower bound is above 0"),
    )
    faults = [f"state {s} ({graph.words(s)}): {what}" for wrong, what in claims for s in np.flatnonzero(wrong).tolist()]
    return faults if len(faults) <= MOST else [*faults[:MOST], f"and {len(faults) - MOST} more"]


def _ends(side: int) -> NDArray[Any]:
    """[4]: what a verdict is worth to the responder, whose move (1) or whose opponent's (-1) it ends; ILLEGAL: 0."""
    ends = np.zeros(4)
    ends[[MOVER_WINS, MOVER_LOSES]] = side, -side
    assert (ILLEGAL, DRAW) == (-1, -4)
    return ends


def _not_above(
    to: NDArray[np.int32], policy: NDArray[np.float64], bound: NDArray[Any], reply: NDArray[Any], side: int = 1
) -> NDArray[np.bool_]:
    """[S]: whether the mean of the bounds that the policy's moves lead to is at most that of the reply."""
    after = np.concatenate([bound, side * _ends(-1)])[to]
    plays = policy > 0
    if bound.dtype == object:
        good = np.zeros(len(to), dtype=bool)
    else:
        with np.errstate(invalid="ignore", under="ignore", over="ignore"):
            rise = policy * np.where(plays, after - reply[:, None], 0.0)
            up, down = np.maximum(rise, 0.0).sum(axis=1), np.maximum(-rise, 0.0).sum(axis=1)
        share = SURE * to.shape[1]
        good = np.asarray(~(plays & ~(after <= reply[:, None])).any(axis=1))
        good |= (up > SMALL) & (up * (1.0 + share) < down * (1.0 - share))
    for s in np.flatnonzero(~good & plays.any(axis=1)).tolist():
        moves = np.flatnonzero(plays[s]).tolist()
        if not all(isinstance(x, Fraction) or np.isfinite(x) for x in [reply[s], *after[s, moves]]):
            continue
        limit = Fraction(reply[s])
        good[s] = sum(Fraction(policy[s, a]) * (Fraction(after[s, a]) - limit) for a in moves) <= 0
    return np.asarray(good | ~plays.any(axis=1))


def _left(
    to: NDArray[np.int32],
    plays: NDArray[np.bool_],
    members: NDArray[Any],
    rank: NDArray[np.int64],
    moves: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """[S]: whether each of these moves may lead out of the members, or to one of a lower rank."""
    members = members.astype(np.bool_)
    if not members.any():
        return np.ones(len(to), dtype=np.bool_)
    high = np.iinfo(np.int64).max
    there = np.concatenate([np.where(members, rank, -1), [-1, -1, -1, -1]])[to]
    least = np.where(plays, there, high).min(axis=1, initial=high)  # [S]: of the policy's moves
    least[~plays.any(axis=1)] = -1  # play ends there
    after = np.concatenate([least, [-1, -1, -1, -1]])[to]
    lowered = np.where(moves, after, -1).max(axis=1, initial=-1) < rank
    return np.asarray(~members | (lowered & (rank >= 0)) | ~moves.any(axis=1))
