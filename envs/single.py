"""SingleEnv: what the Gymnasium envs of one game at a time share: its state, its guard, its end, its picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from envs.core import RENDER_MODES, Core, Ending, check_render_mode
from envs.scene import Scene


class SingleEnv(gymnasium.Env[Any, Any]):
    """One game at a time; who is asked for a move, and when, is for the subclass to say."""

    metadata = {"render_modes": RENDER_MODES, "render_fps": 4}

    def __init__(self, core: Core, render_mode: str | None, render_values: bool) -> None:
        check_render_mode(core.book, render_mode)
        self.core, self.graph = core, core.graph
        self.observation_space = core.observation_space()
        self.action_space = core.action_space()
        self.render_mode, self.render_values = render_mode, render_values
        self._state = 0
        self._moves: list[int] = []
        self._plies = 0
        self._over: bool | None = None  # None before the first reset
        self._end: Ending | None = None

    def action_masks(self) -> NDArray[np.bool_]:
        """[A]: the mask as sb3-contrib asks for it."""
        over = self._end is not None and self._end.verdict is not None
        return self.core.mask(self._state, over)

    def _check_going_on(self) -> None:
        if self._over is not False:
            why = "the game is over" if self._over else "no game has been started"
            raise Mistake(f"{self.graph.game}: {why}; call reset() before step()")

    def _started(self) -> tuple[Any, dict[str, Any]]:
        """What reset returns."""
        self._over = False
        if self.render_mode == "human":
            self.render()
        return self.core.observation(self._state), self.core.info(self._state, False)

    def _stepped(
        self, reward: float, terminated: bool, mover: int, action: int
    ) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What step returns; `mover` is to move where the game is stopped after this action."""
        truncated = not terminated and self.core.max_plies is not None and self._plies >= self.core.max_plies
        if truncated:
            self._end = Ending(None, 1 - mover, int(self.graph.moves[action]))
        self._over = terminated or truncated
        if self.render_mode == "human":
            self.render()
        info = self.core.info(self._state, terminated)
        return self.core.observation(self._state), reward, terminated, truncated, info

    def _picture(self, players: Sequence[str], mover: int) -> str | NDArray[np.uint8] | None:
        scene = Scene(self.core, self._state, self._moves, players, mover, self._end)
        return scene.render(self.render_mode, values=self.render_values)
