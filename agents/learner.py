"""The contract of a learner: what the training loop asks of whoever learns, and nothing else.

    class MyLearner(Learner):
        def __init__(self, settings: AgentSettings, graph: GameGraph, seed: int) -> None: ...
        def advance(self, steps: int) -> int: ...
        def policy(self) -> Policy: ...

That is enough to be trained and judged. With `state` and `restore` a run can be resumed after it was stopped: then
advancing by n twice must be advancing by 2n once, bit for bit, also through `state` and `restore` in between.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games import Policy

State = dict[str, Any]  # arrays and numbers
MOST_STEPS = 2**53


class Learner(Protocol):
    """Made as learner(settings, graph, seed); the same three give the same policy after the same steps."""

    @abstractmethod
    def advance(self, steps: int) -> int:
        """Learn for about so many steps; returns how many were made, at least 1."""

    @abstractmethod
    def policy(self) -> Policy:
        """The policy to be judged now. Asking for it changes nothing in the learner."""

    def state(self) -> State:
        """All that `restore` needs to continue as if nothing had happened: copies, never views.

        The names, shapes and types of its arrays are the same at all times: what is read from a file is compared with
        those of a new learner before `restore` sees it.
        """
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the learner that `state` was taken from; called on a new one with the same settings and seed.

        Whatever serves as an index is looked at first (`within`): a file may be damaged.
        """
        raise NotImplementedError

    def artifacts(self) -> tuple[Mapping[str, bytes], Mapping[str, float]]:
        """At the end of a run: further files for its folder, by name, and facts about the policy for its scorecard."""
        return {}, {}

    def metrics(self) -> Mapping[str, float]:
        """What a tracker shows beside the exact numbers: losses and the like, by their tag."""
        return {}


def within(state: Mapping[str, Any], name: str, low: float, high: float) -> NDArray[Any]:
    """An array of a saved state, all of it from low to high; else the state is damaged."""
    array = np.asarray(state[name])
    if not ((array >= low) & (array <= high)).all():  # also where it is not a number
        raise Mistake(f"{name} holds a value outside {low} to {high}")
    return array


def resumable(kind: type) -> bool:
    """Whether learners of this class can be stopped, written down and resumed."""
    own = [getattr(kind, name, None) for name in ("state", "restore")]
    return own[0] not in (None, Learner.state) and own[1] not in (None, Learner.restore)
