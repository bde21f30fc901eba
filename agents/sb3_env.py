"""What an SB3 model is shown: our game under all that wraps it, found, followed, or refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
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

from games import GameGraph, Mistake, observe

CHANGING = (gymnasium.ObservationWrapper, gymnasium.ActionWrapper)  # what they show or do is known to them alone
CHANGING_ALL = (VecFrameStack, VecExtractDictObs, VecTransposeImage)
INSTEAD = "the exact judge cannot follow it; leave it away, or normalise with VecNormalize, which is followed"


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
        if shape != shown or actions != self.graph.num_actions:
            raise Mistake(
                f"{self.graph.game}: the model sees numbers of shape {shape} and has {actions or 'no single'} actions, "
                f"but observation={self.view!r} has {shown} and {self.graph.num_actions}; "
                "pass the game and observation of its env"
            )

    def compare(self, infos: Sequence[Mapping[str, Any]], seen: Any) -> None:
        """Refuse a training that is shown something else in these states than what the judge shows."""
        rows = [row for row, info in enumerate(infos) if "state" in info]
        if not self.from_env or not rows:
            return
        states, seen = np.array([infos[row]["state"] for row in rows]), seen[rows]
        if not np.allclose(np.asarray(seen), self.observations(states), rtol=1e-4, atol=1e-5):
            raise Mistake(f"{self.graph.game}: a wrapper of the model's env changes what it sees, and {INSTEAD}")


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
            raise Mistake(f"{type(layer).__name__} changes what the model sees, and {INSTEAD}")
        layer = layer.venv
    for kind in CHANGING:
        if any(layer.env_is_wrapped(kind)):
            what = "what the model sees" if kind is gymnasium.ObservationWrapper else "what its actions do"
            raise Mistake(f"{_name(layer, kind)} changes {what}, and {INSTEAD}")
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
