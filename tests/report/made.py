"""Runs and reports for the tests of this room, made once each."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from games import compile_rulebook, make_rulebook, rulebook_names
from report.build import report
from report.document import Report, as_json
from report.runs import Entry, Reader, find_entries
from training.loop import train
from training.resolve import resolve
from training.run import Run


def trained(out: Path, game: str, *, seed: int = 0, steps: int = 20_000, agent: str = "q-learning") -> Path:
    settings = resolve(env=game, agent=agent, seed=seed, changes={"steps": steps, "evaluations": 20})
    place = Run(settings.path(out))
    train(settings, place)
    return place.path


def entries(*places: Path) -> list[Entry]:
    reader = Reader()
    return [reader.read(place) for place in find_entries([str(place) for place in places])]


def report_on(runs: list[Entry], **more: Any) -> Report:
    graphs = list(dict.fromkeys(entry.policy.graph for entry in runs))
    return report(graphs, runs, command="python evaluate.py", **more)


def as_read(document: Report) -> dict[str, Any]:
    """The report by way of JSON, as a reader of the file meets it."""
    return dict(json.loads(as_json(document)))


@cache
def baselines() -> Report:
    """Every game, with the players that need no training."""
    graphs = [compile_rulebook(make_rulebook(name)) for name in rulebook_names()]
    return report(graphs, [], command="python evaluate.py")
