"""A larger budget for a run that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from games import Mistake, rulebook_names
from training import Run, resolve, train
from training.extend import check_extendable, shorter_run
from training.resolve import Settings

GAME = rulebook_names()[1]


def budget(steps: int, agent: str = "q-learning", **changes: object) -> Settings:
    return resolve(env=GAME, agent=agent, seed=2, changes={"steps": steps, "evaluations": 30, **changes})


@pytest.mark.parametrize(
    ("agent", "short", "long"),
    [("q-learning", 4000, 10_000), ("value-iteration", 400, 800), ("examples/my_learner.py", 500, 1500)],
)
def test_a_run_that_goes_on_ends_as_one_that_had_the_larger_budget_from_the_start(
    agent: str, short: int, long: int, tmp_path: Path
) -> None:
    small, large = budget(short, agent), budget(long, agent)
    assert shorter_run(large, tmp_path) is None
    train(small, Run(small.path(tmp_path)))
    shorter = shorter_run(large, tmp_path)
    assert shorter is not None
    assert shorter[0].path == small.path(tmp_path)
    check_extendable(*shorter)
    extended = train(large, Run(large.path(tmp_path)), shorter=shorter)
    whole = train(large)
    assert (extended.policy.probability == whole.policy.probability).all()
    assert extended.card.steps == whole.card.steps == long
    rows = list(zip(*extended.curve.values(), strict=True))
    assert len(rows) <= 32
    assert {row[0] for row in rows} >= {step for step in whole.curve["steps"].tolist() if step > short}
    known = {row[0]: row for row in zip(*whole.curve.values(), strict=True)}
    assert all(known[row[0]] == row for row in rows if row[0] in known)
    again = train(large, Run(large.path(tmp_path)), resume=True)
    assert again.card == extended.card


def test_the_longest_of_the_shorter_runs_is_taken_and_no_other_settings(tmp_path: Path) -> None:
    for settings in (budget(100), budget(300), budget(200), budget(400, epsilon=0.5), budget(900)):
        train(settings, Run(settings.path(tmp_path)))
    shorter = shorter_run(budget(600), tmp_path)
    assert shorter is not None
    assert shorter[1] == budget(300)


@pytest.mark.parametrize(
    ("agent", "changes", "names"),
    [
        ("sarsa", {}, "epsilon followed"),
        ("q-learning", {"step_size_end": 0.1, "epsilon_end": 0.5}, "epsilon and step_size followed"),
        ("ppo", {}, "learning_rate and entropy followed"),
        ("ppo", {"learning_rate_end": 3e-3, "entropy_end": 0.3, "opponent": "pool"}, "pool followed"),
    ],
)
def test_where_a_setting_followed_the_budget_nothing_goes_on(
    agent: str, changes: dict[str, object], names: str, tmp_path: Path
) -> None:
    with pytest.raises(Mistake, match=names):
        check_extendable(Run(tmp_path), budget(100_000, agent, **changes))


def test_the_same_without_a_slope_goes_on(tmp_path: Path) -> None:
    ppo = {"learning_rate": 0.003, "learning_rate_end": 0.003, "entropy": 0.1, "entropy_end": 0.1}
    for settings in (budget(9), budget(9, "sarsa", epsilon_end=0.1), budget(99_999, "ppo", **ppo)):
        check_extendable(Run(tmp_path), settings)
