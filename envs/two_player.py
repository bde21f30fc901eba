"""TwoPlayerEnv: a game for both seats as one Gymnasium env; whoever is to move calls step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core import REWARD, SEATS, make_core
from envs.single import SingleEnv
from games.rulebook import ILLEGAL, RuleBook, Verdict


class TwoPlayerEnv(SingleEnv):
    """
    ## Description
    A two-player game, both seats in one env: each step is one move by the player whose turn it is, and the observation
    that it returns is for the other player. What is seen shows the position and nothing else, so that one network can
    play both seats, by itself.

    ## Action space
    `Discrete(A)`: action `a` says the move `env.unwrapped.graph.moves[a]`. What the rules allow is in
    `info["action_mask"]` (int8, as `Discrete.sample(mask)` wants it) and in `action_masks()` (bool, for sb3-contrib).
    A losing move is legal.

    ## Observation space
    By `observation`: `"onehot"` (a Box, a bit per value of each field), `"binary"` (a Box, each field as a binary
    number), `"digits"` (a Box, a bit per value of each decimal digit), `"scalar"` (a Box, each field divided by its
    largest value), `"sequence"` (a Box, fields and parameters digit by digit, aligned, the lowest of each first),
    `"index"` (Discrete, the number of the state).

    ## Rewards
    For the player who just moved: +1 for a move that wins, -1 for one that loses, 0 for any other.

    ## Episode end
    Terminated by a move that wins, loses or draws, one that leaves the other player without a legal move (it wins), and
    an illegal move that forfeits. After that the observation and `info["state"]` are of the position moved from, and
    the mask is all ones. Truncated, with reward 0, after `max_plies` moves.

    ## Info
    - `state`: the number of the position in `env.unwrapped.graph`
    - `action_mask`: [A] int8, 1 where the rules allow the move

    ## Arguments
    - `game`: the name of a game, or a RuleBook
    - `observation`: what is seen, `"onehot"` if not given
    - `illegal_move`: `"forfeit"` (the mover loses) or `"retry"` (nothing changes, and the attempt counts as a ply)
    - `max_plies`: the moves after which a game is stopped, or None; `"auto"` is 100 where play may never end
      (the positions have a cycle, or illegal moves are retried), else None. Moves of `reset` do not count
    - `render_mode`: `"ansi"` (`render` returns text), `"human"` (each position is printed) or `"rgb_array"` (`render`
      returns a picture, [400, 640, 3] uint8)
    - `render_values`: whether pictures show which moves keep the value and which are blunders
    - `parameters`: those of the game's family, as in `target=200`

    `reset(options={"moves": [8, 7]})` starts after those moves; other options are ignored.

    ## Version history
    - v0: the first
    """

    def __init__(
        self,
        game: str | RuleBook,
        *,
        observation: str = "onehot",
        illegal_move: str = "forfeit",
        max_plies: int | str | None = "auto",
        render_mode: str | None = None,
        render_values: bool = False,
        **parameters: Any,
    ) -> None:
        core = make_core(game, observation, illegal_move, max_plies, parameters)
        super().__init__(core, render_mode, render_values)
        self._mover = 0  # the seat to move

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._state, self._moves = self.core.opening(options)
        self._mover, self._plies, self._end = len(self._moves) % 2, 0, None
        return self._started()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._check_going_on()
        action = self.core.action(action)
        outcome, reward, terminated = int(self.core.outcome[self._state, action]), 0.0, False
        self._plies += 1
        if outcome == ILLEGAL and self.core.retry:
            pass
        elif outcome < 0:
            reward, terminated = REWARD[Verdict(outcome)], True
            self._end = self.core.ending(self._state, action, self._mover)
        else:
            self._state = outcome
        if outcome != ILLEGAL:
            self._moves.append(int(self.graph.moves[action]))
            self._mover = 1 - self._mover
        return self._stepped(reward, terminated, self._mover, action)

    def render(self) -> str | NDArray[np.uint8] | None:
        return self._picture(SEATS, self._mover)
