"""Many games at once for a learner that plays both sides, or against others, as a vector env of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from envs import stream
from games import GameGraph, Policy
from games.graph import WORTH

REWARD = WORTH.astype(np.float32)  # [-verdict]: to the player who moved; [0]: the game goes on
NOTHING: dict[str, Any] = {}  # what there is to say about a game that goes on: one object for all of them


class SelfPlay(VecEnv):
    """Many games at once, both sides played by the learner: every ply is a step, the reward is the mover's.

    What is observed is the number of the state: the policy looks up what a player sees there.
    """

    remembered: tuple[str, ...] = ("state", "plies", "luck")  # all that a restored run needs of the games in play

    def __init__(self, graph: GameGraph, games: int, start: str, max_plies: int, seed: int) -> None:
        super().__init__(games, spaces.Box(0, graph.num_states - 1, (1,), np.int64), spaces.Discrete(graph.num_actions))
        self.graph = graph
        self.start = start
        self.longest = graph.longest(max_plies)
        self.legal_count, self.legal_action = graph.legal_actions
        self.starts = np.flatnonzero(self.legal_count)
        self.state = np.zeros(games, dtype=np.int64)  # [N]
        self.plies = np.zeros(games, dtype=np.int64)  # [N]
        self.luck = np.array([stream.seeded(seed * games + row) for row in range(games)], dtype=np.uint64)  # [N]
        self.chosen = np.zeros(games, dtype=np.int64)

    def reset(self) -> NDArray[np.int64]:
        self._begin(np.arange(self.num_envs))
        return self.state[:, None].copy()

    def step_async(self, actions: NDArray[Any]) -> None:
        self.chosen = np.asarray(actions, dtype=np.int64).reshape(-1)

    def step_wait(self) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        outcome, rewards = self._move(self.graph.outcome[self.state, self.chosen])
        ended = outcome < 0
        self.state = np.where(ended, self.state, outcome).astype(np.int64)
        cut = ~ended & (self.plies >= self.longest)
        infos = [NOTHING] * self.num_envs
        for row in np.flatnonzero(cut).tolist():
            infos[row] = {"terminal_observation": self.state[row : row + 1].copy(), "TimeLimit.truncated": True}
        self._begin(np.flatnonzero(ended | cut))
        return self.state[:, None].copy(), rewards, ended | cut, infos

    def _move(self, outcome: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Where each game stands when the learner is to move again, and the learner's reward."""
        self.plies += 1
        return outcome, REWARD[np.maximum(-outcome, 0)]

    def action_masks(self) -> NDArray[np.bool_]:
        """[N, A]"""
        return self.graph.legal[self.state]

    def _begin(self, rows: NDArray[np.intp]) -> None:
        from envs.opening_kernels import anywhere, random_openings

        self.plies[rows] = 0
        self.state[rows] = 0
        if self.start == "random-openings":
            table = self.graph.outcome, self.legal_count, self.legal_action
            random_openings(rows, self.luck, self.state, *table, self.longest)
        elif self.start == "anywhere":
            anywhere(rows, self.luck, self.state, self.starts)

    # What SB3 asks of every vector env.

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        return [getattr(self, method_name)(*args, **kwargs)]  # one answer for all games: SB3 stacks what it gets

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        return [None] * self.num_envs  # each game has its stream from the start

    def close(self) -> None:
        pass


class Duel(SelfPlay):
    """Many games at once of the learner against others: a step is a move and its reply, both seats alike often.

    Each game draws its opponent among `others` and, while there is `room`, among those who `join` later.
    """

    remembered = (*SelfPlay.remembered, "opponent", "sums", "joined")

    def __init__(
        self, graph: GameGraph, games: int, start: str, max_plies: int, seed: int, others: list[Policy], room: int = 0
    ) -> None:
        super().__init__(graph, games, start, max_plies, seed)
        self.fixed, self.room = len(others), room
        self.opponent = np.zeros(games, dtype=np.int64)  # [N]: who plays the other side
        self.sums = np.array([_running_sums(policy.probability) for policy in others])  # [K, S, A]
        self.joined = np.zeros(1, dtype=np.int64)  # [1]: how many have joined so far

    def join(self, probability: NDArray[np.float64]) -> None:
        """One more opponent, in the place of the oldest who joined where the room is full."""
        place, sums = self.fixed + int(self.joined[0]) % self.room, _running_sums(probability)
        if place == len(self.sums):
            self.sums = np.concatenate([self.sums, sums[None]])
        else:
            self.sums[place] = sums
        self.joined += 1

    def _move(self, outcome: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        outcome, rewards = super()._move(outcome)
        rows = np.flatnonzero(outcome >= 0)
        replies = self._reply(rows, outcome[rows])
        rewards[rows] = -REWARD[np.maximum(-replies, 0)]
        outcome[rows] = replies
        self.plies[rows] += 1
        return outcome, rewards

    def _reply(self, rows: NDArray[np.intp], states: NDArray[np.int32]) -> NDArray[np.int32]:
        """[K]: what the opponents' moves in these states lead to."""
        sums = self.sums[self.opponent[rows], states]  # [K, A]
        actions = (sums <= stream.fraction(self._draw(rows))[:, None]).sum(axis=1)
        outcome: NDArray[np.int32] = self.graph.outcome[states, actions]
        return outcome

    def _begin(self, rows: NDArray[np.intp]) -> None:
        super()._begin(rows)
        self.opponent[rows] = stream.below(self._draw(rows), np.uint64(len(self.sums)))
        if self.start == "opening":  # elsewhere, the opening moves have tossed already who is to move
            second = rows[stream.below(self._draw(rows), np.uint64(2)) == 1]
            replies = self._reply(second, self.state[second])
            self.state[second] = np.where(replies >= 0, replies, self.state[second])  # a game that is over is no start

    def _draw(self, rows: NDArray[np.intp]) -> NDArray[np.uint64]:
        """[K]: 64 random bits from each of these games' streams."""
        self.luck[rows] = stream.advance(self.luck[rows])
        words: NDArray[np.uint64] = stream.word(self.luck[rows])
        return words


def _running_sums(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """[S, A]: the first action whose sum is above a draw below 1 is the one drawn."""
    sums = probability.cumsum(axis=1)
    return np.asarray(sums / np.maximum(sums[:, -1:], 1e-300))
