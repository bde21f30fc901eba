"""The built-in opponent of a solo env: a policy laid out so that one random word picks a reply."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake, need
from envs import stream
from games.graph import GameGraph
from games.policy import Policy

OPPONENTS = ("uniform", "optimal")


@dataclass(frozen=True, eq=False)
class Replies:
    """Immutable, so that copies of an env share it."""

    choice: NDArray[np.int32]  # [S, A]: the actions played at all, first in each row
    count: NDArray[np.uint64]  # [S]: how many those are
    share: NDArray[np.float64]  # [S, A]: probability of that choice or one before it; [0, 0] where every row is flat

    def __deepcopy__(self, memo: object) -> Replies:
        return self

    @property
    def flat(self) -> bool:
        """Whether each state's choices are all alike, so that no search is needed."""
        return self.share.size == 0

    def pick(self, state: int, word: int) -> int:
        """The reply that these random bits choose."""
        if self.flat:
            return int(self.choice[state, stream.below(word, int(self.count[state]))])
        place, luck = 0, stream.fraction(word)
        while luck >= self.share[state, place]:
            place += 1
        return int(self.choice[state, place])


def make_replies(graph: GameGraph, opponent: Any) -> Replies:
    """Of "uniform", "optimal" or any Policy for this game."""
    if isinstance(opponent, Policy):
        if opponent.graph is not graph and opponent.graph.checksum != graph.checksum:
            member = f"{opponent.graph.game} {dict(opponent.graph.parameters)}"
            raise Mistake(
                f"{graph.game}: the opponent plays {member}, not {dict(graph.parameters)}; give it this game's arrays"
            )
        return replies_of(opponent)
    need(graph.game, "opponent", opponent, OPPONENTS)
    return _named(graph, opponent)


@lru_cache(maxsize=8)
def _named(graph: GameGraph, opponent: str) -> Replies:
    if opponent == "uniform":
        return replies_of(Policy.uniform(graph))
    from solver import optimal  # on first use: it is not needed to play at random

    return replies_of(optimal(graph))


def replies_of(policy: Policy) -> Replies:
    probability = policy.probability
    played = probability > 0
    count = played.sum(axis=1)
    choice = np.argsort(~played, axis=1, kind="stable").astype(np.int32)
    alike = played / np.maximum(count, 1)[:, None]
    if np.allclose(probability, alike, rtol=1e-12, atol=0.0):
        share = np.zeros((0, 0))
    else:
        share = np.cumsum(np.take_along_axis(probability, choice, axis=1), axis=1)
        share[np.arange(len(share)), np.maximum(count, 1) - 1] = 1.0  # rounding leaves no luck without a reply
    return Replies(choice, count.astype(np.uint64), share)
