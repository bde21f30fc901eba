"""TwoPlayerVectorEnv and SoloVectorEnv: thousands of games at once, moved by one kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from base.mistake import Mistake, need
from envs import stream
from envs.core import REWARD, Core, check_no_render_mode, make_core
from envs.opponent import Replies, make_replies
from envs.rows import Rows
from envs.solo import check_opening, check_seat
from games.graph import GameGraph
from games.observation import bits, observe, width
from games.policy import Policy
from games.rulebook import RuleBook, Verdict

MODES = {mode.value: mode for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)}
NO_LIMIT = 2**62
NO_ACTIONS = np.zeros(0, dtype=np.int64)
SAMPLER = 0x5A3D1E7B  # sets the sampler's stream apart from those of the games


@lru_cache(maxsize=8)
def _masks(graph: GameGraph) -> NDArray[np.uint64]:
    """[S + 1, W]: the mask of every state, a byte for each action, in whole words; the last allows everything."""
    bytes_ = np.zeros((graph.num_states + 1, -(-graph.num_actions // 8) * 8), dtype=np.int8)
    bytes_[:, : graph.num_actions] = np.append(graph.legal, np.ones((1, graph.num_actions), dtype=np.bool_), axis=0)
    return bytes_.view(np.uint64)


@lru_cache(maxsize=8)
def _answers(graph: GameGraph, replies: Replies) -> NDArray[np.int32]:
    """[S, A]: where each of the opponent's choices leads."""
    return np.take_along_axis(graph.outcome, replies.choice, axis=1)


