"""What a sweep file asks for: a list of runs, spelled as grids and zipped lists in TOML.

    env = ["fifty-wins", "number-flip"]      # one game, a list of them, or "all"
    agent = "q-learning"                     # one agent or a list of them
    seeds = "0-9"                            # a number, a list, or ranges such as "0-4, 8"

    [settings]
    discount = [0.9, 0.99]                   # a list is an axis of the grid: every value with every other axis

    [[runs]]                                 # what stands above the first [[runs]] holds in every block
    label = "small steps"
    settings.step_size = [0.5, 0.1]
    settings.step_size_end = [0.05, 0.01]
    zip = ["settings.step_size", "settings.step_size_end"]     # these lists go together, value by value

    [[runs]]
    label = "twice the target"
    parameters.target = 100

A file without [[runs]] is one block. Values are those of a settings file: what is not given is the default.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from base.mistake import Mistake, unknown
from games.find import rulebook_names
from training.resolve import Settings, read_toml, resolve

SWEEPS = Path(__file__).parents[2] / "configs" / "sweeps"  # ours, which a name is enough for
MOST_RUNS = 100_000  # in one sweep: its leader looks at the folder of each
TABLES = ("parameters", "settings")
KEYS = ("env", "agent", "seeds", "label", "zip", *TABLES)


@dataclass(frozen=True)
class Task:
    """One run of a sweep."""

    label: str
    settings: Settings

    @cached_property
    def name(self) -> str:
        """Its folder, below that of the sweep."""
        return self.settings.path("").as_posix()


def plan_file(word: str) -> Path:
    """The sweep file that a word names: a path, or the name of one of ours."""
    ours = SWEEPS / f"{word}.toml"
    return ours if Path(word).name == word and not Path(word).exists() and ours.is_file() else Path(word)


def read_plan(path: Path) -> list[Task]:
    """The runs that a sweep file asks for, in its order; each is checked, none is asked for twice."""
    tasks: dict[str, Task] = {}
    for number, block in enumerate(_blocks(path), 1):
        where = f"{path}: [[runs]] block {number}"
        for task in expanded(block, where):
            if task.name in tasks:
                raise Mistake(f"{where}: asks for {task.name} once more; each run can be in a sweep only once")
            if len(tasks) == MOST_RUNS:
                raise Mistake(f"{where}: asks for one run more than the {MOST_RUNS:,} that a sweep has at most")
            tasks[task.name] = task
    return list(tasks.values())


def _blocks(path: Path) -> Iterator[dict[str, Any]]:
    """Each [[runs]] block, with what it shares with the others filled in."""
    table = read_toml(path, f"name a sweep file{_named_sweeps()}", 'write seeds as a range, "0-99"')
    blocks = table.pop("runs", [{}])
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise Mistake(f"{path}: runs is not a list of blocks; write [[runs]] with two brackets")
    if not blocks:
        raise Mistake(f"{path}: runs is empty, so there is nothing to run")
    for number, block in enumerate([table, *blocks]):
        where = f"{path}: [[runs]] block {number}" if number else str(path)
        for key, value in block.items():
            if key not in KEYS:
                raise unknown(where, "key", key, [*KEYS, "runs"])
            if key in TABLES and not isinstance(value, dict):
                raise Mistake(f"{where}: {key}={value} is not a table; write {key}.NAME = VALUE")
    for block in blocks:
        yield {**table, **block, **{key: {**table.get(key, {}), **block.get(key, {})} for key in TABLES}}


def expanded(block: Mapping[str, Any], where: str) -> Iterator[Task]:
    """Every run of a block."""
    if "env" not in block:
        raise Mistake(f'{where}: names no game; write env = "{rulebook_names()[0]}", a list of games, or "all"')
    label = block.get("label", "")
    if not isinstance(label, str):
        raise Mistake(f"{where}: label={label} is not a text; write it in quotes")
    games = rulebook_names() if block["env"] == "all" else _names(block["env"], f"{where}: env")
    agents = _names(block.get("agent"), f"{where}: agent") if "agent" in block else [None]
    seeds = seeds_of(block.get("seeds", 0), f"{where}: seeds")
    together, crossed = _axes(block, where)
    sizes = map(len, (games, agents, seeds, together, *crossed))
    if (count := math.prod(sizes)) > MOST_RUNS:  # before any of them is made: a short file can ask for many
        raise Mistake(f"{where}: {count:,} runs; a sweep has at most {MOST_RUNS:,}")
    for env, agent, *parts in itertools.product(games, agents, together, *crossed):
        point = {name: value for part in parts for name, value in part.items()}
        parameters, changes = (
            {key.removeprefix(f"{table}."): value for key, value in point.items() if key.startswith(f"{table}.")}
            for table in TABLES
        )
        try:
            one = resolve(env=env, agent=agent, seed=max(seeds), parameters=parameters, changes=changes)
        except Mistake as mistake:
            complaint = str(mistake).replace("--agent: ", "").replace("--set: ", "")
            raise Mistake(f"{where}: {complaint}") from None
        yield from (Task(label, replace(one, seed=seed)) for seed in seeds)


def _axes(block: Mapping[str, Any], where: str) -> tuple[list[dict[str, Any]], list[list[dict[str, Any]]]]:
    """The lists in `parameters` and `settings`: those named by `zip` as one axis, each other as one of its own."""
    lists = {
        f"{table}.{key}": value if isinstance(value, list) else [value]
        for table in TABLES
        for key, value in block[table].items()
    }
    for name, values in lists.items():
        if not values:
            raise Mistake(f"{where}: {name} is an empty list, so there is nothing to run")
    zipped = _names(block["zip"], f"{where}: zip") if "zip" in block else []
    for name in zipped:
        if name not in lists:
            raise unknown(f"{where}: zip", "list", name, lists)
    if len({len(lists[name]) for name in zipped}) > 1:
        lengths = ", ".join(f"{name} has {len(lists[name])}" for name in zipped)
        raise Mistake(f"{where}: zip needs lists of one length; {lengths}")
    together = [dict(zip(zipped, row, strict=True)) for row in zip(*(lists[name] for name in zipped), strict=True)]
    crossed = [[{name: value} for value in values] for name, values in lists.items() if name not in zipped]
    return together or [{}], crossed


def _names(value: Any, where: str) -> list[str]:
    names = value if isinstance(value, list) else [value]
    if not names:
        raise Mistake(f"{where} is an empty list, so there is nothing to run")
    for name in names:
        if not isinstance(name, str):
            raise Mistake(f"{where}={name} is not a name; write it in quotes")
        if names.count(name) > 1:
            raise Mistake(f"{where}: {name} is given twice; leave one out")
    return names


def seeds_of(value: Any, where: str) -> list[int]:
    """A number, a list of numbers, or a text of ranges: "0-4, 8"."""
    seeds: list[int] = []
    for part in str(value).split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]:
        bounds = re.fullmatch(r"(\d{1,19})(?:\s*-\s*(\d{1,19}))?", str(part).strip())
        if bounds is None or isinstance(part, bool):
            raise Mistake(f'{where}={part} is no seed; write a number, a list of them, or a range such as "0-9"')
        first, last = int(bounds[1]), int(bounds[2] or bounds[1])
        if last < first:
            raise Mistake(f"{where}={part} is an empty range; write the smaller number first")
        if last - first >= MOST_RUNS:
            raise Mistake(f"{where}={part} are {last - first + 1:,} runs; a sweep has at most {MOST_RUNS:,}")
        seeds += range(first, last + 1)
    if not seeds:
        raise Mistake(f"{where} is an empty list, so there is nothing to run")
    known: set[int] = set()
    for seed in seeds:
        if seed in known:
            raise Mistake(f"{where}: {seed} is given twice; leave one out")
        known.add(seed)
    return seeds


def _named_sweeps() -> str:
    names = sorted(file.stem for file in SWEEPS.glob("*.toml"))
    return f" (in configs/sweeps: {', '.join(names)})" if names else ""
