"""A foreign game made of Python objects: its state is the env's attributes, and what its own modules and classes hold.

There are three ways to come back to a position: to put copies of the attributes back, to copy the whole env as it
wishes to be copied (deepcopy), and to play the moves again from the start.
"""

from __future__ import annotations

import copy
import random
import sys
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from envs.importing.canonical import ATOMS, PLAIN, Opaque, canonical, copied, is_no_state
from envs.importing.world import Refused, Step

OTHERS = ("gymnasium", "gym", "numpy", "pettingzoo", "builtins", "typing", "abc", "torch", "pyspiel")


class PythonWorld:
    """What Gymnasium-style and PettingZoo games have in common. A subclass starts, asks and moves."""

    def __init__(self, label: str, make: Callable[[], Any], modules: Sequence[types.ModuleType]) -> None:
        self.label, self.make = label, make
        self.ways: Sequence[str] = ("attributes", "deepcopy", "replay")
        self.way = self.ways[0]
        self.notes: list[str] = []
        self.line: list[int] = []  # the moves of the game so far
        self._places = [place for module in modules for place in _places(module)]
        self._initial = [_data(place) for place in self._places]
        memo: dict[int, Any] = {}
        self._initial = [{name: copied(value, memo) for name, value in found.items()} for found in self._initial]
        self._still: dict[str, Any] = {}  # attributes that never change: copies of their values
        self._is_state: dict[str, bool] = {}  # by the names of attributes: whether they may be state
        self._watched = list(range(len(self._places)))  # the places whose data change, once that is known
        self.env: Any = None

    # What a subclass does.

    def begin(self, seed: int) -> None:
        raise NotImplementedError

    def move(self, move: int) -> Step:
        raise NotImplementedError

    # What the explorer asks.

    def restart(self, seed: int = 0) -> None:
        memo: dict[int, Any] = {}
        for place, data in zip(self._places, self._initial, strict=True):
            _restore(place, {name: copied(value, memo) for name, value in data.items()})
        self.env = self.make()
        self.line = []
        self.begin(seed)

    def step(self, move: int) -> Step:
        self.line.append(move)
        return self.move(move)

    def save(self) -> Any:
        if self.way == "replay":
            return tuple(self.line)
        memo: dict[int, Any] = {id(self.env): self.env}
        globally = [
            {name: copied(value, memo) for name, value in _data(self._places[place]).items()} for place in self._watched
        ]
        if self.way == "deepcopy":
            return copy.deepcopy(self.env), globally, tuple(self.line)
        return {name: copied(value, memo) for name, value in self._state()}, globally, tuple(self.line)

    def load(self, saved: Any) -> None:
        if self.way == "replay":
            self.restart()
            for move in saved:
                self.step(move)
            return
        own, globally, line = saved
        self.line = list(line)
        if self.way == "deepcopy":
            memo: dict[int, Any] = {}
            self.env = copy.deepcopy(own)
        else:
            memo = {id(self.env): self.env}
            state = vars(self.env)
            for name in [name for name, _ in self._state() if name not in own]:
                del state[name]
            for name, value in own.items():
                state[name] = copied(value, memo)
        for place, data in zip(self._watched, globally, strict=True):
            _restore(self._places[place], {name: copied(value, memo) for name, value in data.items()})

    def parts(self) -> dict[str, Hashable]:
        path = (id(self.env),)
        if self._still:
            self.check_still()
        try:
            found: dict[str, Hashable] = {}
            for name, value in self._state():
                _spread(found, name, canonical(value, path), 3)
            for place in self._watched:
                where = self._places[place].__name__
                for name, value in _data(self._places[place]).items():
                    found[f"{where}:{name}"] = canonical(value, path)
        except Opaque as opaque:
            raise Refused(
                f"{self.label}: holds a {opaque} object, whose state cannot be seen; keep the state in plain attributes"
            ) from None
        return found

    def leave_out(self, names: Sequence[str]) -> None:
        """Take these attributes for no state."""
        self._is_state |= dict.fromkeys(names, False)

    def settle(self, histories: Sequence[Sequence[Mapping[str, Hashable]]]) -> None:
        """Copy no more what never changed while these lines were played; it is only compared with what it was."""
        changed: set[str] = set()
        first = histories[0][0]
        for parts in (parts for history in histories for parts in history):
            changed |= {name for name in parts.keys() | first.keys() if parts.get(name) != first.get(name)}
        self._watched = [
            place
            for place in self._watched
            if any(name.startswith(f"{self._places[place].__name__}:") for name in changed)
        ]
        self.restart()
        moving = {name.split(".")[0] for name in changed}
        self._still = {
            name: copied(value, {})
            for name, value in self._state()
            if name not in moving and type(value) in (list, tuple, dict, set, np.ndarray) and _is_plain(value)
        }

    def check_still(self) -> None:
        """Raise Stirred where something has changed that never did before."""
        state = vars(self.env)
        for name, before in self._still.items():
            now = state.get(name)
            if now is before:
                continue
            if type(before) is np.ndarray:
                same = type(now) is np.ndarray and now.dtype == before.dtype and np.array_equal(now, before)
            else:
                same = type(now) is type(before) and now == before
            if not same:
                raise Stirred

    def still(self) -> tuple[Hashable, ...]:
        """The data of modules and classes that nobody looks at each time: they have to stay as they are."""
        places = [place for number, place in enumerate(self._places) if number not in self._watched]
        return tuple((n, canonical(v, (id(self.env),))) for place in places for n, v in _data(place).items())

    def dice(self) -> Hashable:
        """Changes when the game draws from a generator."""
        return dice(self.env)

    def unsettle(self) -> None:
        """Copy and look at everything again."""
        self._still, self._watched = {}, list(range(len(self._places)))

    def _state(self) -> list[tuple[str, Any]]:
        """The attributes of the env that are state, and may change."""
        still, known = self._still, self._is_state
        found = []
        for name, value in vars(self.env).items():
            if name in still:
                continue
            may_be = known.get(name)
            if may_be is None:
                may_be = known[name] = name not in PLAIN
            if may_be and (type(value) in ATOMS or not is_no_state(value)):
                found.append((name, value))
        return found


