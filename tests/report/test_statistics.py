"""What several seeds say together, against ten-line oracles."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from report.document import Curve, Difference, Mean
from report.statistics import arrival, interquartile_mean, lower_bound, median_curve, paired, sign_test


def test_the_interquartile_mean_drops_a_quarter_at_each_end() -> None:
    values = [9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 100.0, -50.0]
    assert interquartile_mean([values]).iqm == np.mean(sorted(values)[2:6])


def test_one_run_has_no_interval_and_equal_runs_a_point() -> None:
    assert interquartile_mean([[3.0]]) == Mean(3.0, None, None, runs=1)
    assert interquartile_mean([[2.0, 2.0, 2.0]]) == Mean(2.0, 2.0, 2.0, runs=3)


def test_seeds_are_drawn_again_within_a_game_and_never_across() -> None:
    """Two games whose runs agree: there is nothing left to vary, however far the games lie apart."""
    alike = interquartile_mean([[0.0] * 4, [1.0] * 4])
    assert alike.low == alike.high == alike.iqm
    mixed = interquartile_mean([[0.0, 0.2, 0.1, 0.3], [0.8, 1.0, 0.9, 0.7]])
    assert 0.3 < (mixed.low or 0) < mixed.iqm < (mixed.high or 0) < 0.7


@pytest.mark.parametrize("tries", [1, 10, 59])
def test_the_bound_is_where_a_result_as_good_has_one_chance_in_twenty(tries: int) -> None:
    assert lower_bound(0, tries) == 0
    for hits in range(1, tries + 1):
        share = lower_bound(hits, tries)
        as_good = sum(math.comb(tries, n) * share**n * (1 - share) ** (tries - n) for n in range(hits, tries + 1))
        assert as_good == pytest.approx(0.05)


def test_fifty_nine_of_fifty_nine_is_the_least_that_shows_ninety_five_percent() -> None:
    assert lower_bound(58, 58) < 0.95 < lower_bound(59, 59)


def slow_survival(times: list[float | None], watched: list[float]) -> list[tuple[float, float]]:
    """Kaplan and Meier as in their paper: at each arrival, of those still at risk, so many remain."""
    seen = [(end if time is None else time, time is not None) for time, end in zip(times, watched, strict=True)]
    left, points = 1.0, []
    for moment in sorted({time for time, arrived in seen if arrived}):
        at_risk = sum(time >= moment for time, _ in seen)
        left *= 1 - sum(arrived and time == moment for time, arrived in seen) / at_risk
        points.append((moment, left))
    return points


@pytest.mark.parametrize(
    ("times", "watched"),
    [
        ([1, 2, 3, 4], [9, 9, 9, 9]),
        ([1, None, 3, None], [9, 9, 9, 9]),
        ([2, None, 2, None, 7], [9, 1, 9, 5, 9]),
        ([10, None, 30, 30, None, 70], [100, 20, 100, 100, 50, 100]),
        ([0, 0, None], [4, 4, 4]),
    ],
)
def test_waiting_times_are_those_of_kaplan_and_meier(times: list[float | None], watched: list[float]) -> None:
    arrivals = arrival(times, watched)
    expected = slow_survival(times, watched)
    assert list(arrivals.times) == [time for time, _ in expected]
    assert arrivals.waiting == pytest.approx([share for _, share in expected])
    assert arrivals.median == next((time for time, share in expected if share <= 0.5 + 1e-12), math.inf)
    assert (arrivals.worst == math.inf) == (None in times)


def test_runs_that_never_arrive_are_never_there() -> None:
    arrivals = arrival([None, None], [5, 5])
    assert (arrivals.arrived, arrivals.runs, arrivals.median, arrivals.worst) == (0, 2, math.inf, math.inf)


@pytest.mark.parametrize("runs", range(2, 60, 2))
def test_where_just_half_of_the_runs_arrive_the_last_of_them_is_the_median(runs: int) -> None:
    half = runs // 2
    assert arrival([*range(1, half + 1), *[None] * half], [1000] * runs).median == half
    assert arrival([*range(1, half), *[None] * (half + 1)], [1000] * runs).median == math.inf


def test_the_permutation_test_counts_all_signs() -> None:
    values = [3.0, 1.0, 4.0, -1.0, 5.0]
    means = [abs(np.mean([s * v for s, v in zip(signs, values, strict=True)])) for signs in product((1, -1), repeat=5)]
    expected = np.mean([mean >= abs(np.mean(values)) - 1e-12 for mean in means])
    difference = paired([(value + 2.0, 2.0) for value in values])
    assert difference.p_permutation == pytest.approx(expected)
    assert difference.mean == pytest.approx(2.4)
    assert difference.low is not None
    assert difference.high is not None
    assert difference.low < 2.4 < difference.high


def test_a_single_pair_proves_nothing() -> None:
    assert paired([(9.0, 2.0)]) == Difference(7.0, 7.0, None, None, 1.0, above=1, below=0, ties=0, p_sign=1.0)
    assert sign_test([1, 1, 1, 1, 1, 0]) == (5, 0, 2 / 2**5)


def test_a_run_that_never_gets_there_is_later_than_any_that_does() -> None:
    difference = paired([(5.0, math.inf), (math.inf, math.inf), (math.inf, 3.0)])
    assert (difference.above, difference.below, difference.ties, difference.mean) == (1, 1, 1, None)


def test_between_two_evaluations_the_earlier_one_holds() -> None:
    one = Curve([0, 10, 30], [9, 5, 1], [0.1, 0.5, 0.9], [1.0, 1.0, 0.5])
    other = Curve([0, 20], [9, 3], [0.1, 0.7], [1.0, 0.0])
    median = median_curve([one, other])
    assert (median.steps, median.blunders) == ([0, 10, 20, 30], [9, 7, 4, 2])
    assert median.exploitability == [1.0, 1.0, 0.5, 0.25]
