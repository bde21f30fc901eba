"""How other people's games say what is legal and whose turn it is: many names, one answer."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from envs.importing.canonical import attributes

KINDS = "valid|legal|available|possible|allowed|playable|permitted|feasible"
THINGS = "moves?|actions?|plays?|positions?|squares?|columns?|cells?|placements?|choices?|options?|indices"
ASKS = re.compile(
    rf"(?:(?:get|find|list|all|generate|compute|current)_)*(?:{KINDS})_(?:{THINGS})(?:_(?:list|ids|masks?))?"
)
MASKS = re.compile(rf"(?:get_)?(?:(?:{KINDS})_)?(?:actions?_|moves?_)?masks?|action_masks_?fn")
TESTS = re.compile(rf"(?:is|check|can)_?(?:(?:move|action)_)?(?:{KINDS}|play)(?:_(?:move|action|play))?")
PLAYER = re.compile(
    r"(?:get_)?(?:(?:current|active|cur|curr|turn|next)_)?(?:player|turn|agent|seat|side|color|colour|mover|mark)"
    r"(?:_(?:to_move|to_play|turn|id|idx|index|num|number|mark|name|selection))?|to_move|to_play|side_to_move|whose_turn|"
    r"(?:is_)?(?:player_?(?:1|one|a|x)|white|black|x)s?_(?:turn|to_move)|agent_selection|p_turn|turn_of"
)
SURELY = re.compile(
    r"(?:get_)?(?:current|active|cur)_(?:player|turn|mover)(?:_(?:id|idx|index|num|number|mark|name))?|"
    r"(?:player_)?to_(?:move|play)|player_turn|agent_selection"
)
WINNER = re.compile(r"(?:the_)?(?:game_)?winner(?:_id|_index)?|winning_player|victor|won_by")
SCORES = re.compile(r"(?:.*_)?(?:scores?|points?|captures|captured|territory)(?:_.*)?")
TWO = (("1", "2"), ("one", "two"), ("a", "b"), ("x", "o"), ("black", "white"), ("p1", "p2"), ("first", "second"),
       ("0", "1"))  # fmt: skip
ARGUMENT_PLAYER = re.compile(r"player|turn|agent|side|color|colour|mark|who")
ARGUMENT_STATE = re.compile(r"state|board|obs|observation|game|position|grid")


def plain_name(name: str) -> str:
    """getLegalMoves, _legal_moves and legal_moves alike."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")


class Asking:
    """One way to ask what is legal: a call, and whether its answer is a mask by its name."""

    def __init__(self, words: str, ask: Callable[[Any, Any, Any], Any], is_mask: bool, is_test: bool = False) -> None:
        self.words, self.ask, self.is_mask, self.is_test = words, ask, is_mask, is_test


def ways_to_ask(env: Any, observation: Any, info: Any, wanted: str | None) -> list[Asking]:
    """Every way that this env seems to offer, the likeliest first. `wanted` is the name that a user gave."""
    found: list[tuple[int, Asking]] = []

    def consider(name: str, ask: Callable[[Any, Any, Any], Any], where: str, rank: int) -> None:
        plain = plain_name(name)
        if wanted is not None:
            if name == wanted or f"{where}{name}" == wanted:
                found.append((0, Asking(f"{where}{name}", ask, "mask" in plain, bool(TESTS.fullmatch(plain)))))
        elif MASKS.fullmatch(plain):
            found.append((rank + 1, Asking(f"{where}{name}", ask, True)))
        elif ASKS.fullmatch(plain):
            found.append((rank + name.startswith("_"), Asking(f"{where}{name}", ask, "mask" in plain)))
        elif TESTS.fullmatch(plain):
            found.append((rank + 40, Asking(f"{where}{name}", ask, False, True)))

    for name in _methods(env):
        if (call := _call(getattr(type(env), name, None) or getattr(env, name), name, bool(_test(name)))) is not None:
            consider(name, call, "", 0)
    for name, value in (attributes(env) or {}).items():
        if not callable(value):
            consider(name, lambda env, observation, info, name=name: getattr(env, name), "", 10)  # type: ignore[misc]
        if (inner := attributes(value)) is not None and not callable(value):
            for method in _methods(value):
                call = _call(getattr(type(value), method, None), method, bool(_test(method)))
                if call is not None and (not _test(method) or wanted):
                    consider(
                        method,
                        lambda env, observation, info, name=name, call=call: call(
                            getattr(env, name), observation, info
                        ),  # type: ignore[misc]
                        f"{name}.",
                        20,
                    )
            for key in inner:
                consider(
                    key,
                    lambda env, observation, info, name=name, key=key: getattr(getattr(env, name), key),  # type: ignore[misc]
                    f"{name}.",
                    30,
                )
    for where, told, rank in (("info:", info, 12), ("observation:", observation, 14)):
        for key in told if isinstance(told, dict) else ():
            if isinstance(key, str):
                if where == "info:":
                    consider(key, lambda env, observation, info, key=key: info[key], where, rank)  # type: ignore[misc]
                else:
                    consider(key, lambda env, observation, info, key=key: observation[key], where, rank)  # type: ignore[misc]
    return [asking for _, asking in sorted(found, key=lambda pair: pair[0])]


def _test(name: str) -> re.Match[str] | None:
    return TESTS.fullmatch(plain_name(name))


