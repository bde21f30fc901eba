"""Turn runs, exams and saved policies into one page: python evaluate.py runs"""

from __future__ import annotations

import sys
from pathlib import Path

from base.command import Parser, again, prog, run
from base.mistake import Mistake


def parser() -> Parser:
    arguments = Parser(
        prog=prog("evaluate"),
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
    add("--on", metavar="KEY=SIZES", help="judge the one run's network on other members, as in target=101-1000")
    add("--require", choices=["perfect", "unexploitable"], help="exit with 1 unless every run is that")
    add("--film", metavar="FILE", help="also write a film of the one run's training: a .gif or an .mp4")
    add("--figures", action="store_true", help="also draw curves and maps for papers, SVG and PNG, in figures/")
    add("--latex", action="store_true", help="also write the tables as LaTeX, tables.tex")
    return arguments


def main() -> int:
    args = parser().parse_args()
    if args.on is not None:
        return _judge_members(args.runs, args.on, Path(args.out))
    from base.text import one_line
    from report.evaluate import command_of, evaluate, summary, write

    if args.film is not None:
        from report.film import check_film, film

        check_film(args.film, args.runs)
    if args.figures:
        from base.figure import check_matplotlib
        from report.figures import draw_figures

        check_matplotlib()
    evaluation = evaluate(
        args.runs,
        command=again("evaluate"),
        sides=args.compare,
        judged=args.require is not None,
    )
    for reason in evaluation.report.left_out:
        print(f"left out: {reason}", file=sys.stderr)
    for line in map(one_line, evaluation.report.edited):
        print(line, file=sys.stderr)
    before = command_of(Path(args.out))
    write(evaluation.report, Path(args.out), latex=args.latex)
    if before not in (None, evaluation.report.command):
        print(f"{args.out}: took the place of the report of: {before} (another --out keeps both)", file=sys.stderr)
    print(f"{summary(evaluation.report)}\npage  {Path(args.out) / 'index.html'}")
    if args.figures:
        files = draw_figures(evaluation.report, evaluation.read.entries, Path(args.out) / "figures")
        print(f"figures  {len(files)} files in {Path(args.out) / 'figures'}")
    if args.film is not None:
        film(evaluation.read.entries, args.film)
        print(f"film  {args.film}")
    return 0 if args.require is None or evaluation.all_are(args.require) else 1


def _judge_members(runs: list[str], word: str, out: Path) -> int:
    from report.members import told, write_curve
    from training.ladders.members import judge_members, members_in

    if len(runs) != 1:
        raise Mistake(f"{prog('evaluate')} --on {word}: judges one run; name its folder")
    name, sizes = members_in(word)
    curve = list(judge_members(runs[0], name, sizes))
    print("\n".join(told(runs[0], name, curve)))
    print(f"curve  {write_curve(out, runs[0], name, curve)}")
    return 0


if __name__ == "__main__":
    run(main)
