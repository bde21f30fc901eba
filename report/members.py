"""One network on many members of a family: the curve of blunders, member by member, exact to the last."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from agents.elsewhere import Network
from base.files import write_folder
from base.mistake import Mistake
from games import GameGraph, Policy, RuleBook, compile_rulebook
from games.columns import NotOnColumns
from solver import certify, solve

MOST_MEMBERS = 100_000
ROWS = 24  # of the curve on a screen


@dataclass(frozen=True)
class Member:
    """How a policy plays one member."""

    size: int
    states: int
    critical: int
    blunders: int

    @property
    def share(self) -> float:
        return self.blunders / max(self.critical, 1)


def members_in(word: str) -> tuple[str, list[int]]:
    """The parameter and its values in a text such as target=200 or target=101-1000."""
    found = re.fullmatch(r"([a-z_]+)=(\d{1,9})(?:-(\d{1,9}))?", word)
    if found is None:
        raise Mistake(f"--on {word}: names no members; write target=200, or target=101-1000")
    first, last = int(found[2]), int(found[3] or found[2])
    if not first <= last < first + MOST_MEMBERS:
        raise Mistake(f"--on {word}: is no range of 1 to {MOST_MEMBERS:,} members; write the smaller number first")
    return found[1], list(range(first, last + 1))


def blunders_on(graph: GameGraph, policy: Policy, size: int) -> Member:
    """Judged by a certified solution."""
    solution = solve(graph)
    if wrong := certify(graph, solution):
        raise AssertionError(f"{graph.game} {dict(graph.parameters)}: the solution is not certified: {wrong[0]}")
    critical = np.flatnonzero(solution.critical)
    bad = ((policy.probability[critical] > 0) & ~solution.keeps[critical]).any(axis=1)
    return Member(size, graph.num_states, len(critical), int(bad.sum()))


def judge_members(run: str, name: str, sizes: Sequence[int]) -> Iterator[Member]:
    """Every member in turn."""
    network = Network.of(run)
    for size in sizes:
        graph = _compiled(network.member(name, size))
        yield blunders_on(graph, network.policy(graph), size)


def _compiled(book: RuleBook) -> GameGraph:
    """On columns also where a member is small: of a thousand members each counts."""
    try:
        return compile_rulebook(book, engine="columns")
    except NotOnColumns:
        return compile_rulebook(book)


def horizon(curve: Sequence[Member]) -> int | None:
    """The largest member up to which all are without a blunder; None where the first has one."""
    clean = None
    for member in curve:
        if member.blunders:
            break
        clean = member.size
    return clean


def told(run: str, name: str, curve: Sequence[Member]) -> Iterator[str]:
    """The curve on a screen: a line for each member, or for as many together as fit."""
    together = -(-len(curve) // ROWS)
    yield f"{run} on {len(curve)} member{'s' * (len(curve) > 1)} that a player sees alike"
    for first in range(0, len(curve), together):
        part = curve[first : first + together]
        sizes = f"{part[0].size}" if len(part) == 1 else f"{part[0].size}-{part[-1].size}"
        blunders, critical = sum(one.blunders for one in part), sum(one.critical for one in part)
        clean = sum(not one.blunders for one in part)
        bar = "#" * round(30 * blunders / max(critical, 1))
        counts = f"{blunders:>7} of {critical:>7} blunders  {clean:>4} of {len(part)} without"
        yield f"  {name} {sizes:>11}  {counts}  {bar}".rstrip()
    reached, start = horizon(curve), f"{name}={curve[0].size}"
    if reached is None:
        yield f"horizon  none: {start} has a blunder"
    else:
        yield f"horizon  {name}={reached}: none has a blunder from {start} on"


def write_curve(folder: Path, run: str, name: str, curve: Sequence[Member]) -> Path:
    """members.csv and members.json"""
    rows = [asdict(member) for member in curve]
    text = io.StringIO()
    writer = csv.DictWriter(text, [name, *list(rows[0])[1:]], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name if key == "size" else key: value for key, value in row.items()} for row in rows)
    table = {"run": run, "parameter": name, "horizon": horizon(curve), "members": rows}
    files = {"members.csv": text.getvalue(), "members.json": json.dumps(table, indent=1) + "\n"}
    write_folder(folder, files, "choose another --out")
    return folder / "members.csv"
