"""Many games at once for a learner that plays both sides, or against others, as a vector env of Stable-Baselines3.

Row i of `SelfPlay` is a `TwoPlayerEnv` given the same moves, and row i of `Duel` a `SoloEnv`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from envs import stream
from envs.opponent import replies_of
from games import GameGraph, Mistake, Policy
from games.graph import WORTH

STARTS = ("opening", "random-openings", "anywhere")  # in the order of the kernels
HAND = 0x5A3D1E7B  # sets the stream of the learner's moves apart from that of its game
GOES_ON: dict[str, Any] = {}  # what there is to say about a game that goes on: one object for all of them
NO_SUMS = np.zeros((0, 0))


@dataclass(frozen=True)
class Plies:
    """What T steps of N games were."""

    states: NDArray[np.int64]  # [N, T]: where the learner was to move
    actions: NDArray[np.int64]  # [N, T]
    rewards: NDArray[np.float32]  # [N, T]: to the learner
    ends: NDArray[np.bool_]  # [N, T]: whether the game ended there or was cut
    cuts: NDArray[np.bool_]  # [N, T]: whether it was cut
    lasts: NDArray[np.int64]  # [N, T]: the state in which it was left then, else -1


class SelfPlay(VecEnv):
    """Many games at once, both sides played by the learner: every ply is a step, and the reward is the mover's.

    What is observed is the number of the state; the learner looks up what a player sees there. A game that ended is
    started anew at once, as Stable-Baselines3 expects.
    """

    remembered: tuple[str, ...] = ("state", "plies", "luck", "hand")  # all that a restored run needs

    def __init__(self, graph: GameGraph, games: int, start: str, max_plies: int, seed: int) -> None:
        super().__init__(games, spaces.Box(0, graph.num_states - 1, (1,), np.int64), spaces.Discrete(graph.num_actions))
        self.graph, self.start, self.longest = graph, STARTS.index(start), graph.longest(max_plies)
        self.starts = np.flatnonzero(graph.legal.any(axis=1))
        self.state = np.zeros(games, dtype=np.int64)  # [N]
        self.plies = np.zeros(games, dtype=np.int64)  # [N]: so far in this game
        self.opponent = np.zeros(games, dtype=np.int64)  # [N]: who plays the other side, where another does
        # [N]: each game's own two streams
        self.luck = np.array([stream.seeded(seed * games + row) for row in range(games)], dtype=np.uint64)
        self.hand = np.array([stream.seeded(int(word) ^ HAND) for word in self.luck], dtype=np.uint64)
        self.chosen: NDArray[np.int64] = np.zeros((games, 1), dtype=np.int64)
        self._set_opponents([])

    def play(self, sums: NDArray[np.float64], steps: int) -> Plies:
        """So many steps of every game, with the learner's moves drawn from running sums [S, A] of its probabilities."""
        return self._play(np.empty((self.num_envs, steps), dtype=np.int64), sums)

    def reset(self) -> NDArray[np.int64]:
        from envs import selfplay_kernels as kernels

        kernels.begin_all(*self._rules(), self.state, self.plies, self.luck, self.opponent)
        return self.state[:, None].copy()

    def step_async(self, actions: NDArray[Any]) -> None:
        self.chosen = np.array(actions, dtype=np.int64).reshape(-1, 1)

    def step_wait(self) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        plies = self._play(self.chosen, NO_SUMS)
        infos = [GOES_ON] * self.num_envs
        for row in np.flatnonzero(plies.ends).tolist():
            cut = bool(plies.cuts[row, 0])
            infos[row] = {"terminal_observation": plies.lasts[row].copy(), "TimeLimit.truncated": cut}
        return self.state[:, None].copy(), plies.rewards[:, 0], plies.ends[:, 0], infos

    def memory(self) -> dict[str, NDArray[Any]]:
        """All that `remember` needs to continue as if nothing had happened, in arrays that keep their shapes."""
        return {name: getattr(self, name) for name in self.remembered}

    def remember(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Continue where `memory` was taken; what would be an index out of range is refused."""
        state, plies, opponent = memory["state"], memory["plies"], memory.get("opponent", np.zeros(1))
        if not np.isin(state, self.starts).all() or not ((plies >= 0) & (plies <= self.longest)).all():
            raise Mistake(f"{self.graph.game}: a game is remembered to stand where none can")
        if not ((opponent >= 0) & (opponent < max(len(self.opponents[0]), 1))).all():
            raise Mistake(f"{self.graph.game}: an opponent is remembered who is not there")
        for name in self.remembered:
            setattr(self, name, np.array(memory[name]))

    def action_masks(self) -> NDArray[np.bool_]:
        """[N, A]"""
        return self.graph.legal[self.state]

    def _play(self, actions: NDArray[np.int64], sums: NDArray[np.float64]) -> Plies:
        from envs import selfplay_kernels as kernels

        shape = actions.shape
        plies = Plies(
            np.empty(shape, np.int64), actions, np.empty(shape, np.float32), np.empty(shape, np.bool_),
            np.empty(shape, np.bool_), np.empty(shape, np.int64),
        )  # fmt: skip
        kernels.play(
            *(actions, sums, *self._rules(), WORTH.astype(np.float32)),
            *(self.state, self.plies, self.luck, self.hand, self.opponent),
            *(plies.states, plies.rewards, plies.ends, plies.cuts, plies.lasts),
        )
        return plies

    def _rules(self) -> tuple[Any, int, int, Any, Any, Any]:
        """What a kernel needs to know about the game and who plays it."""
        return self.graph.outcome, self.longest, self.start, self.graph.legal_actions, self.starts, self.opponents

    def _set_opponents(self, opponents: list[Policy]) -> None:
        replies = [replies_of(policy) for policy in opponents]
        count, shape = len(replies), self.graph.next_state.shape
        choice, share = np.zeros((count, *shape), np.int32), np.zeros((count, *shape))
        for place, one in enumerate(replies):
            choice[place] = one.choice
            share[place] = 0.0 if one.flat else one.share
        counts = np.array([one.count for one in replies], dtype=np.uint64).reshape(count, shape[0])
        self.opponents = choice, counts, share, np.array([one.flat for one in replies], dtype=np.bool_)

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
        return [None] * self.num_envs  # each game has its streams from the start

    def close(self) -> None:
        pass


class Duel(SelfPlay):
    """Many games at once of the learner against others: a step is a move and its reply, and the seat is tossed.

    Each game draws its opponent among `others` and, while there is `room`, among those who `join` later.
    """

    remembered = (*SelfPlay.remembered, "opponent", "members", "joined")

    def __init__(
        self, graph: GameGraph, games: int, start: str, max_plies: int, seed: int, others: list[Policy], room: int = 0
    ) -> None:
        super().__init__(graph, games, start, max_plies, seed)
        self.others, self.room = len(others), room
        self.joined = np.zeros(1, dtype=np.int64)  # [1]: how many have joined so far
        self.members = np.array([policy.probability for policy in others])  # [K, S, A]

    @property
    def members(self) -> NDArray[np.float64]:
        """[K, S, A]: what the opponents play."""
        return self._members

    @members.setter
    def members(self, probability: NDArray[np.float64]) -> None:
        self._members = probability
        self._set_opponents([Policy(self.graph, member) for member in probability])

    def memory(self) -> dict[str, NDArray[Any]]:
        members = np.zeros((self.others + self.room, *self.graph.next_state.shape))
        members[: len(self.members)] = self.members
        return super().memory() | {"members": members}

    def remember(self, memory: Mapping[str, NDArray[Any]]) -> None:
        joined = int(memory["joined"][0])
        if not 0 <= joined < 2**53:
            raise Mistake(f"{self.graph.game}: {joined} opponents are remembered to have joined")
        self.members = memory["members"][: self.others + min(joined, self.room)]
        super().remember({**memory, "members": self.members})

    def join(self, probability: NDArray[np.float64]) -> None:
        """One more opponent, in the place of the oldest who joined where the room is full."""
        place = self.others + int(self.joined[0]) % self.room
        self.members = np.concatenate([self.members[:place], probability[None], self.members[place + 1 :]])
        self.joined += 1
