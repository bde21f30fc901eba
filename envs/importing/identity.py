"""What of a state makes a position: all of it, or all but counters and lists of moves that only grow.

That something does not matter is a guess. The explorer tests it wherever two states meet in one position, and on long
lines of random play; where they behave differently, more of the state is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from envs.importing.canonical import ABSENT, leaves

LEVELS = ("nothing", "the last entry", "the last two entries", "the entries without their order", "all")
WHOLE = len(LEVELS) - 1
SEQUENCES = ("list", "tuple", "deque")


def growing(histories: Sequence[Sequence[Mapping[str, Hashable]]]) -> dict[str, bool]:
    """The parts that only grow along each of these lines: whether each is a counter, or else a list of what was."""
    found: dict[str, bool] = {}
    for name in histories[0][0]:
        lines = [[parts.get(name, ABSENT) for parts in history] for history in histories if len(history) > 1]
        if not lines:
            break
        if all(type(value) in (int, float) for line in lines for value in line):
            counts: Any = lines
            if all(a <= b for line in counts for a, b in pairwise(line)) and all(
                line[-1] > line[0] for line in counts if len(line) > 2
            ):
                found[name] = True
        elif all(type(value) is tuple and value[:1] != ("array",) for line in lines for value in line):
            sizes = [[leaves(value) for value in line] for line in lines]
            if all(a <= b for line in sizes for a, b in pairwise(line)) and all(
                line[-1] > line[0] for line in sizes if len(line) > 2
            ):
                found[name] = False
    return found


@dataclass(frozen=True)
class Identity:
    """How much of each growing part belongs to a position; of all other parts everything does."""

    grows: Mapping[str, bool] = field(default_factory=dict)  # part: whether it is a counter
    levels: tuple[tuple[str, int], ...] = ()  # part: a place in LEVELS

    @staticmethod
    def without(grows: Mapping[str, bool]) -> Identity:
        return Identity(grows, tuple((name, 0) for name in grows))

    @property
    def is_whole(self) -> bool:
        return all(level == WHOLE for _, level in self.levels)

    def key(self, parts: Mapping[str, Hashable]) -> tuple[Hashable, Hashable]:
        """What makes the position, and what was left out of that."""
        if not self.levels:
            return tuple(parts.items()), ()
        cut, rest = dict(parts), []
        for name, level in self.levels:
            value = parts.get(name, ABSENT)
            cut[name] = _cut(value, level)
            rest.append(value)
        return tuple(cut.items()), tuple(rest)

    def raised(self, one: Hashable, other: Hashable) -> list[Identity]:
        """The identities that look at more of one part in which these two differ, or of any if nobody knows."""
        ways = []
        for place, (name, level) in enumerate(self.levels):
            differs = not isinstance(one, tuple) or not isinstance(other, tuple) or one[place] != other[place]
            if level < WHOLE and differs:
                higher = WHOLE if self.grows[name] else level + 1
                ways.append(replace(self, levels=tuple((n, higher if n == name else k) for n, k in self.levels)))
        return ways

    @property
    def cost(self) -> int:
        return sum(1 if self.grows[name] and level else level for name, level in self.levels)

    def words(self) -> str:
        """What is left out, for the summary."""
        return "; ".join(
            f"{name} ({'a counter' if self.grows[name] else 'grows'}), of which {LEVELS[level]} counts"
            for name, level in self.levels
            if level < WHOLE
        )


def _cut(value: Any, level: int) -> Hashable:
    if level == WHOLE:
        return value  # type: ignore[no-any-return]
    if level == 0 or not isinstance(value, tuple):
        return None
    if level == WHOLE - 1:
        return _bag(value)
    if value[:1] and value[0] in SEQUENCES:
        return value[1:][-level:]
    if value[:1] == ("dict",):
        return frozenset((key, _cut(item, level)) for key, item in value[1])
    return None


def _bag(value: Any) -> Hashable:
    if isinstance(value, tuple) and value[:1] and value[0] in SEQUENCES:
        return frozenset(Counter(value[1:]).items())
    if isinstance(value, tuple) and value[:1] == ("dict",):
        return frozenset((key, _bag(item)) for key, item in value[1])
    return value  # type: ignore[no-any-return]
