"""SoloEnv: a game for one learner, as a Gymnasium env; a built-in opponent answers within the same step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from envs import stream
from envs.core import REWARD, SEATS, make_core
from envs.opponent import make_replies
from envs.single import SingleEnv
from games.policy import Policy
from games.rulebook import ILLEGAL, RuleBook, Verdict


class SoloEnv(SingleEnv):
    """
    ## Description
    A two-player game for one learner: each step is the learner's move and the opponent's reply. The learner is always
    to move when it is asked. What is seen shows the position and nothing else, the same in either seat.

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
    For the learner: +1 when it wins, -1 when it loses, 0 for any other step.

    ## Episode end
    Terminated by a move of either player that wins, loses or draws, one that leaves the other without a legal move (it
    wins), and an illegal move of the learner that forfeits. After that the observation and `info["state"]` are of the
    position that the last move was made from, and the mask is all ones. Truncated, with reward 0, when the learner is
    to move and `max_plies` moves of both players have been made: a bootstrap never values the opponent's turn. A game
    that the opponent ends before the learner's first move is no episode: the next one is started.

    ## Info
    - `state`: the number of the position in `env.unwrapped.graph`
    - `action_mask`: [A] int8, 1 where the rules allow the move

    ## Arguments
    - `game`: the name of a game, or a RuleBook
    - `opponent`: `"uniform"` (any legal move alike), `"optimal"` (perfect play) or any Policy for this game
    - `seat`: 0 (the learner moves first), 1 (second) or None (a coin toss at each reset)
    - `observation`: what is seen, `"onehot"` if not given
    - `illegal_move`: `"forfeit"` (the learner loses) or `"retry"` (nothing changes, and the attempt counts as a ply)
    - `max_plies`: the moves of both players after which a game is stopped, or None; `"auto"` is 100 where play may
      never end (the positions have a cycle, or illegal moves are retried), else None. Moves of `reset` do not count
    - `render_mode`: `"ansi"` (`render` returns text), `"human"` (each position is printed) or `"rgb_array"` (`render`
      returns a picture, [400, 640, 3] uint8)
    - `render_values`: whether pictures show which moves keep the value and which are blunders
    - `parameters`: those of the game's family, as in `target=200`

    `reset(options={"moves": [8, 7]})` starts after those moves; other options are ignored. The seed of `reset` decides
    every toss and every reply that follows, as it does in a row of `SoloVectorEnv`.

    ## Version history
    - v0: the first
    """

    def __init__(
        self,
        game: str | RuleBook,
        *,
        opponent: str | Policy = "uniform",
        seat: int | None = None,
        observation: str = "onehot",
        illegal_move: str = "forfeit",
        max_plies: int | str | None = "auto",
        render_mode: str | None = None,
        render_values: bool = False,
        **parameters: Any,
    ) -> None:
        core = make_core(game, observation, illegal_move, max_plies, parameters)
        super().__init__(core, render_mode, render_values)
        self.replies = make_replies(self.graph, opponent)
        self.seat = check_seat(self.core.book, seat)
        self.learner = 0  # the seat of the learner in this game
        self._stream: int | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self._stream = stream.seeded(int(seed))
        elif self._stream is None:
            self._stream = stream.seeded(int(self.np_random.integers(2**63)))
        start, moves = self.core.opening(options)
        check_opening(self.core.outcome, self.replies.choice, self.replies.count, self.seat, start, len(moves) % 2)
        playing = False
        while not playing:  # until a game goes on to the learner's first move
            self.learner = self._draw() >> 63 if self.seat is None else self.seat
            self._state, self._moves, self._plies, self._end = start, list(moves), 0, None
            playing = self.learner == len(moves) % 2 or self._reply() is None
        return self._started()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._check_going_on()
        action = self.core.action(action)
        ended: float | None = None
        if self.core.retry and self.core.outcome[self._state, action] == ILLEGAL:
            self._plies += 1
        else:
            ended = self._play(action, self.learner)
            if ended is None:
                reply = self._reply()
                ended = None if reply is None else 0.0 - reply  # never -0.0
        return self._stepped(ended or 0.0, ended is not None, self.learner, action)

    def render(self) -> str | NDArray[np.uint8] | None:
        players = [f"{seat} ({'you' if place == self.learner else 'opponent'})" for place, seat in enumerate(SEATS)]
        return self._picture(players, self.learner)

    def _draw(self) -> int:
        """The next random word of this game's stream."""
        assert self._stream is not None
        self._stream = stream.advance(self._stream)
        return int(stream.word(self._stream))

    def _reply(self) -> float | None:
        return self._play(self.replies.pick(self._state, self._draw()), 1 - self.learner)

    def _play(self, action: int, seat: int) -> float | None:
        """Make one move; the reward to its player if it ends the game."""
        outcome = int(self.core.outcome[self._state, action])
        self._plies += 1
        if outcome != ILLEGAL:
            self._moves.append(int(self.graph.moves[action]))
        if outcome >= 0:
            self._state = outcome
            return None
        self._end = self.core.ending(self._state, action, seat)
        return REWARD[Verdict(outcome)]


def check_seat(book: RuleBook, seat: Any) -> int | None:
    if seat is None or (isinstance(seat, int | np.integer) and not isinstance(seat, bool) and seat in (0, 1)):
        return None if seat is None else int(seat)
    raise Mistake(f"{book.name}: seat={seat!r} is not a seat; 0 moves first, 1 second, None tosses a coin")


def check_opening(
    outcome: NDArray[np.int32],
    choice: NDArray[np.int32],
    count: NDArray[np.uint64],
    seat: int | None,
    start: int,
    mover: int,
) -> None:
    """Refuse games that a learner in this seat would never get to play."""
    if seat is not None and seat != mover:
        possible = choice[start, : int(count[start])]
        if (outcome[start, possible] < 0).all():
            raise Mistake(
                f"seat={seat}: the opponent always ends the game before the learner's first move; take another seat"
            )