def _methods(thing: Any) -> list[str]:
    """The methods and properties that the author wrote, not those of the library."""
    names: list[str] = []
    for kind in type(thing).__mro__:
        if kind.__module__.split(".")[0] not in ("gymnasium", "gym", "pettingzoo", "builtins", "typing", "numpy"):
            names += [name for name in vars(kind) if name not in names and not name.startswith("__")]
    return names


def _call(method: Any, name: str, is_test: bool) -> Callable[[Any, Any, Any], Any] | None:
    """The method as a call with nothing left to be told; None where it wants what nobody knows."""
    if isinstance(method, property):
        return lambda env, observation, info: getattr(env, name)
    if not callable(method):
        return None
    try:
        wanted = list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        return None
    if not isinstance(inspect.getattr_static(method, "__self__", None), type(None)):
        return None
    needed = [p for p in wanted if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = [p.name for p in needed if p.name != "self"]
    if is_test:
        return (lambda env, observation, info: getattr(env, name)) if len(names) == 1 else None
    if not names:
        return lambda env, observation, info: getattr(env, name)()
    if len(names) == 1 and ARGUMENT_PLAYER.search(names[0]):
        return lambda env, observation, info: getattr(env, name)(_player_of(env, names[0]))
    if len(names) == 1 and ARGUMENT_STATE.search(names[0]):
        return lambda env, observation, info: getattr(env, name)(getattr(env, names[0], observation))
    return None


def _player_of(env: Any, argument: str) -> Any:
    for name in (argument, "current_player", "player", "turn", "to_play", "active_player", "current_turn"):
        if hasattr(env, name):
            value = getattr(env, name)
            return value() if callable(value) else value
    raise AttributeError(f"nothing says which {argument} to ask for")


def looks_like_masks(answers: Sequence[Any], actions: int, named: bool) -> bool:
    """Whether these answers are masks: an entry of 0 or 1 for each action, and not the numbers of actions."""
    flat = [np.asarray(list(answer) if isinstance(answer, set | dict | range) else answer) for answer in answers]
    if any(array.dtype == np.bool_ and array.shape == (actions,) for array in flat):
        return True
    if not all(
        array.ndim == 1 and len(array) == actions and array.dtype.kind in "iufb" for array in flat if array.size
    ):
        return False
    if not all(np.isin(array, (0, 1)).all() for array in flat):
        return False
    return named or any(len(np.unique(array)) < len(array) for array in flat if array.size)


def scores_of(parts: Mapping[str, Hashable], seats: Sequence[Hashable]) -> tuple[float, float] | None:
    """The scores of the two seats, where the parts of a state hold some; `seats` are the values of who moves."""
    low_first = len(seats) < 2 or str(seats[0]) <= str(seats[1])
    plain = {plain_name(name.split(".")[-1].split(":")[-1]): value for name, value in parts.items()}
    for name, value in plain.items():
        if not SCORES.fullmatch("_".join(_words_of(name))):
            continue
        pair: list[Any] = []
        if type(value) is tuple and len(value) == 3 and value[0] in ("list", "tuple"):
            pair = list(value[1:])
        elif type(value) is tuple and len(value) == 4 and value[:2] == ("array", (2,)) and isinstance(value[3], bytes):
            pair = np.frombuffer(value[3], dtype=str(value[2])).tolist()
        elif type(value) is tuple and len(value) == 2 and value[0] == "dict" and isinstance(value[1], frozenset):
            told = dict(value[1])
            if len(seats) == 2 and set(told) == set(seats):
                pair = [told[seat] for seat in (seats if low_first else seats[::-1])]
        else:
            for one, other in TWO:
                words = _words_of(name)
                twin = [other if word == one else word for word in words]
                others = [value for name, value in plain.items() if _words_of(name) == twin]
                if one in words and others:
                    pair = [value, others[0]]
        if len(pair) == 2 and all(isinstance(number, int | float) for number in pair):
            first, second = (float(number) for number in (pair if low_first else pair[::-1]))
            return first, second
    return None


def _words_of(name: str) -> list[str]:
    return re.sub(r"(?<=[a-z])(?=[0-9])", "_", name).split("_")


def who_moves(
    lines: Sequence[Sequence[Mapping[str, Hashable]]], wanted: str | None
) -> tuple[str | None, tuple[Hashable, ...], bool]:
    """Which value says whose turn it is, its values (the first player's first), and whether they strictly alternate.

    `lines` are lines of random play, with the single values of each position that is not an end.
    """
    paths = [path for path in lines[0][0] if all(path in values for line in lines for values in line)]
    found: list[tuple[int, str, tuple[Hashable, ...], bool]] = []
    for path in paths:
        line_values = [[values[path] for values in line] for line in lines]
        first = line_values[0][0]
        others = {value for values in line_values for value in values} - {first}
        if len(others) != 1 or any(values[0] != first for values in line_values):
            continue
        alternates = all(a != b for values in line_values for a, b in pairwise(values))
        last = plain_name(re.split(r"[.:\[]", path.rstrip("]"))[-1])
        named = PLAYER.fullmatch(last) is not None
        if wanted is not None:
            if path == wanted or last == plain_name(wanted):
                found.append((0, path, (first, *others), alternates))
        elif named or alternates:
            rank = 0 if SURELY.fullmatch(last) else 2 if named else 5  # a sure name counts more than to alternate
            found.append((rank + (not alternates), path, (first, *others), alternates))
    if not found:
        return None, (), False
    _, path, values, alternates = min(found, key=lambda entry: (entry[0], paths.index(entry[1])))
    return path, values, alternates
