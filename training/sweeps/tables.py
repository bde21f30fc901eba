"""The tables of a sweep, read from its run directories: one row per run, results apart from times."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from base import reading
from base.files import whole
from base.mistake import Mistake
from base.text import cell
from training.sweeps.plan import Task

RESULTS = (
    "states",
    "critical_states",
    "blunders",
    "accuracy",
    "exploitability",
    "perfect",
    "unexploitable",
    "steps",
    "steps_to_unexploitable",
    "steps_to_perfect",
    "first_steps_to_unexploitable",
    "first_steps_to_perfect",
    "illegal_share",
)  # of a scorecard
TIMES = ("seconds", "cpu_seconds", "seconds_to_unexploitable", "seconds_to_perfect")
Row = dict[str, Any]


def results(sweep: Path, tasks: Sequence[Task], status: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """What came of each run; nothing in it depends on when, where or how often the sweep was started."""
    rows = [_decided(task) for task in tasks]
    settings = [key for key in _columns(rows) if key.startswith("settings.")]
    changed = {key for key in settings for task in tasks if _differs(task, key.partition(".")[2])}
    for row, task in zip(rows, tasks, strict=True):
        for key in [key for key in row if key.startswith("settings.") and key not in changed]:
            del row[key]
        state = status.get(task.name, {})
        row["status"] = state.get("status", "unfinished")
        card = read_json(sweep / task.name / "scorecard.json") if row["status"] == "finished" else {}
        row |= {key: card.get(key) for key in RESULTS}
        row["error"] = state.get("error")
        row["run"] = task.name
    return rows


def times(sweep: Path, tasks: Sequence[Task], status: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """How long each run took; never compared."""
    rows = []
    for task in tasks:
        run, state = sweep / task.name, status.get(task.name, {})
        row: Row = {"run": task.name} | dict.fromkeys(TIMES)
        if state.get("status") == "finished":
            card, clock = read_json(run / "scorecard.json"), _clock(run / "timing.csv")
            row["seconds"] = read_json(run / "provenance.json").get("seconds")
            row["cpu_seconds"] = state.get("cpu_seconds")  # unknown where a run was stopped in between
            for verdict in ("unexploitable", "perfect"):
                row[f"seconds_to_{verdict}"] = clock.get(str(card.get(f"steps_to_{verdict}")))
        rows.append(row)
    return rows


def origin(sweep: Path, tasks: Sequence[Task]) -> dict[str, Any]:
    """Where the numbers come from, as the runs tell it; more than one entry where they differ."""
    origins = [read_json(sweep / task.name / "provenance.json") for task in tasks]
    keys = ("commit", "changed_since_commit", "versions", "machine")
    values = {
        key: [json.loads(text) for text in sorted({json.dumps(one.get(key)) for one in origins if one})] for key in keys
    }
    return {"runs": len(tasks), **values}


def table(rows: Sequence[Row]) -> str:
    """Rows as CSV: numbers in full, nothing where there is none, true and false."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _columns(rows), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def need_polars() -> Any:
    """The library that writes Parquet; whoever wants it asks before the runs, not after them."""
    try:
        import polars
    except ImportError as error:
        raise Mistake("--parquet needs polars; install it with: pip install 'perfect-play[parquet]'") from error
    return polars


def write_parquet(file: Path, rows: Sequence[Row]) -> None:
    columns = {key: [row.get(key) for row in rows] for key in _columns(rows)}
    with whole(file, "make room, and start the sweep once more") as parquet:
        need_polars().DataFrame(columns, strict=False).write_parquet(parquet)


def _decided(task: Task) -> Row:
    table = task.settings.table()
    row = {"label": task.label, "game": table["env"]}
    row |= {f"parameters.{key}": value for key, value in table["parameters"].items()}
    row |= {"agent": task.settings.agent, "seed": task.settings.seed}
    return row | {f"settings.{key}": value for key, value in table["settings"].items()}


def _differs(task: Task, key: str) -> bool:
    options = task.settings.options
    return hasattr(options, key) and getattr(options, key) != getattr(type(options)(), key)


def _columns(rows: Iterable[Row]) -> list[str]:
    """Every key, those of one kind side by side."""
    known = list(dict.fromkeys(key for row in rows for key in row))
    kinds = ("label", "game", "parameters.", "agent", "seed", "settings.")
    return sorted(known, key=lambda key: next((n for n, kind in enumerate(kinds) if key.startswith(kind)), len(kinds)))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return (
        str(value).lower() if isinstance(value, bool) else repr(value) if isinstance(value, float) else cell(str(value))
    )


def read_json(file: Path) -> dict[str, Any]:
    """Empty where there is none, or none that can be read: a sweep may be looked at while it is written."""
    try:
        record = reading.read_json(file)
    except Mistake:
        return {}
    return record if isinstance(record, dict) else {}


def _clock(file: Path) -> dict[str, float]:
    """steps (as text): seconds."""
    try:
        lines = reading.read_text(file).splitlines()
        return {row["steps"]: float(row["seconds"]) for row in csv.DictReader(lines)}
    except (Mistake, ValueError, KeyError, TypeError, csv.Error):
        return {}
