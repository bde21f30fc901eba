"""Positions that behave alike are one: the same moves are legal, and lead to positions that behave alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def classes_of(next_state: NDArray[np.int32], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """[S]: the class of each state. States of different labels, or verdicts, are never of one class."""
    classes = np.unique(labels, return_inverse=True)[1].astype(np.int64).ravel()
    count = int(classes.max()) + 1
    chance = np.random.default_rng(0)
    factors = chance.integers(1, 2**63, size=next_state.shape[1] + 1, dtype=np.uint64) | np.uint64(1)
    while count < len(classes):
        refined = _refine(next_state, classes, factors, chance)
        larger = int(refined.max()) + 1
        if larger == count:
            break
        classes, count = refined, larger
    return classes if _is_exact(next_state, classes) else _by_rows(next_state, labels)


def _refine(
    next_state: NDArray[np.int32], classes: NDArray[np.int64], factors: NDArray[np.uint64], chance: np.random.Generator
) -> NDArray[np.int64]:
    """Classes split by where their moves lead; by sums of random numbers, which are checked at the end."""
    known = np.concatenate([classes, -1 - np.arange(4, -1, -1)])  # a verdict -v looks itself up from the end
    words = chance.integers(0, 2**63, size=int(classes.max()) + 6, dtype=np.uint64)  # of each class and each verdict
    mixed = words[classes] * factors[-1]
    for action in range(next_state.shape[1]):
        mixed += words[known[next_state[:, action]]] * factors[action]
        mixed ^= mixed >> np.uint64(29)
    return np.unique(mixed, return_inverse=True)[1].astype(np.int64).ravel()


def _rows(next_state: NDArray[np.int32], classes: NDArray[np.int64]) -> NDArray[Any]:
    return np.where(next_state >= 0, classes[next_state], next_state)


def _is_exact(next_state: NDArray[np.int32], classes: NDArray[np.int64]) -> bool:
    """Whether all states of a class have the same row of classes."""
    first = np.unique(classes, return_index=True)[1]
    rows = _rows(next_state, classes)
    return bool((rows == rows[first][classes]).all())


def _by_rows(next_state: NDArray[np.int32], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same, slower, where two sums happened to be equal."""
    classes = np.unique(labels, return_inverse=True)[1].ravel()
    while True:
        table = np.column_stack([classes, _rows(next_state, classes)])
        refined = np.unique(table, axis=0, return_inverse=True)[1].ravel()
        if refined.max() == classes.max():
            return refined.astype(np.int64)
        classes = refined
