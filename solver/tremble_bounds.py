"""An independent check of the values of a trembling game, in one pass, that shares no code with the solver.

A claim holds two bounds for each state, told for its mover. They are right if

- no bound can be pushed on: with hands that slip, the upper bound is at least what the mover gets where each move leads
  to the lower bound of the other side, and the lower bound at most what it gets from the upper ones;
- from every state with a rank a slip may end the game, or lead to a lower rank, so that play ends with probability 1
  or reaches a state without a rank, whatever the intentions are; and no move leads from a state without a rank to one
  with a rank or to an end, so that play there is endless, and worth 0.

The check makes no use of rounded numbers: where a bound is too near for floats to tell, it is compared in fractions.
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
SURE = 2.0**-50  # per move: more than what rounding may add to a sum of numbers from -1 to 1
ENDLESS = -1  # in place of a rank


@dataclass(frozen=True, eq=False)
class Claim:
    """Told for the mover. Bounds are floats, or objects: fractions."""

    upper: NDArray[Any]  # [S]
    lower: NDArray[Any]  # [S]
    rank: NDArray[np.int64]  # [S]: witness that play ends; ENDLESS where it never does


def find_faults(graph: GameGraph, epsilon: float, claim: Claim) -> list[str]:
    """What is not proved by a claim, the first twenty; an empty list when its bounds are bounds."""
    if any(len(getattr(claim, name)) != graph.num_states for name in Claim.__dataclass_fields__):
        return ["the claim is about another number of states"]
    to, endless = graph.next_state, claim.rank < 0
    none, big = graph.legal.sum(axis=1) == 0, np.iinfo(np.int64).max
    after = np.concatenate([np.where(endless, big, claim.rank), [-1, -1, -1, big]])[to]  # illegal is the last one
    lowered = none | (after.min(axis=1, initial=big) < claim.rank)
    undecided = ~endless & ~none
    never = ~none & (~graph.legal | (after == big)).all(axis=1)
    claims = (
        (~endless & ~lowered, "no slip lowers its rank, so that play may never end"),
        (endless & ~never, "some move ends what is called endless"),
        (endless & ~((claim.upper >= 0) & (claim.lower <= 0)), "is endless, worth 0, and its bounds deny it"),
        (none & ~((claim.upper >= -1) & (claim.lower <= -1)), "is lost, and its bounds deny it"),
        (
            undecided & ~_holds(graph, epsilon, undecided, claim.upper, claim.lower, 1),
            "is worth more than its upper bound",
        ),
        (
            undecided & ~_holds(graph, epsilon, undecided, -claim.lower, -claim.upper, -1),
            "is worth less than its lower bound",
        ),
    )
    faults = [f"state {s} ({graph.words(s)}): {what}" for wrong, what in claims for s in np.flatnonzero(wrong).tolist()]
    return faults if len(faults) <= MOST else [*faults[:MOST], f"and {len(faults) - MOST} more"]


def _holds(
    graph: GameGraph, epsilon: float, asked: NDArray[np.bool_], bound: NDArray[Any], other: NDArray[Any], side: int
) -> NDArray[np.bool_]:
    """[S]: whether the bound, where asked, is at least what trembling hands get from the other bound of states after.

    Told for the mover (side 1) or against it (-1): then the intended move is the least for the one it is told for.
    """
    ends = np.zeros(4, dtype=bound.dtype)
    ends[[MOVER_WINS, MOVER_LOSES]] = side, -side
    assert (ILLEGAL, DRAW) == (-1, -4)
    good = np.zeros(graph.num_states, dtype=np.bool_)
    count = np.maximum(graph.legal.sum(axis=1), 1)
    if bound.dtype != object:
        worth = np.where(graph.legal, np.concatenate([-other, ends])[graph.next_state], 0.0)
        intended = np.where(graph.legal, side * worth, -np.inf).max(axis=1) * side
        with np.errstate(invalid="ignore"):
            gets = (1.0 - epsilon) * intended + epsilon * worth.sum(axis=1) / count
            good = np.asarray(bound > gets + SURE * (graph.num_actions + 4))
    slip = Fraction(epsilon)
    for s in np.flatnonzero(asked & ~good).tolist():
        after = [-other[t] if t >= 0 else ends[t] for t in graph.next_state[s, graph.legal[s]].tolist()]
        if not all(isinstance(x, Fraction | int) or np.isfinite(x) for x in [bound[s], *after]):
            continue
        worths = [Fraction(x) for x in after]
        intention = max(worths) if side > 0 else min(worths)
        good[s] = (1 - slip) * intention + slip * sum(worths) / len(worths) <= Fraction(bound[s])
    return good
