"""What many seeds say together: a bound on a share, and when runs get there if some never do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


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
        return next((t for t, share in zip(self.times, self.waiting, strict=True) if share <= 0.5), math.inf)

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
