"""A turn-based env of PettingZoo's kind in somebody's file: who takes the last of ten sticks loses."""

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv


class Sticks(AECEnv):
    metadata = {"name": "sticks_v0", "render_modes": []}

    def __init__(self, sticks=10):
        super().__init__()
        self.sticks, self.render_mode = sticks, None
        self.possible_agents = ["ann", "bob"]

    def observation_space(self, agent):
        return spaces.Box(0, 20, (1,))

    def action_space(self, agent):
        return spaces.Discrete(3)

    def observe(self, agent):
        return np.array([self.left], dtype=np.float32)

    def reset(self, seed=None, options=None):
        self.agents, self.left, self.agent_selection = self.possible_agents[:], self.sticks, "ann"
        for name in ("rewards", "_cumulative_rewards"):
            setattr(self, name, dict.fromkeys(self.agents, 0))
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self._tell()

    def _tell(self):
        self.infos = {agent: {"action_mask": np.arange(3) < self.left} for agent in self.agents}

    def step(self, action):
        mover = self.agent_selection
        self.left -= action + 1
        self.agent_selection = "bob" if mover == "ann" else "ann"
        if not self.left:
            self.rewards = {mover: -1, self.agent_selection: 1}
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._tell()
