"""A learner of one's own: python train.py --env number-flip --agent examples/my_learner.py --set step_size=0.5"""

from typing import Any

import numpy as np
from pydantic import Field

from agents.learner import Learner
from agents.settings import AgentSettings
from envs import stream
from games import GameGraph, Policy
from games.graph import WORTH


class MySettings(AgentSettings):
    steps: int = Field(200_000, description="The budget: how many moves are tried.", ge=1)
    step_size: float = Field(1.0, description="How far a value moves towards its target.", gt=0, le=1)


class MyLearner(Learner):
    """Tries random moves at random positions; a move is worth minus the best answer to it."""

    def __init__(self, settings: MySettings, graph: GameGraph, seed: int) -> None:
        self.settings, self.graph = settings, graph
        self.legal = [np.flatnonzero(row) for row in graph.legal]  # of each state, the legal actions
        self.states = np.flatnonzero(graph.legal.any(axis=1))
        self.value = np.zeros(graph.next_state.shape)  # [S, A]: told from the mover's side
        self.luck = stream.seeded(seed)

    def advance(self, steps: int) -> int:
        for _ in range(steps):
            state = self.states[self.draw(len(self.states))]
            action = self.legal[state][self.draw(len(self.legal[state]))]
            after = self.graph.next_state[state, action]
            target = WORTH[-after] if after < 0 else -0.99 * max(self.value[after, self.legal[after]], default=-1.0)
            self.value[state, action] += self.settings.step_size * (target - self.value[state, action])
        return steps

    def draw(self, count: int) -> int:
        self.luck = stream.advance(self.luck)
        return int(stream.below(stream.word(self.luck), count))

    def policy(self) -> Policy:
        return Policy.greedy(self.graph, self.value)

    def state(self) -> dict[str, Any]:  # with `restore`: a run can be resumed
        return {"value": self.value.copy(), "luck": np.uint64(self.luck)}

    def restore(self, state: Any) -> None:
        self.value[:], self.luck = state["value"], int(state["luck"])
