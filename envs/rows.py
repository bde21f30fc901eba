"""What a vector env answers about each of its games: `call`, `get_attr` and `set_attr`, as Gymnasium's do."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from base.mistake import unknown


class NoSuchAttribute(AttributeError):
    """What a game inside a vector env has not, or what one cannot set there."""


class Rows:
    """What a vector env of `num_envs` games is asked about each of them; there are no envs inside that could answer."""

    num_envs: int

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What the method of that name answers for each game, or the attribute where it is one."""
        own = self._own.get(name)
        if own is not None:
            return tuple(own[row](*args, **kwargs) if callable(own[row]) else own[row] for row in range(self.num_envs))
        shared = self._shared()
        if name == "action_masks":
            return tuple(self.action_masks(*args, **kwargs))
        if name in shared:
            return (shared[name],) * self.num_envs
        raise NoSuchAttribute(f"{unknown('a game of a vector env', 'attribute', name, ['action_masks', *shared])}")

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """The attribute of each game; of a method, what it answers."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Remember an attribute of each game: a value for all, or a list or tuple of one for each."""
        if name == "action_masks" or name in self._shared() or name.startswith("_"):
            raise NoSuchAttribute(f"{name}: belongs to the game and is not set from outside; make another vector env")
        given = list(values) if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(given) != self.num_envs:
            raise ValueError(f"{name}: {len(given)} values for {self.num_envs} games; give one, or one for each")
        self._own[name] = given

    action_masks: Callable[..., Any]

    def _shared(self) -> dict[str, Any]:
        """What is the same in each game."""
        raise NotImplementedError

    @cached_property
    def _own(self) -> dict[str, list[Any]]:
        return {}
