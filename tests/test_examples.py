"""The examples do what they say."""

from __future__ import annotations

import runpy

from games import rulebook_names
from tests.books import need_module


def test_optuna_finds_settings_through_training_from_python() -> None:
    optuna = need_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    objective = runpy.run_path("examples/tune_optuna.py")["plies_to_perfect"]
    study = optuna.create_study(pruner=optuna.pruners.MedianPruner(n_startup_trials=2))
    study.optimize(
        lambda trial: objective(trial, rulebook_names()[1], "q-learning", 100_000, {"epsilon": (0.1, 1.0)}), n_trials=5
    )
    assert study.best_value < 100_000
    assert set(study.best_params) == {"epsilon"}
