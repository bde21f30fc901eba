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
from numpy.typing import NDArray

from report.document import Curve, Difference, Mean

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


def interquartile_mean(strata: Sequence[Sequence[float]]) -> Mean:
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
    return Mean(
        iqm=center,
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        runs=sum(map(len, values)),
    )


def median_curve(curves: Sequence[Curve]) -> Curve:
    """The median over runs at every step where any of them was evaluated; between two evaluations the earlier holds."""
    steps = sorted({step for curve in curves for step in curve.steps})
    latest = [np.maximum(np.searchsorted(curve.steps, steps, side="right") - 1, 0) for curve in curves]

    def median(columns: Sequence[Sequence[float]]) -> list[float]:
        rows = [np.asarray(column, dtype=np.float64)[at] for column, at in zip(columns, latest, strict=True)]
        return list(np.median(rows, axis=0).tolist())

    return Curve(
        steps,
        median([curve.blunders for curve in curves]),
        median([curve.accuracy for curve in curves]),
        median([curve.exploitability for curve in curves]),
    )


def paired(pairs: Sequence[tuple[float, float]]) -> Difference:
    """The differences of pairs: who is ahead how often, the mean, its interval, and how likely it is by chance.

    An infinite number stands for a run that never got there: then only who is ahead can be told.
    """
    above, below, p_sign = sign_test([(one > other) - (one < other) for one, other in pairs])
    ties = len(pairs) - above - below
    if any(math.isinf(number) for pair in pairs for number in pair):
        return Difference(None, None, None, None, None, above, below, ties, p_sign)
    values = np.array([one - other for one, other in pairs], dtype=np.float64)
    low, high = _bootstrap(values)
    return Difference(
        mean=float(values.mean()),
        median=float(np.median(values)),
        low=low,
        high=high,
        p_permutation=_permutation(values),
        above=above,
        below=below,
        ties=ties,
        p_sign=p_sign,
    )


def _bootstrap(values: NDArray[np.float64]) -> tuple[float | None, float | None]:
    from scipy.stats import bootstrap

    if len(values) < 2:  # one pair says nothing about others
        return None, None
    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    low, high = bootstrap(
        (values,), np.mean, n_resamples=RESAMPLES, confidence_level=CONFIDENCE, method="percentile",
        random_state=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    return float(low), float(high)


def _permutation(values: NDArray[np.float64]) -> float:
    """How likely a mean so far from 0 is if the signs are chance."""
    from scipy.stats import permutation_test

    if len(values) < 2:
        return 1.0
    test = permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=100_000, random_state=np.random.default_rng(0)
    )
    return float(test.pvalue)


def sign_test(differences: Sequence[float]) -> tuple[int, int, float]:
    """How often either side is ahead, and how likely a split so uneven is by tossing coins; ties do not count."""
    from scipy.stats import binomtest

    above = sum(value > 0 for value in differences)
    below = sum(value < 0 for value in differences)
    chance = float(binomtest(above, above + below).pvalue) if above + below else 1.0
    return above, below, chance
