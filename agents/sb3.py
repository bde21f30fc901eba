"""Exact scores inside anyone's training with Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback

from games import GameGraph, Mistake, Policy, observe
from solver import Scorecard, scorecard


class ExactEvalCallback(BaseCallback):
    """The exact scorecard inside anyone's own SB3 training on one of our envs, every so many steps.

    `cards` keeps (steps, Scorecard); SB3's logger gets exact/blunders, exact/accuracy and exact/exploitability. The
    policy is judged greedy and masked, whatever the model does with masks.
    """

    def __init__(
        self,
        graph: GameGraph,
        every: int = 10_000,
        observation: str = "onehot",
        tell: Callable[[int, Scorecard], None] | None = None,
    ) -> None:
        super().__init__()
        if every < 1:
            raise Mistake(f"ExactEvalCallback: every={every}; it must be at least 1 step")
        self.graph, self.every, self.observation, self.tell = graph, every, observation, tell
        self.cards: list[tuple[int, Scorecard]] = []
        self._next = 0

    def _on_step(self) -> bool:
        if self.num_timesteps >= self._next:
            self._score()
            self._next = self.num_timesteps - self.num_timesteps % self.every + self.every
        return True

    def _on_training_end(self) -> None:
        self._score()

    def _score(self) -> None:
        policy = greedy(self.model, self.graph, self.observation)
        card = replace(scorecard(self.graph, policy), steps=self.num_timesteps)
        self.cards.append((self.num_timesteps, card))
        for name in ("blunders", "accuracy", "exploitability"):
            self.logger.record(f"exact/{name}", float(getattr(card, name)))
        if self.tell is not None:
            self.tell(self.num_timesteps, card)


def greedy(model: Any, graph: GameGraph, observation: str = "onehot") -> Policy:
    """What an SB3 model would play everywhere: its most probable legal move, or its legal move of highest Q-value."""
    import torch

    seen, shown = model.observation_space.shape, observe(graph, observation, np.arange(1)).shape[1:]
    if seen != shown or model.action_space.n != graph.num_actions:
        raise Mistake(
            f"{graph.game}: the model sees numbers of shape {seen} and has {model.action_space.n} actions, but "
            f"observation={observation!r} has {shown} and {graph.num_actions}; pass the game and observation of its env"
        )

    def preferences(observations: Any, masks: Any) -> NDArray[np.float64]:
        with torch.no_grad():
            seen = torch.as_tensor(observations, device=model.device)
            if hasattr(model, "q_net"):
                scores = model.q_net(seen)
            else:
                scores = model.policy.get_distribution(seen).distribution.logits
        return np.where(masks, scores.cpu().numpy().astype(np.float64), -np.inf)

    return Policy.from_function(graph, lambda seen, masks: preferences(seen, masks).argmax(axis=1), observation)


__all__ = ["ExactEvalCallback", "greedy"]
