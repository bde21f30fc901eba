"""The whole of evaluate.py but its command line: runs are read, measured, and written as a report into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.transcript import Annotation
from base.files import write_folder
from base.mistake import Mistake
from base.printable import one_line, printable
from games import GameGraph, compile_rulebook, make_rulebook, rulebook_names
from report import page, texts
from report.build import report
from report.compare import compare
from report.document import Report, as_json
from report.recorded import annotated_games
from report.runs import Entry, Reader, find_entries
from solver import words


@dataclass(frozen=True)
class Evaluation:
    """What was read, and what was made of it."""

    report: Report
    entries: list[Entry]

    def all_are(self, verdict: str) -> bool:
        """Whether every run that was named could be judged, and is "perfect" or "unexploitable"."""
        return not self.report.left_out and all(getattr(entry.card, verdict) for entry in self.entries)


def evaluate(
    places: Sequence[str], *, command: str, sides: tuple[str, str] | None = None, judged: bool = False
) -> Evaluation:
    """Read and measure what stands at these places; without any, every game with the players that need no training.

    `sides` are compared, agents or folders; with `judged`, there must be a run to judge.
    """
    folders = [side for side in sides or () if Path(side).exists()]
    if sides and not (places or len(folders) == 2):
        raise Mistake("--compare needs runs; name a folder of runs, or two folders to compare")
    reader, named = Reader(), [*places, *folders]
    entries, played, left_out = _read(reader, named)
    if named and not (entries or played):
        if len(left_out) == 1:
            raise Mistake(left_out[0])
        reasons = "".join(f"{reason}; " for reason in left_out[:3])
        raise Mistake(f"{reasons}no run that can be shown; train one with: python train.py --env GAME")
    comparison = compare(entries, *sides) if sides else None
    if judged and not entries:
        raise Mistake("--require needs a run to judge; name one")
    graphs = list(dict.fromkeys([entry.policy.graph for entry in entries] + [graph for graph, _ in played]))
    graphs = graphs or [compile_rulebook(make_rulebook(name)) for name in rulebook_names()]
    made = report(graphs, entries, command=command, left_out=left_out, comparison=comparison, played=played)
    return Evaluation(made, entries)


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


def _read(reader: Reader, names: list[str]) -> tuple[list[Entry], list[tuple[GameGraph, Annotation]], list[str]]:
    """The entries, the recorded games, and a line for whatever could not be read."""
    entries, left_out = list[Entry](), list[str]()
    played = list[tuple[GameGraph, Annotation]]()
    for place in find_entries(names):
        try:
            if place.suffix == ".jsonl":
                games, faults = annotated_games(place, reader)
                played += games
                left_out += [one_line(str(fault)) for fault in faults]
            else:
                entries.append(reader.read(place))
        except (Mistake, OSError) as mistake:
            left_out.append(one_line(str(mistake)))
    return entries, played, left_out


def summary(made: Report) -> str:
    """The scorecards as a terminal shows them."""
    lines = []
    for game in made.games:
        wide = max(words.WIDE, *(len(player.name) for player in game.players))
        lines += [printable(game.headline), words.head(wide)]
        lines += [words.row(player.card, printable(player.name), wide) for player in game.players]
        lines.append("")
    return "\n".join(lines)
