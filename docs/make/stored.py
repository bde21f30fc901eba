"""Sweeps as the project stores them: their small tables, docs/measured/results/NAME.csv, NAME.times.csv and NAME.json.

The run directories themselves are not stored: some gigabytes, and made again by the command in NAME.json.
"""

from __future__ import annotations

import csv
import json
import math
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from base.files import write_together
from base.mistake import Mistake
from games import make_rulebook
from games.graph import shared_graph
from report.statistics import Arrival, arrival

FILES = {"summary.csv": ".csv", "times.csv": ".times.csv", "provenance.json": ".json"}  # in a sweep: what it is called
TEXT = ("label", "game", "agent", "status", "error", "run")
Row = dict[str, Any]


@dataclass(frozen=True)
class Stored:
    """One sweep: a row per run, with its times, and where it comes from."""

    name: str
    rows: tuple[Row, ...]
    origin: dict[str, Any]


def store(sweep: Path, folder: Path) -> None:
    """Keep the tables of a sweep that has come to its end."""
    missing = [name for name in FILES if not (sweep / name).is_file()]
    if missing:
        raise Mistake(f"{sweep}: not a sweep that has ended (no {missing[0]}); run it with sweep.py first")
    folder.mkdir(parents=True, exist_ok=True)
    stored = {}
    for name, ending in FILES.items():
        content = (sweep / name).read_text(encoding="utf-8")
        if name == "provenance.json":
            origin = json.loads(content)
            origin["command"] = _anywhere(origin["command"])
            content = json.dumps(origin, indent=2) + "\n"
        stored[folder / f"{sweep.name}{ending}"] = content.encode()
    write_together(stored, "make room, and store it once more")


def _anywhere(command: str) -> str:
    """The command without the folder it wrote to: where that was is of no use to another reader."""
    words = shlex.split(command)
    while "--out" in words:
        del words[words.index("--out") : words.index("--out") + 2]
    return shlex.join(word for word in words if not word.startswith("--out="))


def load(folder: Path, name: str) -> Stored | None:
    """The stored sweep of that name; None if there is none."""
    if not (folder / f"{name}.csv").is_file():
        return None
    times = {row["run"]: row for row in _rows(folder / f"{name}.times.csv")}
    rows = [row | times.get(row["run"], {}) for row in _rows(folder / f"{name}.csv")]
    try:
        origin = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Mistake(f"{folder / name}.json: cannot be read ({error}); store the sweep once more") from error
    return Stored(name, tuple(rows), origin)


def case(row: Row) -> str:
    """What a run stands for: its label, or what differs from the defaults."""
    return str(row["label"] or row["run"].split("/")[1])


def limit(row: Row) -> int:
    """The legal moves of all positions of the game that a run played: what has to be tried to know it all."""
    parameters = {key.removeprefix("parameters."): value for key, value in row.items() if key.startswith("parameters.")}
    own = {name: value for name, value in parameters.items() if value is not None}
    return int(shared_graph(make_rulebook(row["game"], **own)).legal.sum())


def groups(rows: Iterable[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    """In the order in which they first appear."""
    grouped: dict[Any, list[Row]] = {}
    for row in rows:
        grouped.setdefault(key(row), []).append(row)
    return grouped


def steps_to(rows: Sequence[Row], verdict: str, which: str = "") -> Arrival:
    return arrival([row[f"{which}steps_to_{verdict}"] for row in rows], _watched(rows, "steps"))


def seconds_to(rows: Sequence[Row], verdict: str) -> Arrival:
    return arrival([row.get(f"seconds_to_{verdict}") for row in rows], _watched(rows, "seconds"))


def _watched(rows: Sequence[Row], key: str) -> list[float]:
    """How long each run was seen to go on; one that failed counts as not there yet for as long as any was watched."""
    longest = max((row.get(key) or 0 for row in rows), default=0)
    return [row.get(key) or longest for row in rows]


def perfect(rows: Sequence[Row]) -> str:
    return f"{sum(row['perfect'] is True for row in rows)} of {len(rows)}"


def or_never(steps: float) -> str:
    return "never" if math.isinf(steps) else f"{steps:,.0f}"


def varying(stored: Stored) -> str:
    """The parameter whose size a scaling study varies."""
    keys = [key for key in stored.rows[0] if key.startswith("parameters.")]
    return max(keys, key=lambda key: len({row[key] for row in stored.rows})).partition(".")[2]


def _rows(file: Path) -> list[Row]:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            rows = [{key: _value(key, cell) for key, cell in row.items()} for row in csv.DictReader(lines)]
    except (OSError, ValueError) as error:
        raise Mistake(f"{file}: cannot be read ({error}); store the sweep once more") from error
    if not rows or "run" not in rows[0]:
        raise Mistake(f"{file}: not the table of a sweep; store the sweep once more")
    return rows


def _value(key: str, cell: str) -> Any:
    """What a cell means: text, true or false, a number, or nothing."""
    if key in TEXT:
        return cell
    if cell in ("", "true", "false"):
        return {"": None, "true": True, "false": False}[cell]
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell
