"""Turn runs, exams and saved policies into one page: python evaluate.py runs"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from base.command import Parser, run
from base.mistake import Mistake


def parser() -> Parser:
    arguments = Parser(
        prog="evaluate.py",
        description="Measures players exactly and writes a page about them (index.html, report.json, report.md).",
        epilog="Without a RUN: the players that need no training, on every game.",
        allow_abbrev=False,
    )
    add = arguments.add_argument
    add(
        "runs",
        nargs="*",
        metavar="RUN",
        help="a run, a saved policy (.npz), a transcript (.jsonl), or a folder of runs",
    )
    add("--out", metavar="DIR", default="results", help="where the report is written (default: results)")
    add("--compare", nargs=2, metavar=("A", "B"), help="two agents, groups or folders, paired by game and seed")
    add("--require", choices=["perfect", "unexploitable"], help="exit with 1 unless every run is that")
    add("--latex", action="store_true", help="also write the tables as LaTeX, tables.tex")
    return arguments


def main() -> int:
    args = parser().parse_args()
    from arena.transcript import Annotation
    from base.files import write_folder
    from games import GameGraph, compile_rulebook, make_rulebook, rulebook_names
    from report import compare, data, page, texts
    from report.recorded import recorded
    from report.runs import Entry, Reader, found
    from solver import Scorecard, words

    sides = [name for name in args.compare or () if Path(name).exists()]
    if args.compare and not (args.runs or len(sides) == 2):
        raise Mistake("evaluate.py: --compare needs runs; name a folder of runs, or two folders to compare")
    reader, entries, left_out = Reader(), list[Entry](), list[str]()
    played = list[tuple[GameGraph, Annotation]]()
    for place in found([*args.runs, *sides]):
        try:
            if place.suffix == ".jsonl":
                games, faults = recorded(place, reader)
                played += games
                left_out += [" ".join(str(fault).split()) for fault in faults]
            else:
                entries.append(reader.read(place))
        except (Mistake, OSError) as mistake:
            left_out.append(" ".join(str(mistake).split()))
    nothing = (args.runs or sides) and not (entries or played)
    if nothing and len(left_out) == 1:
        raise Mistake(left_out[0])
    for why in left_out:
        print(f"left out: {why}", file=sys.stderr)
    if nothing:
        raise Mistake("evaluate.py: no run that can be shown; train one with: python train.py --env GAME")
    comparison = compare.compare(entries, *args.compare) if args.compare else None
    if args.require and not entries:
        raise Mistake("evaluate.py: --require needs a run to judge; name one")
    met = [entry.policy.graph for entry in entries] + [graph for graph, _ in played]
    graphs = list(dict.fromkeys(met)) or [compile_rulebook(make_rulebook(name)) for name in rulebook_names()]
    shown = data.report(
        graphs, entries, command=shlex.join(["python", "evaluate.py", *sys.argv[1:]]), left_out=left_out,
        comparison=comparison, played=played,
    )  # fmt: skip
    files = {
        "report.json": data.as_json(shown) + "\n",
        "report.md": texts.markdown(shown),
        "index.html": page.page(shown),
    }
    if args.latex:
        files["tables.tex"] = texts.latex(shown)
    write_folder(Path(args.out), files, "choose another --out")
    for game in shown["games"]:
        wide = max(words.WIDE, *(len(player["name"]) for player in game["players"]))
        print(f"{game['headline']}\n{words.head(wide)}")
        for player in game["players"]:
            print(words.row(Scorecard.from_json(data.as_json(player["card"])), player["name"], wide))
        print()
    print(f"page  {Path(args.out) / 'index.html'}")
    judged = all(getattr(entry.card, args.require) for entry in entries) if args.require else True
    return int(bool(args.require) and (bool(left_out) or not judged))


if __name__ == "__main__":
    run(main)