class Stirred(Exception):
    """Something has changed that never changed before: from now on it has to be copied."""


def _is_plain(value: Any) -> bool:
    """Whether a value compares with == in one stroke: numbers, texts, and containers of them."""
    if type(value) in ATOMS or type(value) is float:
        return True
    if type(value) is np.ndarray:
        return bool(value.dtype.kind in "biuf")
    if type(value) in (list, tuple, set):
        return all(type(item) is not np.ndarray and _is_plain(item) for item in value)
    return type(value) is dict and all(type(v) is not np.ndarray and _is_plain(v) for v in value.values())


def _spread(found: dict[str, Hashable], name: str, value: Any, depth: int) -> None:
    """The parts of an object as parts of their own: board.squares, and not board as one lump."""
    if depth and type(value) is tuple and value[:1] == ("object",):
        for inner, part in value[2:]:
            _spread(found, f"{name}.{inner}", part, depth - 1)
        return
    found[name] = value


def dice(env: Any) -> Hashable:
    """Where all generators stand that a game may use: whatever draws from one changes this."""
    numpys = np.random.mtrand._rand.get_state(legacy=False)
    own: list[Hashable] = []
    for value in vars(env).values():
        if isinstance(value, np.random.Generator):
            own.append(repr(value.bit_generator.state))
        elif isinstance(value, random.Random):
            own.append(hash(value.getstate()))
        elif isinstance(value, np.random.RandomState):
            own.append(repr(value.get_state(legacy=False)))
    state = random.getstate()
    return state[1][-1], state[1][0], numpys["state"]["pos"], numpys["gauss"], *own


def own_modules(kind: type, file_modules: Sequence[types.ModuleType] = ()) -> list[types.ModuleType]:
    """The modules that a game is written in: those of its classes, and what lies in the same package."""
    named = {base.__module__ for base in kind.__mro__ if base.__module__.split(".")[0] not in OTHERS}
    packages = {name.rpartition(".")[0] for name in named if "." in name}
    inside = [name for name in sys.modules if name in named or name.rpartition(".")[0] in packages]
    modules = [sys.modules[name] for name in sorted(inside) if name in sys.modules]
    return [*modules, *(module for module in file_modules if module not in modules)]


def _places(module: types.ModuleType) -> list[Any]:
    """Where data may lie that changes while a game is played: the module, and the classes defined in it."""
    classes = [thing for thing in vars(module).values() if isinstance(thing, type)]
    return [module, *(kind for kind in classes if kind.__module__ == module.__name__)]


def _data(place: Any) -> dict[str, Any]:
    return {
        name: value
        for name, value in vars(place).items()
        if (not name.startswith("__")
        and not is_no_state(value)
        and not isinstance(value, types.FunctionType | type)
        and name not in PLAIN
        and name not in ("_abc_impl", "__orig_bases__")
        and isinstance(
            value, int | float | str | list | dict | set | tuple | None | bytes
        ) | (type(value).__module__ in ("numpy", "collections")))
        or _is_own_object(place, value)
    }  # fmt: skip


def _is_own_object(place: Any, value: Any) -> bool:
    """Whether this is an object of a class that stands in the module itself, as a board that all games share."""
    return isinstance(place, types.ModuleType) and type(value).__module__ == place.__name__


def _restore(place: Any, data: dict[str, Any]) -> None:
    for name in [name for name in _data(place) if name not in data]:
        delattr(place, name)
    for name, value in data.items():
        if vars(place).get(name) is not value:
            setattr(place, name, value)
