"""A search for settings with Optuna: the fewest steps to perfect, and settings that blunder long are given up early.

A setting with an entry in `search` of the agent's settings is searched between its lowest and highest value, or among
the values of a list. Every trial is a training in memory with one seed: confirm the best with other seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.settings import make_checked
from base.mistake import Mistake
from games import Policy
from solver import Grade
from training.loop import train
from training.resolve import Settings

Values = dict[str, Any]


def study_file(settings: Settings, out: str | Path) -> Path:
    """Where the trials are written down, so that a search that was stopped goes on."""
    return settings.path(out).parent.with_suffix(".tune") / f"seed-{settings.seed}.journal"


def tune(settings: Settings, file: Path, trials: int, show: Callable[[str], None]) -> tuple[float, Values]:
    """Search until so many trials are complete, and return the fewest steps to perfect with the settings for it."""
    optuna = need_optuna()
    complete = optuna.trial.TrialState.COMPLETE
    space = type(settings.options).search
    if not space:
        raise Mistake(f"{settings.agent}: its settings say nothing about where to search (search = {{...}})")
    file.parent.mkdir(parents=True, exist_ok=True)
    backend = optuna.storages.journal.JournalFileBackend(str(file))
    study = optuna.create_study(
        storage=optuna.storages.JournalStorage(backend),
        study_name=settings.path("").as_posix(),
        load_if_exists=True,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4),
    )
    done = sum(trial.state.is_finished() for trial in study.trials)
    study.sampler = optuna.samplers.TPESampler(seed=(settings.seed + done) % 2**32)  # not the same draws once more

    def objective(trial: Any) -> float:
        return steps_to_perfect(changed(settings, suggest(trial, space)), trial)

    def tell(study: Any, trial: Any) -> None:
        worth = f"{trial.value:,.0f} steps" if trial.state == complete else "given up"
        if trial.state == complete and trial.value > settings.options.steps:
            worth = "not perfect"
        values = ", ".join(f"{name}={value}" for name, value in _short(trial.params).items())
        show(f"trial {trial.number + 1} of {trials}: {worth}  {values}")

    study.optimize(objective, n_trials=max(trials - done, 0), callbacks=[tell])
    if not any(trial.state == complete for trial in study.trials):
        raise Mistake(f"{file}: no trial came to its end yet; let it make more, as in --tune {trials + 10}")
    return study.best_value, _short(study.best_params)


def steps_to_perfect(settings: Settings, trial: Any) -> float:
    """The steps after which the policy was perfect first; beyond the budget, the more blunders the more."""
    from optuna import TrialPruned

    def look(steps: int, marks: Grade, policy: Policy) -> None:
        if not marks.perfect:
            trial.report(marks.blunders, steps)
            if trial.should_prune():
                raise TrialPruned

    card = train(settings, on_evaluation=look).card
    first = card.first_steps_to_perfect
    return float(first if first is not None else settings.options.steps * (1 + card.blunders))


def suggest(trial: Any, space: Mapping[str, Any]) -> Values:
    """A value for each setting of the space."""
    values: Values = {}
    for name, bounds in space.items():
        if isinstance(bounds, list):
            values[name] = trial.suggest_categorical(name, bounds)
        else:
            low, high = bounds
            log = low > 0 and high / low >= 5
            kind = trial.suggest_int if isinstance(low, int) and isinstance(high, int) else trial.suggest_float
            values[name] = kind(name, low, high, log=log)
    return _short(values)


def changed(settings: Settings, values: Values) -> Settings:
    """These settings with other values, stopped as soon as the policy is perfect."""
    options = {**dict(settings.options), **values, "until": "perfect"}
    return replace(settings, options=make_checked(type(settings.options), settings.agent, options))


def need_optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise Mistake("--tune needs Optuna; pip install 'perfect-play[optuna]'") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def _short(values: Mapping[str, Any]) -> Values:
    """Numbers with three digits: what is tried is what is printed."""
    return {name: float(f"{value:.3g}") if isinstance(value, float) else value for name, value in values.items()}
