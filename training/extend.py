"""A larger budget for a run that is there: it goes on where nothing in it was made for the smaller one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from base.mistake import Mistake
from training.resolve import Settings, resolve
from training.run import Run


def shorter_run(settings: Settings, out: str | Path) -> tuple[Run, Settings] | None:
    """The longest run that differs from this one in a smaller budget only."""
    place = settings.path(out)
    runs = list[tuple[int, Run, Settings]]()
    for file in place.parent.parent.glob(f"{settings.agent}*/{place.name}/settings.toml"):
        try:
            other = resolve(config=file)
        except Mistake:
            continue  # not for us to say what is wrong with it
        steps = other.options.steps
        options = settings.options.model_copy(update={"steps": steps})
        if steps < settings.options.steps and other == replace(settings, options=options):
            runs.append((steps, Run(file.parent), other))
    return max(runs, key=lambda run: run[0])[1:] if runs else None


def check_extendable(run: Run, settings: Settings) -> None:
    """Refuse where a setting followed the budget of the shorter run: no other budget goes on from there."""
    if names := settings.options.follows_budget():
        end = f"the end of its {settings.options.steps:,} steps"
        raise Mistake(
            f"{run.path}: {' and '.join(names)} followed its budget until {end}, so no larger one goes on there"
        )
