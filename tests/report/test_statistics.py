"""What several seeds say together, against ten-line oracles."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from report.statistics import arrival, interquartile_mean, median_curve, paired, sign_test


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


def test_survival_is_kaplan_and_meiers_product() -> None:
    steps, budgets = [10, None, 30, 30, None, 70], [100, 20, 100, 100, 50, 100]
    told = arrival(steps, budgets)
    times = [budget if step is None else step for step, budget in zip(steps, budgets, strict=True)]
    share, expected = 1.0, []
    for time in sorted({step for step in steps if step is not None}):
        share *= 1 - sum(step == time for step in steps) / sum(other >= time for other in times)
        expected.append(share)
    assert told.times == (10, 30, 70)
    assert told.waiting == pytest.approx(expected)
    assert (told.arrived, told.runs, told.median) == (4, 6, 30)


@pytest.mark.parametrize("runs", range(2, 60, 2))
def test_where_just_half_of_the_runs_arrive_the_last_of_them_is_the_median(runs: int) -> None:
    half = runs // 2
    assert arrival([*range(1, half + 1), *[None] * half], [1000] * runs).median == half
    assert arrival([*range(1, half), *[None] * (half + 1)], [1000] * runs).median == float("inf")


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
