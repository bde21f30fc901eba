"""What an SB3 model is shown: our game under all that wraps it, found, followed, or refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import wrappers
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecEnv,
    VecEnvWrapper,
    VecExtractDictObs,
    VecFrameStack,
    VecNormalize,
    VecTransposeImage,
)

from games import ILLEGAL, GameGraph, Mistake, observe

SHOWING = (gymnasium.ObservationWrapper, wrappers.FrameStackObservation, wrappers.MaxAndSkipObservation)
DOING = (gymnasium.ActionWrapper, wrappers.RepeatAction)  # what they show or do is known to them alone
CHANGING_ALL = (VecFrameStack, VecExtractDictObs, VecTransposeImage)
REFUSED = "and the exact judge cannot follow it; leave it away"
INSTEAD = f"{REFUSED}, or normalise with VecNormalize, which is followed"


@dataclass(frozen=True)
class Sight:
    """A game, and how a model sees it."""

    graph: GameGraph
    view: str
    normalizers: tuple[VecNormalize, ...] = ()  # the innermost first
    from_env: bool = False  # whether the env told it

    def observations(self, states: NDArray[np.integer] | None = None) -> Any:
        """[S, width]: these states (all, if none are named) as the network is shown them."""
        seen: Any = observe(self.graph, self.view, states)
        for layer in self.normalizers:
            seen = layer.normalize_obs(seen)
        return seen

    def check(self, model: Any) -> None:
        """Refuse a model that sees something else or has other actions."""
        shape, shown = model.observation_space.shape, observe(self.graph, self.view, np.arange(1)).shape[1:]
        actions = getattr(model.action_space, "n", None)
        seen = "a Dict" if shape is None else f"numbers of shape {shape}"
        if shape != shown or actions != self.graph.num_actions:
            raise Mistake(
                f"{self.graph.game}: the model sees {seen} and has {actions or 'no single'} actions, "
                f"but observation={self.view!r} has {shown} and {self.graph.num_actions}; "
                "pass the game and observation of its env"
            )

    def recognize(self, model: Any) -> None:
        """Refuse a model that comes without its env and last saw what no position looks like."""
        if self.normalizers or model._last_obs is None:
            return
        table = self.observations()
        for row in np.asarray(model._last_obs):
            if not (table == row).reshape(len(table), -1).all(axis=1).any():
                raise Mistake(
                    f"{self.graph.game}: what this model saw last is no position in observation={self.view!r}; "
                    "it learned with VecNormalize or another wrapper: first call model.set_env with that env, "
                    "its statistics loaded"
                )

    def compare(self, infos: Sequence[Mapping[str, Any]], seen: Any) -> None:
        """Refuse a training that is shown something else in these states than what the judge shows."""
        rows = [row for row, info in enumerate(infos) if "state" in info]
        if not self.from_env or not rows:
            return
        states, seen = np.array([infos[row]["state"] for row in rows]), seen[rows]
        if not np.allclose(np.asarray(seen), self.observations(states), rtol=1e-4, atol=1e-5):
            raise Mistake(f"{self.graph.game}: a wrapper of the model's env changes what it sees, {INSTEAD}")

    def follow(
        self, before: Sequence[int | None], actions: NDArray[Any], infos: Sequence[Mapping[str, Any]]
    ) -> list[int | None]:
        """The states after one step, None where none is told; refuse a training whose moves lead elsewhere than ours.

        A move leads to a state, and in an env for one learner on to one that the opponent's reply leads to.
        """
        after = [info.get("state") for info in infos]
        if not self.from_env:
            return after
        if all(state is None for state in after):
            raise Mistake(
                f"{self.graph.game}: a wrapper of the model's env hides info['state'], by which the exact judge checks "
                "what the model is shown; let it return the info of the env"
            )
        for origin, action, state in zip(before, np.asarray(actions).reshape(-1).tolist(), after, strict=True):
            if origin is None or state is None:
                continue
            outcome = int(self.graph.next_state[origin, int(action)])
            here = origin if outcome == ILLEGAL else outcome
            if here < 0 or (state != here and state not in self.graph.next_state[here]):
                raise Mistake(f"{self.graph.game}: a wrapper of the model's env changes what its actions do, {REFUSED}")
        return after


def sight_of(model: Any, graph: GameGraph | None = None, view: str | None = None) -> Sight:
    """The game and the view of a model's env, or those that are named, where its env does not tell."""
    env = model.get_env()
    own = None if env is None else _own_game(env)
    normalizers = () if env is None else _follow(env)
    if own is None:
        if graph is None:
            raise Mistake("none of our games is found in the env of this model; pass graph= and observation=")
        sight = Sight(graph, view or "onehot", normalizers)
    else:
        game, shown = own
        if graph is not None and graph.checksum != game.checksum:
            raise Mistake(
                f"{graph.game} {dict(graph.parameters)}: the env of this model plays {game.game} "
                f"{dict(game.parameters)}; leave graph= away"
            )
        if view not in (None, shown):
            raise Mistake(f"{game.game}: the env of this model shows observation={shown!r}, not {view!r}")
        sight = Sight(graph or game, shown, normalizers, from_env=True)
    sight.check(model)
    if own is None:
        sight.recognize(model)
    return sight


def _follow(env: VecEnv) -> tuple[VecNormalize, ...]:
    """The layers that change observations in a way that can be done again; any other that does is refused by name."""
    normalizers: list[VecNormalize] = []
    layer = env
    while isinstance(layer, VecEnvWrapper):
        if isinstance(layer, VecNormalize):
            if layer.norm_obs:
                normalizers.insert(0, layer)
        elif isinstance(layer, CHANGING_ALL):
            raise Mistake(f"{type(layer).__name__} changes what the model sees, {INSTEAD}")
        layer = layer.venv
    for kind in (*SHOWING, *DOING):
        if any(layer.env_is_wrapped(kind)):
            what = f"what the model sees, {INSTEAD}" if kind in SHOWING else f"what its actions do, {REFUSED}"
            raise Mistake(f"{_name(layer, kind)} changes {what}")
    return tuple(normalizers)


def _name(base: VecEnv, kind: type[Any]) -> str:
    """The name of the wrapper of this kind; in another process, of all wrappers there."""
    if not isinstance(base, DummyVecEnv):
        return " or ".join(re.findall(r"<(\w+)", str(base.env_method("__str__", indices=0)[0])))
    for env in base.envs:
        wrapper: Any = env
        while isinstance(wrapper, gymnasium.Wrapper):
            if isinstance(wrapper, kind):
                return type(wrapper).__name__
            wrapper = wrapper.env
    return kind.__name__


def _own_game(env: VecEnv) -> tuple[GameGraph, str] | None:
    """The game and view of the envs of ours at the bottom, if they are ours and all alike."""
    try:
        cores = env.get_attr("core")
    except AttributeError:
        return None
    games = {(core.graph.checksum, core.view) for core in cores}
    if len(games) > 1:
        raise Mistake("the envs of this model play different games or show them differently; judge one model per game")
    return cores[0].graph, cores[0].view
