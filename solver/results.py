"""Exact results of one policy playing another: no dice, no episodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games.graph import GameGraph
from games.policy import Policy
from solver.chain import Chain

SMALL = 1e-13  # open probability at which ply-by-ply play stops
CLOSE = 1e-9  # an error up to this is that of a number, not of an interval
WORK = 2_000_000_000  # edges followed before it stops anyway

Floats = NDArray[np.float64]
STRICT = {"extra": "forbid", "strict": True, "allow_inf_nan": False}  # how pydantic reads a record from JSON


@dataclass(frozen=True)
class Result:
    """Told for the first seat by `versus`; the four probabilities add up to 1 (within `error`, where that is not 0)."""

    __pydantic_config__ = STRICT

    win: float
    loss: float
    draw: float
    endless: float  # no rule ever ends the game
    plies: float | None  # expected, over games that end; None if none does
    error: float = 0.0  # no probability is off by more than this; 0 where the result is exact up to rounding
    plies_error: float | None = 0.0  # the same for plies; None where nothing can be said

    def other_side(self) -> Result:
        """The same games told for the other player."""
        return replace(self, win=self.loss, loss=self.win)


@dataclass(frozen=True, eq=False)
class Visitation:
    """How often each state is met by each seat when two policies play."""

    visits: Floats  # [S, 2]: expected number of turns of that seat at that state; infinite where play stays for ever
    share: (
        Floats | None
    )  # [S, 2]: long-run share of the turns where play stays for ever, sums to `endless`; None: unknown
    result: Result


def versus(graph: GameGraph, first: Policy, second: Policy) -> Result:
    """Exact win, loss, draw and endless probability and expected plies, told for the policy that moves first."""
    return visitation(graph, first, second).result


def visitation(graph: GameGraph, first: Policy, second: Policy) -> Visitation:
    """Exact visits of every state, and the result: a sweep, or elimination, or a bound ply by ply for a huge cycle."""
    return visitation_of_tables(graph, table(graph, first), table(graph, second))


def table(graph: GameGraph, policy: Policy) -> Floats:
    """[S, A]: the probabilities of a policy for this very graph."""
    if policy.graph is not graph and policy.graph.checksum != graph.checksum:
        raise Mistake(f"{graph.game}: the policy is for another graph, of {policy.graph.game}; make it for this one")
    return policy.probability


def visitation_of_tables(graph: GameGraph, first: Floats, second: Floats) -> Visitation:
    from solver import result_kernels as kernels

    if graph.ordered:
        visits, (win, loss, draw, plies) = kernels.follow(graph.next_state, first, second)
        return Visitation(visits, np.zeros_like(visits), _whole(win, loss, draw, 0.0, float(plies)))
    pair, start, target, probability, outcome, moves = kernels.pairs(graph.next_state, first, second)
    chain = Chain(start, target, probability, outcome.sum(axis=1))
    if not chain.affordable:
        return _solved(graph, chain, pair, outcome, moves) or _bounded(graph, chain, pair, outcome, moves)
    mass = np.zeros(len(pair))
    mass[0] = 1.0
    met, stay, lossy = chain.forward(mass)
    if lossy:
        return _in_fractions(graph, chain, pair, outcome, moves) or _bounded(graph, chain, pair, outcome, moves)
    win, loss, draw = (float(met @ outcome[:, k]) for k in range(3))
    endless, ending = float(stay.sum()), win + loss + draw
    turns = met * moves
    if endless > 0.0:  # only the plies of games that end
        turns = turns * chain.backward(chain.ends)
    plies = float(turns.sum()) / ending if ending > 0.0 else None
    visits, share = np.zeros((graph.num_states, 2)), np.zeros((graph.num_states, 2))
    visits.flat[pair] = np.where(stay > 0.0, np.inf, met)
    share.flat[pair] = stay
    return Visitation(visits, share, _whole(win, loss, draw, endless, plies))


def _in_fractions(
    graph: GameGraph, chain: Chain, pair: NDArray[np.int64], outcome: Floats, moves: NDArray[np.bool_]
) -> Visitation | None:
    """Where chances are too small for floats; None where that would take long."""
    from solver.exact_chain import ZERO, ExactChain, nearest

    exact = ExactChain(chain)
    if not exact.affordable:
        return None
    met, stay = exact.forward()
    win, loss, draw, turns = ZERO, ZERO, ZERO, ZERO
    for visits, row, parts, chance, moved in zip(
        met, exact.rows, outcome.tolist(), exact.ending(), moves.tolist(), strict=True
    ):
        turns += visits * chance * moved  # only the plies of games that end
        if row.ends:
            each = visits * row.ends / row.total / sum(map(Fraction, parts))
            win, loss, draw = (so_far + each * Fraction(p) for so_far, p in zip((win, loss, draw), parts, strict=True))
    ending = win + loss + draw
    plies = nearest(turns / ending) if ending else None
    result = Result(float(win), float(loss), float(draw), float(sum(stay, ZERO)), plies)
    visits_of, share = np.zeros((graph.num_states, 2)), np.zeros((graph.num_states, 2))
    visits_of.flat[pair] = [np.inf if float(x) else nearest(visits) for visits, x in zip(met, stay, strict=True)]
    share.flat[pair] = [float(x) for x in stay]
    return Visitation(visits_of, share, result)


def _whole(win: float, loss: float, draw: float, endless: float, plies: float | None) -> Result:
    """Play ends in one of four ways: what the sum is off from 1 is rounding, and is shared out."""
    total = win + loss + draw + endless
    return Result(float(win / total), float(loss / total), float(draw / total), float(endless / total), plies)


def _solved(
    graph: GameGraph, chain: Chain, pair: NDArray[np.int64], outcome: Floats, moves: NDArray[np.bool_]
) -> Visitation | None:
    """Solved as a sparse system and proved by what is left of each equation; None where that leaves more than 1e-9.

    If the expected time to the end falls by at least a half each ply, what is off by d in the equation of every node is
    off by no more than 2 d times that time in the answer.
    """
    if chain.closed[0]:
        return None  # play is endless at once
    leaves = ~chain.closed
    source = np.repeat(np.arange(len(pair)), np.diff(chain.start))
    to_closed = np.bincount(source, chain.probability * chain.closed[chain.target], len(pair))
    rights = [np.where(leaves, right, 0.0) for right in (*outcome.T, to_closed)]
    time = chain.solve(leaves.astype(np.float64))
    if not chain.residual(time, leaves.astype(np.float64)) <= 0.5:
        return None
    chances = [chain.solve(right) for right in rights]
    off = max(chain.residual(chance, right) for chance, right in zip(chances, rights, strict=True))
    error, worst = (2 * off * float(x) for x in (time[0], time.max()))
    if not 5 * error <= CLOSE:
        return None
    ending = chances[0] + chances[1] + chances[2]
    turns = np.where(leaves, ending * moves, 0.0)
    total = chain.solve(turns)
    total_error = 2 * (chain.residual(total, turns) + worst) * float(time[0])
    win, loss, draw, endless = (max(float(chance[0]), 0.0) for chance in chances)
    plies, plies_error, ends = None, None, float(ending[0])
    if ends > 4 * error:
        plies = float(total[0]) / ends
        plies_error = (total_error + plies * 4 * error) / (ends - 4 * error)
    mass = np.zeros(len(pair))
    mass[0] = 1.0
    met = np.maximum(chain.solve(mass, transposed=True), 0.0)
    if not np.isfinite(total_error + met.sum()):
        return None
    visits = np.zeros((graph.num_states, 2))
    visits.flat[pair] = np.where(chain.closed & (met > 0), np.inf, met)
    share = None if chain.closed.any() else np.zeros((graph.num_states, 2))
    result = replace(_whole(win, loss, draw, endless, plies), error=5 * error, plies_error=plies_error)
    return Visitation(visits, share, result)


def _bounded(
    graph: GameGraph, chain: Chain, pair: NDArray[np.int64], outcome: Floats, moves: NDArray[np.bool_]
) -> Visitation:
    """What has happened after many plies. What is still open, and every rounding on the way, goes into the error."""
    from solver import result_kernels as kernels

    plies_allowed = max(WORK // max(len(chain.target), 1), 1)
    done, met, ply, still, worst = kernels.ply_by_ply(
        chain.start, chain.target, chain.probability, outcome, moves, chain.closed, plies_allowed, SMALL
    )
    win, loss, draw, endless = (min(float(x), 1.0) for x in done[:4])
    ended_plies = float(done[4])
    terms = int(np.bincount(chain.target, minlength=1).max()) + 3  # roundings of one number in one ply
    rounding = ply * terms * float(np.finfo(np.float64).eps)
    ending, error = win + loss + draw, still + rounding
    plies = ended_plies / ending if ending > 0.0 else None
    plies_error: float | None = None
    if plies is not None and worst < 1.0 and ending > error:
        later = still * (ply + ply / (1.0 - worst))  # of each `ply` plies more, at most `worst` survive
        high = (ended_plies * (1.0 + rounding) + later) / (ending - rounding)
        plies_error = max(high - plies, plies - ended_plies * (1.0 - rounding) / (ending + error))
    visits = np.zeros((graph.num_states, 2))
    visits.flat[pair] = np.where(chain.closed & (met > 0), np.inf, met)
    return Visitation(visits, None, Result(win, loss, draw, endless, plies, error, plies_error))
