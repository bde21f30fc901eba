"""How runs of several learners compare, as Agarwal et al. (arXiv 2108.13264) ask for: profiles, and who is ahead.

A run's number is its share of blunders, exact for its policy; what is sampled is the seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from report.document import Mean
from report.statistics import CONFIDENCE, RESAMPLES

Strata = Sequence[Sequence[float]]  # a list of runs for each game


def profile(strata: Strata, limits: Sequence[float]) -> list[float]:
    """For each limit: the share of all runs that are at or below it, every game counting alike."""
    return [float(np.mean([np.mean(np.asarray(runs) <= limit) for runs in strata])) for limit in limits]


def improvement(ours: Strata, theirs: Strata) -> Mean:
    """How likely a run of ours is below one of theirs on the same game, ties half; mean over the games."""
    pairs = [(np.asarray(x, float), np.asarray(y, float)) for x, y in zip(ours, theirs, strict=True)]
    draw = np.random.default_rng(0)
    samples = [_mean_share([(_again(x, draw), _again(y, draw)) for x, y in pairs]) for _ in range(RESAMPLES)]
    low, high = np.quantile(samples, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    return Mean(iqm=_mean_share(pairs), low=low, high=high, runs=sum(len(x) + len(y) for x, y in pairs))


def _mean_share(pairs: Sequence[tuple[Any, Any]]) -> float:
    return float(np.mean([((x[:, None] < y) + 0.5 * (x[:, None] == y)).mean() for x, y in pairs]))


def _again(runs: Any, draw: np.random.Generator) -> Any:
    return runs[draw.integers(len(runs), size=len(runs))]
