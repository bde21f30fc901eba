"""PettingZoo's turn-based games (AEC): `pettingzoo:tictactoe_v3`, or a class or function in anyone's file."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from base.mistake import Mistake, unknown
from envs.importing.canonical import canonical
from envs.importing.python_world import PythonWorld, own_modules
from envs.importing.world import Refused, Step


def is_aec(env: Any) -> bool:
    return hasattr(env, "agent_iter") and hasattr(env, "observe")


def is_parallel(env: Any) -> bool:
    return hasattr(env, "possible_agents") and not is_aec(env)


class PettingZooWorld(PythonWorld):
    """One AEC env without its wrappers."""

    def begin(self, seed: int) -> None:
        self.env.reset(seed=seed)
        agents = list(self.env.possible_agents)
        if len(agents) != 2:
            raise Refused(f"{self.label}: {len(agents)} agents; a game of this kind has two")
        first = self.env.agent_selection
        self._agents = [first, *(agent for agent in agents if agent != first)]
        self._space = self.env.action_space(first)
        if type(self._space).__name__ != "Discrete" or self._space != self.env.action_space(self._agents[1]):
            raise Refused(f"{self.label}: its agents have not the same Discrete actions")

    def names(self) -> Sequence[str]:
        return [str(number + int(self._space.start)) for number in range(int(self._space.n))]

    def legal(self) -> list[int]:
        agent = self.env.agent_selection
        observation = self.env.observe(agent)
        for told in (observation, self.env.infos.get(agent, {})):
            if isinstance(told, Mapping) and "action_mask" in told:
                return np.flatnonzero(told["action_mask"]).tolist()
            if isinstance(told, Mapping) and "legal_moves" in told:
                return sorted({int(move) - int(self._space.start) for move in told["legal_moves"]})
        raise Refused(
            f"{self.label}: no way to ask for its legal moves: neither observation nor info has an action_mask"
        )

    def seat(self) -> int | None:
        return self._agents.index(self.env.agent_selection)

    def move(self, move: int) -> Step:
        self.env.step(move + int(self._space.start))
        done = [
            bool(self.env.terminations.get(agent, True) or self.env.truncations.get(agent, True))
            for agent in self._agents
        ]
        if any(done) and not all(done):
            raise Refused(f"{self.label}: the game is over for one agent and goes on for the other")
        stopped = all(done) and not all(self.env.terminations.get(agent, True) for agent in self._agents)
        rewards = tuple(float(self.env.rewards.get(agent, 0.0)) for agent in self._agents)
        return Step(all(done), stopped, rewards)

    def seen(self) -> Hashable:
        return canonical(_sight(self.env.observe(self.env.agent_selection)))

    def observation(self) -> Any:
        try:
            sight = _sight(self.env.observe(self.env.agent_selection))
            return np.asarray(sight, dtype=np.float32).ravel()
        except (TypeError, ValueError):
            return None

    def told(self) -> dict[str, Hashable]:
        return {}  # agent_selection says it all

    def learn(self, path: str | None, values: tuple[Hashable, ...]) -> None:
        raise AssertionError("whose turn it is stands in agent_selection")

    def shown(self) -> str:
        return ""


def _sight(observation: Any) -> Any:
    return observation["observation"] if isinstance(observation, dict) and "observation" in observation else observation


def pettingzoo_world(name: str, options: Mapping[str, Any]) -> PettingZooWorld:
    """A game of PettingZoo's own, by its name with version, or one registered there."""
    label = f"pettingzoo:{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pettingzoo
        import pettingzoo.classic
    if "/" in name:

        def make() -> Any:
            return pettingzoo.make("aec", name, **options).unwrapped
    else:
        try:
            module = importlib.import_module(f"pettingzoo.classic.{name}")
        except ImportError as error:
            from pathlib import Path

            known = [file.stem for file in Path(str(pettingzoo.classic.__file__)).parent.glob("*_v*.py")]
            if name in known:
                raise Mistake(f"{label}: cannot be imported ({error}); install what it needs") from None
            raise unknown("pettingzoo", "game", name, known) from None

        def make() -> Any:
            return module.raw_env(**options).unwrapped

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            env = make()
    except Exception as error:
        raise Mistake(f"{label}: cannot be made ({type(error).__name__}: {error})") from error
    return PettingZooWorld(label, make, own_modules(type(env)))