class TwoPlayerVectorEnv(Rows, VectorEnv[Any, Any, Any]):
    """
    ## Description
    Many games of `TwoPlayerEnv` at once: row i is what such an env would do with the same actions. All rows are moved
    by one kernel of machine code, compiled on first use.

    ## Action space
    `MultiDiscrete`, an action for each game: `a` says the move `graph.moves[a]`. `sample_legal()` draws one legal move
    for each game from a table; `envs.sample_legal(mask, generator)` draws from any masks, and takes a little longer.

    ## Observation space
    A row for each game, of the same kind as in `TwoPlayerEnv`; `"index"` is the fastest by far.

    ## Rewards
    As in `TwoPlayerEnv`: to the player who just moved, +1 for a win, -1 for a loss, 0 for any other move.

    ## Episode end
    As in `TwoPlayerEnv`. An ended game starts again by `autoreset_mode`: `"NextStep"`, on the next step, whose action
    is ignored; or `"SameStep"`, at once, with the end in `info["final_obs"]` and `info["final_info"]`.

    ## Info
    - `state`: [N], the number of each position in `graph`
    - `action_mask`: [N, A] int8, 1 where the rules allow the move

    ## Arguments
    - `game`: the name of a game, or a RuleBook
    - `num_envs`: how many games
    - `observation`: what is seen, `"onehot"` if not given
    - `illegal_move`: `"forfeit"` (the mover loses) or `"retry"` (nothing changes, and the attempt counts as a ply)
    - `max_plies`: the moves after which a game is stopped, or None; `"auto"` is 100 where play may never end
      (the positions have a cycle, or illegal moves are retried), else None. Moves of `reset` do not count
    - `autoreset_mode`: `"NextStep"` or `"SameStep"`, or Gymnasium's enum of these
    - `copy`: whether each step returns new arrays; with False the next step overwrites them, which is faster
    - `render_mode`: None; many games are not shown
    - `parameters`: those of the game's family, as in `target=200`

    `reset(seed=s)` gives row i the seed s + i. `reset(options={"moves": [8, 7]})` starts after those moves, and
    `{"reset_mask": rows}` starts only these rows anew; other options are ignored.

    ## Version history
    - v0: the first
    """

    def __init__(
        self,
        game: str | RuleBook,
        num_envs: int = 1,
        *,
        observation: str = "onehot",
        illegal_move: str = "forfeit",
        max_plies: int | str | None = "auto",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: None = None,
        **parameters: Any,
    ) -> None:
        core = make_core(game, observation, illegal_move, max_plies, parameters)
        check_no_render_mode(core.book, render_mode)
        self._set_up(core, num_envs, autoreset_mode, copy, None, None)

    def _set_up(
        self,
        core: Core,
        num_envs: int,
        mode: str | AutoresetMode,
        copy: bool,
        replies: Replies | None,
        seat: int | None,
    ) -> None:
        name, graph = core.book.name, core.graph
        if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise Mistake(f"{name}: num_envs={num_envs!r} is not a whole number of 1 or more")
        mode_name = mode.value if isinstance(mode, AutoresetMode) else mode
        need(name, "autoreset_mode", mode_name, MODES)
        self.core, self.graph, self.copy = core, graph, copy
        self.num_envs = N = int(num_envs)
        self.metadata = {"autoreset_mode": MODES[mode_name], "render_modes": []}
        self.render_mode = None
        self.single_observation_space = core.observation_space()
        self.single_action_space = core.action_space()
        self.observation_space = batch_space(self.single_observation_space, N)
        self.action_space = batch_space(self.single_action_space, N)
        self._same_step = MODES[mode_name] is AutoresetMode.SAME_STEP
        self._solo = replies is not None
        self._seat = -1 if seat is None else seat
        self._legal = make_replies(graph, "uniform")  # the table of legal moves
        self._replies = self._legal if replies is None else replies
        self._started = False

        self._luck = np.zeros(N, dtype=np.uint64)  # [N]: each game's stream
        self._sampler = 0
        self._plies = np.zeros(N, dtype=np.int64)  # [N]
        self._state = np.zeros(N, dtype=np.int64)  # [N]
        self._over = np.zeros(N, dtype=np.bool_)  # [N]: whether the mask is that of an ended game
        self._reward = np.zeros(N, dtype=np.float64)  # [N]
        self._terminated = np.zeros(N, dtype=np.bool_)  # [N]
        self._truncated = np.zeros(N, dtype=np.bool_)  # [N]
        self._final = np.zeros(N, dtype=np.int64)  # [N]
        self._none = np.zeros(N, dtype=np.bool_)  # [N]
        self._present = np.ones(N, dtype=np.bool_)  # [N]
        self._actions = np.zeros(N, dtype=np.int64)  # [N]
        self._answer = _answers(core.graph, self._replies)  # [S, A]
        self._allowed = _masks(graph)  # [S + 1, W]
        self._words = np.repeat(self._allowed[:1], N, axis=0)  # [N, W]: the masks, of state 0
        self._rewards = np.array([REWARD[Verdict(-1 - place)] for place in range(len(Verdict))])  # [4]
        # The one-hot columns of each state's fields; other views are looked up outside the kernel.
        onehot = core.view == "onehot"
        self._bits = bits(graph).astype(np.uint32)[:, : None if onehot else 0]  # [S, F] or [S, 0]
        self._seen = np.zeros((N, width(graph, core.view) if onehot else 0), dtype=np.float32)  # [N, width]
        self._seen[:, self._bits[0]] = 1.0

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        chosen = self._chosen(options)
        start, moves = self.core.opening(options)
        self._seed(seed, chosen)
        if self._solo:
            seat, replies = None if self._seat < 0 else self._seat, self._replies
            check_opening(self.core.outcome, replies.choice, replies.count, seat, start, len(moves) % 2)
        self._play(NO_ACTIONS, chosen, start, len(moves) % 2)
        self._started = True
        info = self._info()
        if not chosen.all():  # as Gymnasium tells it: nothing about the others
            info["state"] = np.where(chosen, info["state"], 0)
            info["action_mask"] = np.where(chosen[:, None], info["action_mask"], np.int8(0))
            info["_state"], info["_action_mask"] = chosen.copy(), chosen.copy()
        return self._observation(), info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        if not self._started:
            raise Mistake(f"{self.graph.game}: no game has been started; call reset() before step()")
        actions = self._checked(actions)
        again = self._none if self._same_step else self._terminated | self._truncated
        ended = self._play(actions, again, 0, 0)
        info = self._info()
        if ended and self._same_step:
            self._add_finals(info)
        arrays = (self._reward, self._terminated, self._truncated)
        reward, terminated, truncated = (array.copy() for array in arrays) if self.copy else arrays
        return self._observation(), reward, terminated, truncated, info

    def sample_legal(self) -> NDArray[np.int64]:
        """[N]: a legal move for each game, each alike; in an ended game one of the position it ended in."""
        from envs import kernel

        actions = np.empty_like(self._actions) if self.copy else self._actions
        self._sampler = int(
            kernel.sample(np.uint64(self._sampler), self._state, self._legal.choice, self._legal.count, actions)
        )
        return actions

    def action_masks(self) -> NDArray[np.bool_]:
        """[N, A]: the masks as sb3-contrib asks for them."""
        return self._mask.astype(np.bool_)

    def _shared(self) -> dict[str, Any]:
        shared = {"core": self.core, "graph": self.graph, "render_mode": None, "spec": self.spec}
        spaces = {"observation_space": self.single_observation_space, "action_space": self.single_action_space}
        solo = {"seat": None if self._seat < 0 else self._seat, "replies": self._replies} if self._solo else {}
        return shared | spaces | solo

    @property
    def _mask(self) -> NDArray[np.int8]:
        """[N, A]: the masks as bytes."""
        return self._words.view(np.int8)[:, : self.graph.num_actions]

    def _play(self, actions: NDArray[np.int64], chosen: NDArray[np.bool_], start: int, mover: int) -> int:
        from envs import kernel

        replies, core = self._replies, self.core
        ended = kernel.play(
            *(actions, chosen, start, mover, self._solo, self._seat, core.retry),
            *(NO_LIMIT if core.max_plies is None else core.max_plies, self._same_step, core.outcome),
            *(self._answer, replies.count, replies.share, self._rewards, self._allowed, self._bits),
            *(self._luck, self._plies, self._state, self._over, self._seen, self._words),
            *(self._reward, self._terminated, self._truncated, self._final),
        )
        return int(ended)

    def _observation(self) -> Any:
        if self.core.view == "onehot":
            return self._seen.copy() if self.copy else self._seen
        if self.core.view == "index":
            return self._state.copy() if self.copy else self._state
        return self._look(self._state)

    def _look(self, states: NDArray[np.int64]) -> NDArray[np.generic]:
        if self.core.view == "index":
            return states
        return observe(self.graph, self.core.view, states) if self.core.table is None else self.core.table[states]

    def _info(self) -> dict[str, Any]:
        arrays = (self._state, self._present, self._mask, self._present)
        state, has_state, mask, has_mask = (array.copy() for array in arrays) if self.copy else arrays
        return {"state": state, "_state": has_state, "action_mask": mask, "_action_mask": has_mask}

    def _add_finals(self, info: dict[str, Any]) -> None:
        ended = self._terminated | self._truncated
        rows = np.flatnonzero(ended)
        states = self._final[rows]
        seen = np.full(self.num_envs, None, dtype=object)
        for row, observation in zip(rows.tolist(), self._look(states), strict=True):
            seen[row] = observation
        state, mask = np.zeros_like(self._state), np.zeros_like(self._mask)
        state[rows] = states
        mask[rows] = self.graph.legal[states] | self._terminated[rows, None]
        last_info = {"state": state, "_state": ended.copy(), "action_mask": mask, "_action_mask": ended.copy()}
        info.update({"final_obs": seen, "_final_obs": ended.copy(), "final_info": last_info, "_final_info": ended})

    def _checked(self, actions: Any) -> NDArray[Any]:
        """[N]: the actions, when all of them are some."""
        name = self.graph.game
        try:
            given = np.asarray(actions)
        except ValueError as error:  # of lists of unequal lengths
            raise Mistake(
                f"{name}: actions are no array ({error}); they must be {self.num_envs} whole numbers, one for each game"
            ) from None
        if given.shape != (self.num_envs,) or not np.issubdtype(given.dtype, np.integer):
            what = f"{given.dtype} of shape {given.shape}"
            raise Mistake(f"{name}: actions are {what}; they must be {self.num_envs} whole numbers, one for each game")
        if given.min() < 0 or given.max() >= self.graph.num_actions:
            row = int(np.flatnonzero((given < 0) | (given >= self.graph.num_actions))[0])
            raise Mistake(
                f"{name}: game {row}: there is no action {given[row]}; actions are 0 to {self.graph.num_actions - 1}"
            )
        return given.astype(np.int64, copy=False)

    def _chosen(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        """[N]: which games a reset starts anew."""
        if not isinstance(options, Mapping) or "reset_mask" not in options:  # what else it is, is for opening to say
            return np.ones(self.num_envs, dtype=np.bool_)
        chosen = options["reset_mask"]
        if not isinstance(chosen, np.ndarray) or chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_:
            raise Mistake(f"{self.graph.game}: reset_mask must be an array of {self.num_envs} bools, one for each game")
        if not self._started and not chosen.all():
            raise Mistake(
                f"{self.graph.game}: reset_mask leaves out games that were never started; reset all of them first"
            )
        return chosen

    def _seed(self, seed: int | Sequence[int | None] | None, chosen: NDArray[np.bool_]) -> None:
        if seed is None:
            seeds: list[int | None] = [None] * self.num_envs
        elif isinstance(seed, int | np.integer):
            seeds = [int(seed) + row for row in range(self.num_envs)]
        elif isinstance(seed, Sequence | np.ndarray):
            seeds = list(seed)
        else:
            raise Mistake(f"{self.graph.game}: seed {seed!r} is neither a whole number nor a list of them")
        if len(seeds) != self.num_envs:
            raise Mistake(
                f"{self.graph.game}: {len(seeds)} seeds for {self.num_envs} games; give one number or one for each"
            )
        for given in seeds:
            if given is not None and (isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 0):
                raise Mistake(f"{self.graph.game}: seed {given!r} is not a whole number of 0 or more")
        if not self._started:
            self._luck[:] = np.random.SeedSequence().generate_state(self.num_envs, np.uint64)
            self._sampler = stream.seeded(int(self._luck[0]) ^ SAMPLER)
        for row in np.flatnonzero(chosen).tolist():
            if (given := seeds[row]) is not None:
                self._luck[row] = stream.seeded(int(given))
        if seeds[0] is not None:
            self._sampler = stream.seeded(stream.seeded(int(seeds[0])) ^ SAMPLER)


class SoloVectorEnv(TwoPlayerVectorEnv):
    """
    ## Description
    Many games of `SoloEnv` at once: row i is what such an env would do with the seed s + i and the same actions. All
    rows are moved by one kernel of machine code, compiled on first use.

    ## Action space
    `MultiDiscrete`, an action for each game: `a` says the move `graph.moves[a]`. `sample_legal()` draws one legal move
    for each game from a table; `envs.sample_legal(mask, generator)` draws from any masks, and takes a little longer.

    ## Observation space
    A row for each game, of the same kind as in `SoloEnv`; `"index"` is the fastest by far.

    ## Rewards
    As in `SoloEnv`: for the learner, +1 when it wins, -1 when it loses, 0 for any other step.

    ## Episode end
    As in `SoloEnv`. An ended game starts again by `autoreset_mode`: `"NextStep"`, on the next step, whose action is
    ignored; or `"SameStep"`, at once, with the end in `info["final_obs"]` and `info["final_info"]`.

    ## Info
    - `state`: [N], the number of each position in `graph`
    - `action_mask`: [N, A] int8, 1 where the rules allow the move

    ## Arguments
    - `game`: the name of a game, or a RuleBook
    - `num_envs`: how many games
    - `opponent`: `"uniform"` (any legal move alike), `"optimal"` (perfect play) or any Policy for this game
    - `seat`: 0 (the learner moves first), 1 (second) or None (a coin toss at each start)
    - `observation`: what is seen, `"onehot"` if not given
    - `illegal_move`: `"forfeit"` (the learner loses) or `"retry"` (nothing changes, and the attempt counts as a ply)
    - `max_plies`: the moves of both players after which a game is stopped, or None; `"auto"` is 100 where play may
      never end (the positions have a cycle, or illegal moves are retried), else None. Moves of `reset` do not count
    - `autoreset_mode`: `"NextStep"` or `"SameStep"`, or Gymnasium's enum of these
    - `copy`: whether each step returns new arrays; with False the next step overwrites them, which is faster
    - `render_mode`: None; many games are not shown
    - `parameters`: those of the game's family, as in `target=200`

    `reset(seed=s)` gives row i the seed s + i, which decides every toss and every reply that follows.
    `reset(options={"moves": [8, 7]})` starts after those moves, and `{"reset_mask": rows}` starts only these rows anew;
    other options are ignored.

    ## Version history
    - v0: the first
    """

    def __init__(
        self,
        game: str | RuleBook,
        num_envs: int = 1,
        *,
        opponent: str | Policy = "uniform",
        seat: int | None = None,
        observation: str = "onehot",
        illegal_move: str = "forfeit",
        max_plies: int | str | None = "auto",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: None = None,
        **parameters: Any,
    ) -> None:
        core = make_core(game, observation, illegal_move, max_plies, parameters)
        check_no_render_mode(core.book, render_mode)
        replies = make_replies(core.graph, opponent)
        self._set_up(core, num_envs, autoreset_mode, copy, replies, check_seat(core.book, seat))
