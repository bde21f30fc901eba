"""What several seeds say together, against ten-line oracles."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from report.statistics import arrival, interquartile_mean, lower_bound, median_curve, paired, sign_test


def test_the_interquartile_mean_drops_a_quarter_at_each_end() -> None:
    values = [9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 100.0, -50.0]
    assert interquartile_mean([values])["iqm"] == np.mean(sorted(values)[2:6])


def test_one_run_has_no_interval_and_equal_runs_a_point() -> None:
    assert interquartile_mean([[3.0]]) == {"iqm": 3.0, "low": None, "high": None, "runs": 1}
    assert interquartile_mean([[2.0, 2.0, 2.0]]) == {"iqm": 2.0, "low": 2.0, "high": 2.0, "runs": 3}


def test_seeds_are_drawn_again_within_a_game_and_never_across() -> None:
    """Two games whose runs agree: there is nothing left to vary, however far the games lie apart."""
    told = interquartile_mean([[0.0] * 4, [1.0] * 4])
    assert told["low"] == told["high"] == told["iqm"]
    mixed = interquartile_mean([[0.0, 0.2, 0.1, 0.3], [0.8, 1.0, 0.9, 0.7]])
    assert 0.3 < mixed["low"] < mixed["iqm"] < mixed["high"] < 0.7


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
    found = arrival(times, watched)
    expected = slow_survival(times, watched)
    assert list(found.times) == [time for time, _ in expected]
    assert found.waiting == pytest.approx([share for _, share in expected])
    assert found.median == next((time for time, share in expected if share <= 0.5 + 1e-12), math.inf)
    assert (found.worst == math.inf) == (None in times)


def test_runs_that_never_arrive_are_never_there() -> None:
    found = arrival([None, None], [5, 5])
    assert (found.arrived, found.runs, found.median, found.worst) == (0, 2, math.inf, math.inf)


@pytest.mark.parametrize("runs", range(2, 60, 2))
def test_where_just_half_of_the_runs_arrive_the_last_of_them_is_the_median(runs: int) -> None:
    half = runs // 2
    assert arrival([*range(1, half + 1), *[None] * half], [1000] * runs).median == half
    assert arrival([*range(1, half), *[None] * (half + 1)], [1000] * runs).median == math.inf


def test_the_permutation_test_counts_all_signs() -> None:
    values = [3.0, 1.0, 4.0, -1.0, 5.0]
    means = [abs(np.mean([s * v for s, v in zip(signs, values, strict=True)])) for signs in product((1, -1), repeat=5)]
    expected = np.mean([mean >= abs(np.mean(values)) - 1e-12 for mean in means])
    told = paired(values)
    assert told["p_permutation"] == pytest.approx(expected)
    assert told["mean"] == pytest.approx(2.4)
    assert told["low"] < told["mean"] < told["high"]


def test_a_single_pair_proves_nothing() -> None:
    assert paired([7.0]) == {"mean": 7.0, "median": 7.0, "low": None, "high": None, "p_permutation": 1.0}
    assert sign_test([1, 1, 1, 1, 1, 0]) == {"above": 5, "below": 0, "ties": 1, "p_sign": 2 / 2**5}


def test_between_two_evaluations_the_earlier_one_holds() -> None:
    curves = [{"steps": [0, 10, 30], "blunders": [9, 5, 1]}, {"steps": [0, 20], "blunders": [9, 3]}]
    assert median_curve(curves, ["blunders"]) == {"steps": [0, 10, 20, 30], "blunders": [9, 7, 4, 2]}
