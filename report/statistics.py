"""What many seeds say together. Each evaluation is exact; the only noise left is which seeds were run.

A bound on a share after Clopper and Pearson, arrival times after Kaplan and Meier, interquartile means with stratified
bootstrap intervals as in Agarwal et al., arXiv 2108.13264, and tests of paired differences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

CONFIDENCE = 0.95
RESAMPLES = 2_000
ROUNDING = 1e-9  # what a product of shares may be off by


def lower_bound(hits: int, tries: int) -> float:
    """The one-sided Clopper-Pearson bound: a smaller true share gives as many hits in at most 1 of 20 studies."""
    from scipy.stats import binomtest

    return float(binomtest(hits, tries, alternative="greater").proportion_ci(CONFIDENCE, "exact").low)


@dataclass(frozen=True)
class Arrival:
    """When runs arrive, by Kaplan and Meier: a run that has not arrived by its end was only watched till then."""

    times: tuple[float, ...]  # at which some arrive, ascending
    waiting: tuple[float, ...]  # the share that has not arrived after each of them
    arrived: int
    runs: int

    @property
    def median(self) -> float:
        """Infinite where half of the runs never arrive."""
        return next((t for t, share in zip(self.times, self.waiting, strict=True) if share <= 0.5 + ROUNDING), math.inf)

    @property
    def worst(self) -> float:
        return self.times[-1] if self.arrived == self.runs else math.inf


def arrival(times: Sequence[float | None], watched: Sequence[float]) -> Arrival:
    """`times`: when each run arrived, None for never; `watched`: how long each was watched."""
    from scipy.stats import CensoredData, ecdf

    never = [time is None for time in times]
    if all(never):
        return Arrival((), (), 0, len(times))
    seen = [end if time is None else time for time, end in zip(times, watched, strict=True)]
    function = ecdf(CensoredData.right_censored(seen, never)).sf
    arrived = {float(time) for time in times if time is not None}
    points = [
        (float(t), float(share))
        for t, share in zip(function.quantiles, function.probabilities, strict=True)
        if float(t) in arrived
    ]
    return Arrival(tuple(t for t, _ in points), tuple(s for _, s in points), len(times) - sum(never), len(times))


def interquartile_mean(strata: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Of all runs together; the interval comes from drawing seeds again within each stratum (a game)."""
    from scipy.stats import bootstrap, trim_mean

    def middle(*parts: Any, axis: int = -1) -> Any:
        return trim_mean(np.concatenate(parts, axis=axis), 0.25, axis=axis)

    values = [np.asarray(part, dtype=np.float64) for part in strata]
    center = float(middle(*values))
    low = high = None
    if all(len(part) > 1 for part in values):
        if all(np.ptp(part) == 0 for part in values):
            low = high = center
        else:
            low, high = bootstrap(
                values, middle, n_resamples=RESAMPLES, confidence_level=CONFIDENCE, method="percentile",
                vectorized=True, random_state=np.random.default_rng(0),
            ).confidence_interval  # fmt: skip
    return {
        "iqm": center,
        "low": None if low is None else float(low),
        "high": None if high is None else float(high),
        "runs": sum(map(len, values)),
    }


def median_curve(curves: Sequence[dict[str, list[float]]], keys: Sequence[str]) -> dict[str, list[float]]:
    """The median over runs at every step where any of them was evaluated; between two evaluations the earlier holds."""
    steps = sorted({step for curve in curves for step in curve["steps"]})
    median: dict[str, list[float]] = {"steps": list(steps)}
    for key in keys:
        rows = []
        for curve in curves:
            at = np.searchsorted(curve["steps"], steps, side="right") - 1
            rows.append(np.asarray(curve[key], dtype=np.float64)[np.maximum(at, 0)])
        median[key] = np.median(rows, axis=0).tolist()
    return median


def paired(differences: Sequence[float]) -> dict[str, Any]:
    """The mean of paired differences, its bootstrap interval, and how likely so large a mean is if signs are chance."""
    from scipy.stats import bootstrap, permutation_test

    values = np.asarray(differences, dtype=np.float64)
    result: dict[str, Any] = {"mean": float(values.mean()), "median": float(np.median(values))}
    if len(values) < 2:  # one pair says nothing about others
        return result | {"low": None, "high": None, "p_permutation": 1.0}
    if np.ptp(values) == 0:
        result |= {"low": float(values[0]), "high": float(values[0])}
    else:
        low, high = bootstrap(
            (values,), np.mean, n_resamples=RESAMPLES, confidence_level=CONFIDENCE, method="percentile",
            random_state=np.random.default_rng(0),
        ).confidence_interval  # fmt: skip
        result |= {"low": float(low), "high": float(high)}
    test = permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=100_000, random_state=np.random.default_rng(0)
    )
    return result | {"p_permutation": float(test.pvalue)}


def sign_test(differences: Sequence[float]) -> dict[str, Any]:
    """How often either side is ahead, and how likely a split so uneven is by tossing coins; ties do not count."""
    from scipy.stats import binomtest

    above = sum(value > 0 for value in differences)
    below = sum(value < 0 for value in differences)
    chance = float(binomtest(above, above + below).pvalue) if above + below else 1.0
    return {"above": above, "below": below, "ties": len(differences) - above - below, "p_sign": chance}
