"""The whole of evaluate.py but its command line: runs are read, measured, and written as a report into a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.transcript import Annotation
from base.command import spelled
from base.files import write_folder
from base.mistake import Mistake
from base.printable import one_line, printable
from games import GameGraph, compile_rulebook, make_rulebook, rulebook_names
from report import page, texts
from report.build import report
from report.compare import compare
from report.document import Report, as_json
from report.recorded import annotated_games
from report.runs import Entry, Reader, Sitting, find_entries
from solver import words

LONGEST_HEAD = 100_000  # bytes of a report in which its command stands


@dataclass
class Read:
    """What stands at the places that were named."""

    entries: list[Entry] = field(default_factory=list)
    sittings: list[Sitting] = field(default_factory=list)
    played: list[tuple[GameGraph, Annotation]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # a line for whatever could not be read

    @property
    def graphs(self) -> list[GameGraph]:
        policies = [entry.policy for entry in self.entries] + [sitting.policy for sitting in self.sittings]
        return list(dict.fromkeys([policy.graph for policy in policies] + [graph for graph, _ in self.played]))


@dataclass(frozen=True)
class Evaluation:
    """What was read, and what was made of it."""

    report: Report
    read: Read

    def all_are(self, verdict: str) -> bool:
        """Whether every run that was named could be judged, and is "perfect" or "unexploitable"."""
        if self.read.left_out or self.read.sittings:  # what was asked in part proves neither
            return False
        return all(getattr(entry.card, verdict) for entry in self.read.entries)


def evaluate(
    places: Sequence[str], *, command: str, sides: tuple[str, str] | None = None, judged: bool = False
) -> Evaluation:
    """Read and measure what stands at these places; without any, every game with the players that need no training.

    `sides` are compared, agents or folders; with `judged`, there must be a run to judge.
    """
    folders = [side for side in sides or () if Path(side).exists()]
    if sides and not (places or len(folders) == 2):
        raise Mistake("--compare needs runs; name a folder of runs, or two folders to compare")
    named = [*places, *folders]
    read = _read(named)
    if named and not read.graphs:
        if len(read.left_out) == 1:
            raise Mistake(read.left_out[0])
        reasons = "".join(f"{reason}; " for reason in read.left_out[:3])
        raise Mistake(f"{reasons}no run that can be shown; train one with: {spelled('train', '--env', 'GAME')}")
    comparison = compare(read.entries, *sides) if sides else None
    if judged and not (read.entries or read.sittings):
        raise Mistake("--require needs a run to judge; name one")
    made = report(
        read.graphs or [compile_rulebook(make_rulebook(name)) for name in rulebook_names()],
        read.entries,
        sittings=read.sittings,
        command=command,
        left_out=read.left_out,
        comparison=comparison,
        played=read.played,
    )
    return Evaluation(made, read)


def write(made: Report, out: Path, *, latex: bool = False) -> None:
    """The report as a page, as JSON and as Markdown; as LaTeX too if asked."""
    files = {
        "report.json": as_json(made) + "\n",
        "report.md": texts.markdown(made),
        "index.html": page.page(made),
    }
    if latex:
        files["tables.tex"] = texts.latex(made)
    write_folder(out, files, "choose another --out")


def command_of(out: Path) -> str | None:
    """The command that made the report which stands there; None where there is none."""
    try:
        with (out / "report.json").open("rb") as file:
            head = file.read(LONGEST_HEAD).decode("utf-8", "replace")
    except OSError:
        return None
    command = re.search(r'"command":("(?:[^"\\]|\\.)*")', head)
    try:
        return one_line(json.loads(command[1])) if command else None
    except ValueError:
        return None


def _read(names: list[str]) -> Read:
    reader, read = Reader(), Read()
    for place in find_entries(names):
        try:
            if place.suffix == ".jsonl":
                games, faults = annotated_games(place, reader)
                read.played += games
                read.left_out += [one_line(str(fault)) for fault in faults]
            elif isinstance(one := reader.read(place), Sitting):
                read.sittings.append(one)
            else:
                read.entries.append(one)
        except (Mistake, OSError) as mistake:
            read.left_out.append(one_line(str(mistake)))
    return read


def summary(made: Report) -> str:
    """The scorecards as a terminal shows them."""
    lines = []
    for game in made.games:
        wide = max(
            words.WIDE, *(len(name) for name in [p.name for p in game.players] + [e.name for e in game.asked_in_part])
        )
        lines += [printable(game.headline), words.head(wide)]
        lines += [words.row(player.card, printable(player.name), wide) for player in game.players]
        for exam in game.asked_in_part:
            count = f"{exam.blundered:>6} of {exam.positions} asked; {exam.not_asked} not asked"
            lines.append(f"{printable(exam.name):{wide}} {count}")
        lines.append("")
    return "\n".join(lines)
