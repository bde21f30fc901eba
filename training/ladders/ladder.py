"""A ladder: which members of which family are played, with what budget, what may be known, and what counts.

title = "Nim: the largest board without a blunder"
question = "Which learner plays ... ?"
may_know = "The rules, and what its view shows of a position."
score = "size"                       # one of SCORES
size = "rows"                        # the parameter that grows from member to member
budget = 100_000_000                 # most steps of one run
seeds = "0-9"
tuning = "Seeds from 1000 on, rows of 2 to 4."   # what may be tuned on; never the members and seeds above

[[members]]
env = "examples/books/nim.py"
parameters.rows = [2, 3, 4, 5]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.settings import DEFAULT_AGENT
from base.command import prog
from base.mistake import Mistake, unknown
from games import RuleBook
from training.ladders.members import members_in
from training.resolve import read_toml
from training.sweeps.plan import Task, expanded, seeds_of

LADDERS = Path(__file__).parents[2] / "configs" / "ladders"
SCORES = {
    "size": "the largest member up to which no seed has a blunder at any position; larger is better",
    "horizon": "the largest size up to which no seed has a blunder on members that were never played; larger is better",
    "blunders": "the share of critical positions with a blunder left, interquartile mean over all runs; 0 is best",
    "plies": "plies until perfect in units of the legal moves of the game, interquartile mean; smaller is better",
    "parameters": "the fewest parameters of a network with which every seed is without a blunder; smaller is better",
}
TEXTS = ("title", "question", "may_know", "score", "tuning")
KEYS = (*TEXTS, "size", "judged", "budget", "seeds", "members")


@dataclass(frozen=True)
class Ladder:
    name: str
    title: str
    question: str
    may_know: str
    score: str
    tuning: str
    size: str | None
    judged: str | None  # the members that count on a ladder of horizons, such as "101-1000"; runs play the smaller ones
    budget: int
    seeds: tuple[int, ...]
    members: tuple[Mapping[str, Any], ...]  # blocks of a sweep file: env, parameters
    source: str  # the text of the file

    def tasks(
        self, agent: str, settings: Mapping[str, Any], seeds: tuple[int, ...] | None = None, most: int | None = None
    ) -> list[Task]:
        """A run for every seed and member, of those up to a size, as this agent with these settings makes them."""
        tasks = self._tasks(agent, settings, seeds or self.seeds)
        if most is not None:
            if self.size is None or self.judged is not None:
                raise Mistake(f"ladder {self.name}: its members do not grow, so there are none up to {most}")
            tasks = [task for task in tasks if int(task.settings.book.parameters[self.size]) <= most]
            if not tasks:
                raise Mistake(f"ladder {self.name}: no member has {self.size} of {most} or less")
        for task in tasks:
            if task.settings.options.steps > self.budget:
                raise Mistake(
                    f"ladder {self.name}: {task.name} asks for {task.settings.options.steps:,} steps; the budget of a "
                    f"run is {self.budget:,}; add --set steps={self.budget}"
                )
        return tasks

    def judged_members(self) -> tuple[str, list[int]]:
        """On a ladder of horizons: the parameter that grows, and the members that count."""
        return members_in(f"{self.size}={self.judged}")

    def slots(self) -> set[tuple[RuleBook, int]]:
        """The games and seeds that an entry may have runs of."""
        return {(task.settings.book, task.settings.seed) for task in self._tasks(DEFAULT_AGENT, {}, self.seeds)}

    def _tasks(self, agent: str, settings: Mapping[str, Any], seeds: tuple[int, ...]) -> list[Task]:
        tasks: list[Task] = []
        for number, member in enumerate(self.members, 1):
            block = {"parameters": {}, **member, "agent": agent, "settings": dict(settings), "seeds": list(seeds)}
            tasks += expanded(block, f"ladder {self.name}: [[members]] block {number}")
        return tasks


def ladder_names() -> list[str]:
    return sorted(file.stem for file in LADDERS.glob("*.toml"))


def read_ladder(name: str) -> Ladder:
    """A ladder of configs/ladders, or one in anybody's TOML file."""
    path = Path(name) if name.endswith(".toml") else LADDERS / f"{name}.toml"
    if not name.endswith(".toml") and name not in ladder_names():
        raise unknown(prog("ladder"), "ladder", name, ladder_names())
    table = read_toml(path, "name a ladder", "a ladder names members, a budget and a score")
    for key in table:
        if key not in KEYS:
            raise unknown(str(path), "key", key, KEYS)
    for key in TEXTS:
        if not isinstance(table.get(key), str):
            raise Mistake(f"{path}: {key} is missing or is no text; write {key} in quotes")
    if table["score"] not in SCORES:
        raise unknown(str(path), "score", table["score"], SCORES)
    budget, size, members = table.get("budget"), table.get("size"), table.get("members")
    if type(budget) is not int or budget < 1:
        raise Mistake(f"{path}: budget={budget} is no whole number of steps; write 1 or more")
    if not isinstance(members, list) or not members or not all(isinstance(member, dict) for member in members):
        raise Mistake(f"{path}: names no members; write them as [[members]] blocks")
    for member in members:
        if odd := sorted(set(member) - {"env", "parameters"}):
            raise unknown(f"{path}: [[members]]", "key", odd[0], ("env", "parameters"))
    if (table["score"] in ("size", "horizon")) != isinstance(size, str):
        raise Mistake(f'{path}: size names the parameter that grows, with score = "size" or "horizon" and no other')
    judged = table.get("judged")
    if (table["score"] == "horizon") != isinstance(judged, str):
        raise Mistake(f'{path}: judged names the members that count, such as "101-1000", with score = "horizon" only')
    if judged is not None:
        members_in(f"{size}={judged}")
    seeds = tuple(seeds_of(table.get("seeds", "0-9"), f"{path}: seeds"))
    texts = {key: str(table[key]) for key in TEXTS}
    return Ladder(
        path.stem,
        size=size,
        judged=judged,
        budget=budget,
        seeds=seeds,
        members=tuple(members),
        source=path.read_text("utf-8"),
        **texts,
    )
