"""The state of foreign objects as plain values: two positions are the same where these are equal.

Generators, spaces, modules, functions and the like are no state. Arrays count by their content, -0.0 is 0.0, an object
counts by its class and attributes. What can be told apart by none of these is opaque, and is said to be.
"""

from __future__ import annotations

import copy
import enum
import logging
import random
import re
import types
from collections import deque
from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Space

ATOMS = (int, str, bool, type(None), bytes, complex)
NO_STATE = (
    np.random.Generator, np.random.BitGenerator, np.random.RandomState, np.random.SeedSequence, random.Random,
    Space, EnvSpec, types.ModuleType, types.BuiltinFunctionType, types.MethodWrapperType, types.GeneratorType,
    logging.Logger, re.Pattern, np.dtype, property, staticmethod, classmethod,
)  # fmt: skip
NO_STATE_MODULES = ("pygame", "matplotlib", "tkinter", "gym.spaces", "gym.utils", "threading", "_thread", "_io", "rich")
PLAIN = frozenset({"spec", "metadata", "render_mode", "reward_range", "unwrapped", "infos", "seed", "_seed",
                   "np_random_seed", "_np_random_seed", "random_seed", "rng_seed", "current_seed"})  # fmt: skip
FEW = 64  # elements of a list in which one may say whose turn it is
DEEPEST = 30  # objects within objects
ABSENT = ("absent",)


class Opaque(Exception):
    """An object whose state cannot be seen; its message says which."""


@lru_cache(maxsize=4096)
def _is_code(kind: Any) -> bool:
    return issubclass(kind, NO_STATE) or kind.__module__.startswith(NO_STATE_MODULES)


def is_no_state(value: object) -> bool:
    """Whether a value belongs to no position: a generator, a space, a window, code; or a dict of nothing else."""
    kind: Any = type(value)
    if kind is dict and isinstance(value, dict):
        return len(value) > 0 and all(_is_code(kind_of(item)) for item in value.values())
    return _is_code(kind)


def kind_of(value: object) -> Any:
    """The class of a value, as a key."""
    return type(value)


def canonical(value: Any, path: tuple[int, ...] = ()) -> Hashable:
    """The value as something that can be compared and hashed."""
    kind = type(value)
    if kind in ATOMS:
        return value  # type: ignore[no-any-return]
    if kind is float:
        return _number(value)
    if kind is np.ndarray:
        if value.dtype.kind == "f":
            return "array", value.shape, value.dtype.char, (value + 0.0).tobytes()
        if value.dtype.kind == "O":
            return "array", value.shape, "O", canonical(value.tolist(), path)
        return "array", value.shape, value.dtype.char, value.tobytes()
    if kind is list or kind is tuple or kind is deque:
        if all(type(item) in ATOMS for item in value):
            return (kind.__name__, *value)
        return (kind.__name__, *[canonical(item, path) for item in value])
    if isinstance(value, dict):
        return "dict", frozenset([(canonical(key, path), canonical(item, path)) for key, item in value.items()])
    if isinstance(value, set | frozenset):
        return "set", frozenset([canonical(item, path) for item in value])
    if isinstance(value, np.generic):
        return canonical(value.item(), path)
    if isinstance(value, enum.Enum):
        return "enum", kind.__qualname__, value.name
    if isinstance(value, list | tuple):
        return (kind.__name__, *[canonical(item, path) for item in value])
    if isinstance(value, ATOMS):
        return kind.__qualname__, value
    if isinstance(value, types.MethodType):
        return "method", value.__func__.__qualname__
    if isinstance(value, types.FunctionType):  # which of several rules is in force, perhaps
        return "function", value.__qualname__, value.__code__.co_firstlineno
    if isinstance(value, type):
        return "class", value.__qualname__
    if is_no_state(value):
        return ("no state",)
    if _is_shared(value):
        return "shared", kind.__qualname__
    if id(value) in path:
        return "above", path.index(id(value))
    if len(path) > DEEPEST:
        raise Opaque(f"{kind.__qualname__} objects within each other without end")
    return _object(value, (*path, id(value)))


def _number(value: float) -> Hashable:
    return value + 0.0 if value == value else "nan"


def _object(value: Any, path: tuple[int, ...]) -> Hashable:
    """An object of some class, by its attributes; or by what it would be pickled as."""
    kind = type(value)
    state = attributes(value)
    if state is not None:
        parts = [
            (name, canonical(item, path)) for name, item in state.items() if name not in PLAIN and not is_no_state(item)
        ]
        return "object", kind.__qualname__, *parts
    try:
        reduced = value.__reduce_ex__(4)
    except Exception as error:
        raise Opaque(f"{kind.__module__}.{kind.__qualname__}") from error
    if isinstance(reduced, str):
        return "named", reduced
    made = [list(part) if hasattr(part, "__next__") else part for part in reduced[1:]]
    return ("made", kind.__qualname__, *[canonical(part, path) for part in made])


def attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object of a Python class; None for one that keeps its state elsewhere."""
    state = getattr(value, "__dict__", None)
    slots = _slots(kind_of(value))
    if not isinstance(state, dict) and not slots:
        return None
    if _is_of_c(kind_of(value)):
        return None
    found_there = dict(state) if isinstance(state, dict) else {}
    for name in slots:
        hidden = f"_{type(value).__name__.lstrip('_')}{name}" if name.startswith("__") else name
        if hasattr(value, hidden):
            found_there[hidden] = getattr(value, hidden)
    return found_there


@lru_cache(maxsize=4096)
def _slots(kind: Any) -> tuple[str, ...]:
    """The slots of a class and of those that it inherits from."""
    slots = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    named = [name for part in slots for name in ([part] if isinstance(part, str) else part)]
    return tuple(name for name in named if name not in ("__dict__", "__weakref__"))


@lru_cache(maxsize=4096)
def _is_of_c(kind: Any) -> bool:
    """Whether a class keeps state in C that its attributes do not show: it inherits from more than object."""
    return any(base.__flags__ & (1 << 9) == 0 and base is not object for base in kind.__mro__)  # no heap type


def copied(value: Any, memo: dict[int, Any]) -> Any:
    """A copy that shares nothing that can change; what is no state is shared. The same thing twice stays one thing."""
    kind = type(value)
    if kind in ATOMS or kind is float:
        return value
    if id(value) in memo:
        return memo[id(value)]
    if kind is np.ndarray:
        again: Any = value.copy() if value.dtype.kind != "O" else copy.deepcopy(value, memo)
    elif kind is list:
        again = memo[id(value)] = list(value)
        if not all(type(item) in ATOMS for item in value):
            again[:] = [copied(item, memo) for item in value]
    elif kind is tuple:
        again = tuple([copied(item, memo) for item in value])
    elif kind is dict:
        again = memo[id(value)] = {}
        for key, item in value.items():
            again[copied(key, memo)] = copied(item, memo)
    elif kind is set:
        again = {copied(item, memo) for item in value}
    elif kind is deque:
        again = deque([copied(item, memo) for item in value], value.maxlen)
    elif isinstance(value, np.generic | enum.Enum | types.FunctionType | type) or is_no_state(value):
        return value
    elif isinstance(value, types.MethodType):
        again = types.MethodType(value.__func__, copied(value.__self__, memo))
    elif isinstance(value, (dict, list, tuple, set, frozenset, *ATOMS)):
        again = copy.deepcopy(value, memo)
    elif (state := attributes(value)) is not None and not _copies_itself(kind):
        again = memo[id(value)] = object.__new__(kind)
        for name, item in state.items():
            object.__setattr__(again, name, copied(item, memo))
    else:
        again = copy.deepcopy(value, memo)
    memo[id(value)] = again
    memo.setdefault(id(memo), []).append(value)  # kept alive, so that its id is nobody else's
    return again


def _copies_itself(kind: type) -> bool:
    return hasattr(kind, "__deepcopy__")


def _is_shared(value: object) -> bool:
    """Whether an object says that it never changes: its copy is itself."""
    if not _copies_itself(type(value)):
        return False
    try:
        return copy.deepcopy(value) is value
    except Exception:
        return False


def leaves(value: Hashable) -> int:
    """How many plain values there are in a canonical one."""
    if isinstance(value, tuple | frozenset):
        return sum(map(leaves, value))
    return len(value) // 8 if isinstance(value, bytes) else 1


def scalars(parts: Mapping[str, Hashable], *, elements: bool = False) -> dict[str, Hashable]:
    """The single values among the parts of a state, by their paths; with `elements` those in short lists and arrays."""
    found: dict[str, Hashable] = {}
    for name, value in parts.items():
        if isinstance(value, int | str | float | None) or (type(value) is tuple and value[:1] == ("enum",)):
            found[name] = value
        elif elements and type(value) is tuple and value[:1] in (("list",), ("tuple",)) and len(value) <= FEW:
            found |= {f"{name}[{place}]": item for place, item in enumerate(value[1:]) if isinstance(item, int | str)}
        elif elements and type(value) is tuple and value[:1] == ("array",) and value[2] != "O":
            cells = np.frombuffer(value[3], dtype=value[2])
            found |= {f"{name}[{place}]": cell for place, cell in enumerate(cells.tolist()) if len(cells) <= FEW}
        elif type(value) is tuple and value[:1] == ("dict",) and isinstance(value[1], frozenset):
            found |= {f"{name}[{key}]": item for key, item in value[1] if isinstance(item, int | str | float | None)}
    return found
