"""The game in which every intended move slips now and then: it breaks the ties that perfect play leaves.

With cycles: strategy iteration (Hoffman and Karp 1966), each intention judged exactly against the best reply to it. Its
value is then enclosed: a bonus of a rounding or two a ply, to either player, gives a bound that no move improves, which
`solver.tremble_bounds` checks. Where that leaves more than 1e-9, because slips that are rare decide, fractions decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games.graph import GameGraph
from games.policy import Policy
from solver.chain import Chain
from solver.results import table
from solver.tremble_bounds import Claim, find_faults

ALIKE = 1e-12  # moves whose values are this near are alike, if taking the lowest of them loses nothing
CLOSE = 5e-10  # bounds this near to each other are shown as one number, and the regret is off by twice that at most
SLACK = 2.0**-48  # half of the bonus of a ply
SLACKS = 4  # each 16 times as large, tried until the bounds are proved
NOISE = 2.0**-50  # a gain below this is rounding
GUESS = 200  # sweeps before the exact part
ITERATIONS = 1_000  # of strategy iteration; it takes a few

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tremble:
    epsilon: float
    value: Floats  # [S]: for the mover
    move_value: Floats  # [S, A]: of a move that did not slip; NaN where illegal
    action: Ints  # [S]: the best move, the lowest of several; 0 where there is none
    claim: Claim  # bounds of the value, as they were proved

    @property
    def error(self) -> float:
        """No value is off by more than this."""
        return float(self._doubt().max(initial=0.0))

    def _doubt(self) -> Floats:
        off = np.maximum(self.claim.upper - self.value, self.value - self.claim.lower)
        return np.asarray(np.maximum(off.astype(np.float64), 0.0))

    def policy(self, graph: GameGraph) -> Policy:
        """The reference: the best move everywhere."""
        return Policy.greedy(graph, np.arange(graph.num_actions) == self.action[:, None])

    def regret(self, graph: GameGraph, policy: Policy) -> float:
        """Mean, over states with a legal move, of the best minus the played value of the intended move."""
        return self.regret_of_table(table(graph, policy))

    def regret_of_table(self, probability: Floats) -> float:
        legal = ~np.isnan(self.move_value)
        can_move = legal.any(axis=1)
        best = np.where(legal, self.move_value, -2.0).max(axis=1)
        played = (np.where(legal, self.move_value, 0.0) * probability).sum(axis=1)
        lost = (1.0 - self.epsilon) * np.maximum(best - played, 0.0)[can_move]
        return float(lost.mean()) if len(lost) else 0.0

    def regret_error(self, graph: GameGraph) -> float:
        """No policy's regret is off by more than this; 0 where that is no more than 1e-9."""
        doubt = np.concatenate([self._doubt(), np.zeros(4)])[graph.next_state].max(axis=1, initial=0.0)
        off = 2.0 * doubt[graph.legal.any(axis=1)]  # of the best move, and of what is played
        error = float(off.mean()) if len(off) else 0.0
        return error if error > 2 * CLOSE else 0.0


def tremble(graph: GameGraph, epsilon: float = 0.05) -> Tremble:
    """The value when each intended move becomes a uniform legal one with probability epsilon; 0 where nothing ends."""
    from solver import tremble_kernels as kernels

    if not 0.0 < epsilon <= 1.0:
        raise Mistake(f"tremble: epsilon {epsilon} is not a probability above 0; take 0.05, for example")
    if not graph.ordered:
        return _with_cycles(graph, epsilon)
    value, doubt = kernels.sweeps(graph.next_state, epsilon, 1)
    move_value = kernels.all_move_values(graph.next_state, value)
    later = np.arange(graph.num_states, 0, -1)  # play goes on to later states, and ends
    return Tremble(epsilon, value, move_value, _lowest_best(move_value), Claim(value + doubt, value - doubt, later))


def _with_cycles(graph: GameGraph, epsilon: float) -> Tremble:
    from solver import tremble_kernels as kernels
    from solver.tremble_exact import exact_values

    guess, _ = kernels.sweeps(graph.next_state, epsilon, GUESS)
    intention = np.repeat(_lowest_best(kernels.all_move_values(graph.next_state, guess)), 2)  # [2 S]: first, second
    worth = _iterate(graph, epsilon, intention)
    claim = _enclosed(graph, epsilon, intention.copy())
    if _width(claim) > CLOSE:
        chain, _ = _chain(graph, epsilon, intention)
        exact = exact_values(graph, epsilon, chain, intention)
        if exact is not None:
            bound = np.array(exact, dtype=object)
            claim = Claim(bound, bound, claim.rank)
            worth[0::2] = [float(x) for x in exact]
    upper, lower = claim.upper.astype(np.float64), claim.lower.astype(np.float64)
    value = np.clip(worth[0::2], lower, np.maximum(lower, upper)) + 0.0  # never -0.0
    move_value = kernels.all_move_values(graph.next_state, value)
    action = _lowest_best(move_value)
    reply = np.repeat(action, 2)
    reply[1::2] = intention[1::2]
    if (_iterate(graph, epsilon, reply, players=(1,))[0::2] < value - CLOSE).any():
        action = _exactly_best(graph, claim) if claim.upper.dtype == object else intention[0::2]
    return Tremble(epsilon, value, move_value, action, claim)


def _chain(graph: GameGraph, epsilon: float, intention: Ints) -> tuple[Chain, Floats]:
    from solver import tremble_kernels as kernels

    start, target, probability, ends, reward = kernels.chain(graph.next_state, epsilon, intention)
    return Chain(start, target, probability, ends), reward


def _iterate(
    graph: GameGraph, epsilon: float, intention: Ints, bonus: float = 0.0, players: tuple[int, ...] = (1, 0)
) -> Floats:
    """[2 S]: what these players' best intentions, written into `intention`, are worth to the first player."""
    from solver import tremble_kernels as kernels

    for _ in range(ITERATIONS):
        chain, reward = _chain(graph, epsilon, intention)
        worth = chain.backward(reward + bonus)
        if not any(kernels.improve(graph.next_state, worth, intention, player, NOISE) for player in players):
            break
    return worth


def _enclosed(graph: GameGraph, epsilon: float, intention: Ints) -> Claim:
    """A bonus to the first player gives its upper bounds where it moves, and the other's lower bounds elsewhere."""
    from solver import tremble_kernels as kernels

    rank = kernels.ranks(graph.next_state)
    for attempt in range(SLACKS):
        worth = _iterate(graph, epsilon, intention, 2.0 * SLACK * 16.0**attempt)
        claim = Claim(np.clip(worth[0::2], -1.0, 1.0), np.clip(-worth[1::2], -1.0, 1.0), rank)
        if not find_faults(graph, epsilon, claim):
            return claim
    one = np.ones(graph.num_states)
    return Claim(one, -one, rank)


def _lowest_best(move_value: Floats) -> Ints:
    known = np.where(np.isnan(move_value), -2.0, move_value)
    return np.asarray((known >= known.max(axis=1, keepdims=True) - ALIKE).argmax(axis=1))


def _exactly_best(graph: GameGraph, claim: Claim) -> Ints:
    ends = np.array([0, -1, 1, -2], dtype=object)  # a draw, the mover loses, wins, illegal: they index from behind
    worth = np.concatenate([-claim.upper, ends])[graph.next_state]
    return np.asarray(worth.argmax(axis=1))


def _width(claim: Claim) -> float:
    return float(np.max(claim.upper - claim.lower))
