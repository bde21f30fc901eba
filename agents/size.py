"""How much a game asks of a learner by self-play: what PPO's settings follow where they are not given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games import GameGraph

PLIES_PER_PAIR = 8  # in a rollout, of each legal move of each position: so that chance averages out
LONG = 30  # plies: the longer games last, the rarer are their first positions among all that are passed
SMALLEST, LARGEST = 1 << 14, 1 << 18  # plies of a rollout
ROLLOUTS, ROLLOUTS_PER_PLY = 50, 2.5  # perfect play spreads backward from the end of the game, so many a ply
ENDED = 1e-3  # the share of random games that may still go on where their length is told


def rollout_of(graph: GameGraph) -> int:
    """How many plies make a rollout: a power of two."""
    pairs = int(np.count_nonzero(graph.legal))
    wanted = math.ceil(PLIES_PER_PAIR * pairs * max(length_of(graph) / LONG, 1.0))
    return min(max(1 << (wanted - 1).bit_length(), SMALLEST), LARGEST)


def rollouts_of(graph: GameGraph) -> int:
    """How many rollouts make a budget."""
    return round(ROLLOUTS + ROLLOUTS_PER_PLY * length_of(graph))


def length_of(graph: GameGraph) -> float:
    """How many plies a uniformly random game lasts on average, but at most twice the way to the farthest position."""
    most = 2 * _farthest(graph)
    states, actions = np.nonzero(graph.next_state >= 0)
    after = graph.next_state[states, actions]
    moves = np.count_nonzero(graph.legal, axis=1)
    share = 1.0 / moves[states]
    there: NDArray[np.float64] = np.zeros(graph.num_states)  # [S]: the share of games that stand there
    there[0] = 1.0
    length = 0.0
    while length < most and (going := float(there[moves > 0].sum())) > ENDED:
        length += going
        there = np.bincount(after, weights=there[states] * share, minlength=graph.num_states).astype(np.float64)
    return min(length, most)


def _farthest(graph: GameGraph) -> int:
    """How many plies the position is away that is reached last, each as soon as it can be; the first move counts."""
    seen, plies = np.zeros(graph.num_states, dtype=bool), 0
    front: NDArray[Any] = np.zeros(1, dtype=np.int32)
    while len(front):
        seen[front] = True
        after = np.unique(graph.next_state[front])
        front, plies = after[(after >= 0) & ~seen[np.maximum(after, 0)]], plies + 1
    return plies
