"""MaskInObservation: the mask beside what is seen, under the names that a framework looks for."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from base.mistake import Mistake


class MaskInObservation(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A Gymnasium env of ours whose observation is a Dict: what was seen until now, and the mask of the info.

    RLlib's action-masking modules look for `observations` and `action_mask`, Tianshou for `obs` and `mask`. The mask is
    float32 there, 1 where the rules allow the move; the info keeps its own.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], observation: str = "observations", mask: str = "action_mask"
    ) -> None:
        super().__init__(env)
        if not isinstance(env.action_space, spaces.Discrete):
            raise Mistake(
                f"MaskInObservation: {env} has {env.action_space} for actions; a mask is for a Discrete space"
            )
        self.names = observation, mask
        actions = int(env.action_space.n)
        self.observation_space = spaces.Dict(
            {observation: env.observation_space, mask: spaces.Box(0.0, 1.0, (actions,), np.float32)}
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(seed=seed, options=options)
        return self._beside(seen, info), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        return self._beside(seen, info), reward, terminated, truncated, info

    def _beside(self, seen: Any, info: dict[str, Any]) -> dict[str, Any]:
        return {self.names[0]: seen, self.names[1]: info["action_mask"].astype(np.float32)}
