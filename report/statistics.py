"""What several seeds say together. Each evaluation is exact; the only noise left is which seeds were run.

Interquartile means and stratified bootstrap intervals as in Agarwal et al., arXiv 2108.13264; survival after Kaplan and
Meier. A single run has no interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

RESAMPLES = 2_000
LEVEL = 0.95


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
                values, middle, n_resamples=RESAMPLES, confidence_level=LEVEL, method="percentile", vectorized=True,
                random_state=np.random.default_rng(0),
            ).confidence_interval  # fmt: skip
    return {"iqm": center, "low": _plain(low), "high": _plain(high), "runs": sum(map(len, values))}


def survival(steps: Sequence[int | None], budgets: Sequence[int]) -> dict[str, Any]:
    """The share of runs that are not there yet, by steps; a run that never got there counts until its budget."""
    from scipy.stats import CensoredData, ecdf

    reached = [step is not None for step in steps]
    times = [budget if step is None else step for step, budget in zip(steps, budgets, strict=True)]
    curve = ecdf(CensoredData.right_censored(times, [not there for there in reached])).sf
    at, share = curve.quantiles.tolist(), curve.probabilities.tolist()
    half = next((int(t) for t, s in zip(at, share, strict=True) if s <= 0.5), None)
    return {
        "steps": [int(t) for t in at],
        "not_yet": share,
        "reached": sum(reached),
        "runs": len(times),
        "median": half,  # steps by which half of the runs are there; null when fewer ever were
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
            (values,), np.mean, n_resamples=RESAMPLES, confidence_level=LEVEL, method="percentile",
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


def _plain(value: Any) -> float | None:
    return None if value is None else float(value)
