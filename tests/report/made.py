"""Runs and reports for the tests of this room, made once each."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from games import compile_rulebook, make_rulebook, rulebook_names
from report.data import report
from report.runs import Entry, Reader, found
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
    return [reader.read(place) for place in found([str(place) for place in places])]


def made(given: list[Entry], **more: Any) -> dict[str, Any]:
    """The report on these entries, by way of JSON, as a reader of the file meets it."""
    import json

    from report.data import as_json

    graphs = list(dict.fromkeys(entry.policy.graph for entry in given))
    return dict(json.loads(as_json(report(graphs, given, command="python evaluate.py", **more))))


@cache
def baselines() -> dict[str, Any]:
    """Every game, with the players that need no training."""
    graphs = [compile_rulebook(make_rulebook(name)) for name in rulebook_names()]
    return report(graphs, [], command="python evaluate.py")
