"""PettingZooEnv: a game for two agents that take turns, as a PettingZoo AEC env."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from base.mistake import Mistake, need
from envs import stream
from envs.core import RENDER_MODES, REWARD, Ending, check_render_mode, make_core
from envs.scene import Scene
from games.rulebook import ILLEGAL, RuleBook, Verdict

AGENTS = ("player_0", "player_1")
MASK_PLACES = ("info", "observation")


class PettingZooEnv(AECEnv):  # type: ignore[misc]
    """
    ## Description
    A two-player game for the agents `player_0` and `player_1`, who take turns. Both see the position.

    ## Action space
    `Discrete(A)` for either agent: action `a` says the move `env.graph.moves[a]`. What the rules allow is in
    `infos[agent]["action_mask"]`, and on request in the observation; a losing move is legal. The mask of the agent who
    is not to move is all zeros.

    ## Observation space
    By `observation`: `"onehot"` (a Box, a bit per value of each field), `"binary"` (a Box, each field as a binary
    number), `"digits"` (a Box, a bit per value of each decimal digit), `"scalar"` (a Box, each field divided by its
    largest value), `"sequence"` (a Box, fields and parameters digit by digit, aligned, the lowest of each first),
    `"index"` (Discrete, the number of the state).
    With `action_mask="observation"` a Dict of that as `observation` and of `action_mask`.

    ## Rewards
    +1 to the winner and -1 to the loser, 0 to both before the end, in a draw and when the game is stopped: always
    zero-sum, forfeits included.

    ## Episode end
    Terminated, for both, by a move that wins, loses or draws, one that leaves the other player without a legal move (it
    wins), and an illegal move that forfeits. After that the observation and `state` are of the position moved from, and
    the masks are all ones. Truncated, for both, after `max_plies` moves.

    ## Info
    - `state`: the number of the position in `env.graph`
    - `action_mask`: [A] int8, 1 where the rules allow the move

    ## Arguments
    - `game`: the name of a game, or a RuleBook
    - `first`: who moves first, `"player_0"`, `"player_1"` or None (a coin toss at each reset)
    - `observation`: what is seen, `"onehot"` if not given
    - `action_mask`: `"info"` (in the info only) or `"observation"` (in the info and in a Dict observation)
    - `illegal_move`: `"forfeit"` (the mover loses) or `"retry"` (nothing changes, and the attempt counts as a ply)
    - `max_plies`: the moves after which a game is stopped, or None; `"auto"` is 100 where play may never end
      (the positions have a cycle, or illegal moves are retried), else None. Moves of `reset` do not count
    - `max_cycles`: the same limit as PettingZoo's users tell it: in a cycle each of the two agents moves once
    - `render_mode`: `"ansi"` (`render` returns text), `"human"` (each position is printed) or `"rgb_array"` (`render`
      returns a picture, [400, 640, 3] uint8)
    - `render_values`: whether pictures show which moves keep the value and which are blunders
    - `parameters`: those of the game's family, as in `target=200`

    `reset(options={"moves": [8, 7]})` starts after those moves; other options are ignored.

    ## Version history
    - v0: the first
    """

    metadata = {
        "render_modes": RENDER_MODES,
        "render_fps": 4,
        "is_parallelizable": False,
        "name": "perfectplay_v0",
    }

    def __init__(
        self,
        game: str | RuleBook,
        *,
        first: str | None = "player_0",
        observation: str = "onehot",
        action_mask: str = "info",
        illegal_move: str = "forfeit",
        max_plies: int | str | None = "auto",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        render_values: bool = False,
        **parameters: Any,
    ) -> None:
        super().__init__()
        if max_cycles is not None:
            max_plies = _plies_of(max_cycles, max_plies)
        self.core = make_core(game, observation, illegal_move, max_plies, parameters)
        book = self.core.book
        check_render_mode(book, render_mode)
        if first is not None:
            need(book.name, "first player", first, AGENTS)
        need(book.name, "action_mask", action_mask, MASK_PLACES)
        self.metadata = {**type(self).metadata, "name": f"{book.name.replace('-', '_')}_v0"}
        self.graph = self.core.graph
        self.first = first
        self.render_mode, self.render_values = render_mode, render_values
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.action_spaces = {agent: self.core.action_space() for agent in AGENTS}
        self.observation_spaces = {agent: self.core.observation_space() for agent in AGENTS}
        self._in_observation = action_mask == "observation"
        if self._in_observation:
            self.observation_spaces = {
                agent: spaces.Dict({"observation": seen, "action_mask": spaces.MultiBinary(self.graph.num_actions)})
                for agent, seen in self.observation_spaces.items()
            }
        self._stream: int | None = None
        self._state = 0
        self._moves: list[int] = []
        self._seats = AGENTS  # the agents in the order of their seats
        self._plies = 0
        self._end: Ending | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None or self._stream is None:
            self._stream = stream.seeded(int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]))
        self._state, self._moves = self.core.opening(options)
        first = self.first
        if first is None:
            self._stream = stream.advance(self._stream)
            first = AGENTS[stream.word(self._stream) >> 63]
        self._seats = AGENTS if first == AGENTS[0] else AGENTS[::-1]
        self._plies, self._end = 0, None
        self.agents = list(AGENTS)
        self.agent_selection = self._seats[len(self._moves) % 2]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: self._info(agent) for agent in AGENTS}
        if self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if not self.agents:
            why = "the game is over" if self._stream is not None else "no game has been started"
            raise Mistake(f"{self.graph.game}: {why}; call reset() before last()")
        answer: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return answer

    def observe(self, agent: str) -> Any:
        seen = self.core.observation(self._state)
        return {"observation": seen, "action_mask": self._info(agent)["action_mask"]} if self._in_observation else seen

    def step(self, action: Any) -> None:
        if not self.agents:
            why = "the game is over" if self._stream is not None else "no game has been started"
            raise Mistake(f"{self.graph.game}: {why}; call reset() before step()")
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            if action is not None:
                raise Mistake(
                    f"{self.graph.game}: the game is over; step({action!r}) must be step(None) for {mover}, or reset()"
                )
            self._was_dead_step(None)
            return
        action = self.core.action(action)
        other, seat = AGENTS[1 - AGENTS.index(mover)], self._seats.index(mover)
        outcome = int(self.core.outcome[self._state, action])
        self._plies += 1
        self._cumulative_rewards[mover] = 0.0
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        retried = outcome == ILLEGAL and self.core.retry
        if outcome != ILLEGAL:
            self._moves.append(int(self.graph.moves[action]))
        if outcome >= 0:
            self._state = outcome
        elif not retried:
            reward = REWARD[Verdict(outcome)]
            self.rewards = {mover: reward, other: 0.0 - reward}
            self.terminations = dict.fromkeys(AGENTS, True)
            self._end = self.core.ending(self._state, action, seat)
        if self._end is None and self.core.max_plies is not None and self._plies >= self.core.max_plies:
            self.truncations = dict.fromkeys(AGENTS, True)
            self._end = Ending(None, seat, int(self.graph.moves[action]))
        self.agent_selection = mover if retried else other
        self.infos = {agent: self._info(agent) for agent in AGENTS}
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        scene = Scene(self.core, self._state, self._moves, self._seats, len(self._moves) % 2, self._end)
        return scene.render(self.render_mode, values=self.render_values)

    def close(self) -> None:
        """Nothing is held open."""

    def _info(self, agent: str) -> dict[str, Any]:
        over = self._end is not None and self._end.verdict is not None
        info = self.core.info(self._state, over)
        if agent != self.agent_selection and not over:
            info["action_mask"][:] = 0
        return info


def _plies_of(max_cycles: Any, max_plies: int | str | None) -> int:
    if max_plies != "auto":
        raise Mistake(f"max_cycles={max_cycles!r} and max_plies={max_plies!r} are one limit; leave one of them out")
    if isinstance(max_cycles, bool) or not isinstance(max_cycles, int) or max_cycles < 1:
        raise Mistake(f"max_cycles={max_cycles!r} is not a whole number of 1 or more, nor None")
    return 2 * max_cycles
