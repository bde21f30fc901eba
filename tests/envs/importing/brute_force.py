"""A slow second opinion: negamax on copies of the env itself, by a position's attributes; shares nothing with envs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any


def freeze(value: Any) -> Any:
    """Any attribute as something to compare."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple) or type(value).__name__ == "deque":
        return tuple(map(freeze, value))
    if isinstance(value, dict):
        return tuple(sorted((repr(key), repr(freeze(item))) for key, item in value.items()))
    return freeze(vars(value)) if hasattr(value, "__dict__") else value


def values(
    make: Callable[[], Any], names: tuple[str, ...], legal: Callable[[Any], list[Any]], mover: Callable[[Any], Any],
    result: Callable[[Any, float, Any], float],
) -> tuple[dict[tuple[Any, ...], int], dict[tuple[Any, ...], dict[Any, Any]]]:  # fmt: skip
    """The value of each position (its frozen attributes) for who is to move, and where its moves lead.

    `result(env, reward, who)` is the worth of an end to who moved. Play that never ends is worth 0.
    """
    start = make()
    start.reset()
    whole = {at(start, names): copy.deepcopy(start)}
    waiting, moves, ends = list(whole), dict[Any, dict[Any, Any]](), dict[Any, dict[Any, int]]()
    who: dict[Any, Any] = {}
    while waiting:
        here = waiting.pop()
        env = whole[here]
        who[here] = mover(env)
        moves[here], ends[here] = {}, {}
        for move in legal(_copied(env)):
            after = _copied(env)
            answer = after.step(move)
            key = freeze(move)
            if answer[2] or (len(answer) == 5 and answer[3]):
                ends[here][key] = int(result(after, answer[1], who[here]))
                moves[here][key] = ends[here][key]
            else:
                there = at(after, names)
                moves[here][key] = there
                if there not in whole:
                    whole[there] = after
                    waiting.append(there)
    value = dict.fromkeys(whole, 0)
    for _ in range(len(whole) + 1):  # a sweep decides whatever is decided within one more ply
        changed = False
        for here in whole:
            worth = [
                move if isinstance(move, int) else value[move] * (1 if who[move] == who[here] else -1)
                for move in moves[here].values()
            ]
            best = max(worth)
            if best != value[here] and value[here] == 0:
                value[here], changed = best, True
        if not changed:
            break
    return value, moves


def _copied(env: Any) -> Any:
    """A copy that shares the spaces, which never change and take long."""
    spaces = (getattr(env, "action_space", None), getattr(env, "observation_space", None))
    return copy.deepcopy(env, {id(space): space for space in spaces})


def at(env: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(freeze(getattr(env, name, None)) for name in names)
