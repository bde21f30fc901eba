"""The contract: what a learner has to bring, and what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from agents.learner import Learner, resumable
from agents.settings import AGENTS
from games import GameGraph, Policy, compile_rulebook, rulebook_names
from training.loop import make_learner
from training.resolve import resolve


class Smallest(Learner):
    """Plays uniformly for ever."""

    def __init__(self, settings: Any, graph: GameGraph, seed: int) -> None:
        self.graph = graph

    def advance(self, steps: int) -> int:
        return steps

    def policy(self) -> Policy:
        return Policy.uniform(self.graph)


class Half(Smallest):
    def state(self) -> dict[str, Any]:
        return {}


class Whole(Half):
    def restore(self, state: Mapping[str, Any]) -> None:
        pass


def test_what_a_learner_does_not_bring_is_empty_and_it_cannot_be_resumed(graph: GameGraph) -> None:
    learner = Smallest(None, graph, 0)
    assert learner.artifacts() == ({}, {})
    assert learner.metrics() == {}
    assert [resumable(kind) for kind in (Smallest, Half, Whole)] == [False, False, True]


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_every_agent_can_be_resumed_and_gives_files_and_facts(agent: str) -> None:
    settings = resolve(env=rulebook_names()[0], agent=agent, changes={"steps": 1})
    learner = make_learner(settings, compile_rulebook(settings.book))
    assert resumable(type(learner))
    files, facts = learner.artifacts()
    assert all(isinstance(content, bytes) for content in files.values())
    assert all(np.isfinite(number) for number in facts.values())
