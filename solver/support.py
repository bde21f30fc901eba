"""What can be said of a fixed policy from the moves that it plays at all, however rarely: nothing here is a number.

A set that the responder can keep play in for ever is an end component. It is taken as one node, whose choices are the
ways out of it and to stop, for 0. Then every way of playing ends, with probability 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.graph import GameGraph

UNDECIDED = 2  # in place of a value
STOP, NONE = -2, -1  # in place of an action: keep play endless; no legal move


@dataclass(frozen=True, eq=False)
class Support:
    """A graph and a policy, with all that is decided without numbers. Told for the responder."""

    next_state: NDArray[np.int32]
    policy: NDArray[np.float64]  # [S, A]
    able: NDArray[np.bool_]  # [S]: there is a legal move
    inside: NDArray[np.int64]  # [S]: the end component of the responder's turn there, or -1
    around: NDArray[np.int64]  # [S]: that of the policy's turn
    node: NDArray[np.int64]  # [S]: the lowest state of the end component, or the state itself
    known: NDArray[np.int8]  # [S]: the value with the responder to move where it is sure; else UNDECIDED
    choice: NDArray[np.int64]  # [S]: at the lowest state of a node: state * A + action, or STOP, that earns it
    hopeless: NDArray[np.bool_]  # [S]: the responder cannot win from there, whatever the luck

    @cached_property
    def undecided(self) -> NDArray[np.int64]:
        """The nodes that are left."""
        return np.flatnonzero((self.known == UNDECIDED) & (self.node == np.arange(len(self.node))))

    def value_of_reply(self, state: int) -> int:
        """The value with the policy to move there, if all its moves lead to the same known one; else UNDECIDED."""
        moves = self.policy[state] > 0.0
        ends = np.array([0, 1, -1, UNDECIDED])  # draw, the mover loses, wins; verdicts index from behind
        after = {int(x) for x in np.concatenate([self.known, ends])[self.next_state[state, moves]]}
        if not self.able[state]:
            return 1
        return after.pop() if len(after) == 1 else UNDECIDED


def decide(graph: GameGraph, policy: NDArray[np.float64]) -> Support:
    """Where the responder surely wins, surely loses, or can surely have 0 and no more."""
    from solver import support_kernels as kernels

    able = kernels.able_to_move(graph.next_state)
    if graph.ordered:
        inside = around = np.full(graph.num_states, -1)
    else:
        inside, around = kernels.end_components(graph.next_state, policy)
    node = kernels.nodes_of(inside)

    def closed(low: int, high: int, every: bool) -> Any:
        return kernels.closed_set(graph.next_state, policy, able, node, inside, around, low, high, every)

    wins, winning = closed(1, 1, False)
    loses, _ = closed(-1, -1, True)
    hopeless, _ = closed(-1, 0, True)
    safe, saving = closed(0, 1, False)
    known = np.full(graph.num_states, UNDECIDED, dtype=np.int8)
    known[safe & hopeless], known[loses], known[wins] = 0, -1, 1
    lowest = np.where(able, np.arange(graph.num_states) * graph.num_actions + graph.legal.argmax(axis=1), NONE)
    choice = np.where(wins, winning, np.where(loses, lowest, saving))
    return Support(graph.next_state, policy, able, inside, around, node, known, choice, hopeless)
