"""Random numbers of one game: splitmix64, written once for Python's whole numbers, numpy's columns and numba's kernels.

A game's stream is one 64-bit number. To draw, advance it and read its word; every toss and every reply is one draw, so
a game played alone and the same game in a row of a vector env meet the same luck.
"""

from __future__ import annotations

from typing import Any

# All four are above 2**63, so numba takes them, and all that is computed with them, for unsigned 64-bit numbers.
GOLDEN = 0x9E3779B97F4A7C15
FIRST = 0xBF58476D1CE4E5B9
SECOND = 0x94D049BB133111EB
MASK = 0xFFFFFFFFFFFFFFFF


def advance(stream: Any) -> Any:
    """The stream one draw later."""
    return (stream + GOLDEN) & MASK


def word(stream: Any) -> Any:
    """The 64 random bits at this point of the stream."""
    stream = ((stream ^ (stream >> 30)) * FIRST) & MASK
    stream = ((stream ^ (stream >> 27)) * SECOND) & MASK
    return stream ^ (stream >> 31)


def below(word: Any, count: Any) -> Any:
    """A number from 0 to count - 1, each alike."""
    return ((word >> 32) * count) >> 32


def fraction(word: Any) -> Any:
    """A number from 0 to 1, without the 1."""
    return (word >> 11) * (1.0 / (1 << 53))


def seeded(seed: int) -> int:
    """The stream that a seed starts."""
    return int(word((seed + GOLDEN) & MASK))
