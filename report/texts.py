"""The report as Markdown, and its tables as LaTeX for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from base.printable import one_line
from report.document import Comparison, Report
from report.tables import HEAD, count, exact, interval, verdicts

LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
}
EXACT = "Each evaluation is exact, over every reachable position; intervals (95%, bootstrap) are over seeds only."


def markdown(report: Report) -> str:
    """What the page says in numbers."""
    lines = ["# Perfect Play: report", "", EXACT, "", f"Made by: {_plain(report.command)}"]
    for game in report.games:
        lines += ["", f"## {_plain(game.title)}", "", f"**{_plain(game.headline)}**", ""]
        lines += _table(list(HEAD.values()), (row.cells.values() for row in verdicts(game)))
        if game.audit:
            lines += ["", "What its book claims:", ""]
            judged = [[f.claim, "holds" if f.holds else "fails", f.evidence] for f in game.audit]
            lines += _table(["claim", "verdict", "evidence"], judged)
    if report.across_games:
        lines += ["", "## Over all games", ""]
        lines += _table(*_across(report))
    if report.comparison is not None:
        lines += ["", f"## {_plain(report.comparison.a)} against {_plain(report.comparison.b)}", ""]
        lines += _table(*comparison_rows(report.comparison))
        lines += ["", *map(_plain, undecided(report.comparison))]
    if report.left_out:
        lines += ["", "## Left out", "", *(f"- {_plain(line)}" for line in report.left_out)]
    if report.edited:
        lines += ["", "## Edited", "", *(f"- {_plain(line)}" for line in report.edited)]
    return "\n".join(lines) + "\n"


def latex(report: Report) -> str:
    """One booktabs table a game; \\input the file into a paper."""
    parts = [f"% Made by: {one_line(report.command)}", f"% {EXACT}"]
    for game in report.games:
        rows = [list(row.cells.values()) for row in verdicts(game)]
        parts.append(_tabular(list(HEAD.values()), rows, game.headline, f"tab:{game.id}"))
    if report.across_games:
        parts.append(_tabular(*_across(report), "Over all games.", "tab:all-games"))
    if report.comparison is not None:
        caption = [f"{report.comparison.a} against {report.comparison.b}, paired by seed."]
        caption += undecided(report.comparison)
        parts.append(_tabular(*comparison_rows(report.comparison), " ".join(caption), "tab:comparison"))
    return "\n\n".join(parts) + "\n"


def comparison_rows(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """A row for each measure of each game in which the two sides differ at all."""
    head = [
        "game",
        "measure",
        "pairs",
        "mean difference",
        "95% interval",
        "permutation p",
        "larger / smaller / equal",
        "sign p",
    ]
    rows = []
    for game in comparison.games:
        for name, measure in game.measures.items():
            if not (measure.above or measure.below):
                continue
            digits = 1 if name in ("steps_to_perfect", "blunders") else 3
            bounds = None
            if measure.low is not None and measure.high is not None:
                bounds = f"{_change(measure.low, digits)} to {_change(measure.high, digits)}"
            rows.append([
                game.id,
                name.replace("_", " "),
                str(len(game.pairs)),
                _change(measure.mean, digits) if measure.mean is not None else "not every run got there",
                bounds or "–",
                exact(measure.p_permutation),
                f"{measure.above} / {measure.below} / {measure.ties}",
                exact(measure.p_sign),
            ])  # fmt: skip
    return head, rows


def undecided(comparison: Comparison) -> list[str]:
    """A sentence on the measures in which no pair differs: they need no row each."""
    alike = [
        f"{game.id} ({', '.join(names)})"
        for game in comparison.games
        if (names := [name.replace("_", " ") for name, m in game.measures.items() if not (m.above or m.below)])
    ]
    return [f"No pair differs, so nothing can be told apart (p = 1): {'; '.join(alike)}."] if alike else []


def _change(value: float, digits: int) -> str:
    """A difference with its sign; what rounds to 0 has none."""
    text = f"{value:+,.{digits}f}"
    return text[1:] if float(text.replace(",", "")) == 0.0 else text.replace("-", "−")


def _across(report: Report) -> tuple[list[str], list[list[str]]]:
    head = ["agent", "games", "runs", "perfect", "accuracy", "exploitability"]
    rows = [
        [row.name, *map(count, (row.games, row.runs, row.perfect)), *map(interval, (row.accuracy, row.exploitability))]
        for row in report.across_games
    ]
    return head, rows


def _table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(_plain(cell) for cell in row)} |" for row in rows]


def _plain(text: str) -> str:
    """Text from outside as text: no line break, no markup."""
    joined = one_line(text)
    for sign in "\\|`*_[]<":
        joined = joined.replace(sign, f"\\{sign}")
    return joined


def _tabular(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str) -> str:
    lines = [r"\begin{table}", r"  \centering", rf"  \begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"    \toprule"]
    lines += [f"    {' & '.join(map(_escaped, head))} \\\\", r"    \midrule"]
    lines += [f"    {' & '.join(map(_escaped, row))} \\\\" for row in rows]
    lines += [r"    \bottomrule", r"  \end{tabular}", f"  \\caption{{{_escaped(caption)}}}"]
    safe = "".join(c if c.isalnum() or c in ":-" else "-" for c in label)
    return "\n".join([*lines, f"  \\label{{{safe}}}", r"\end{table}"])


def _escaped(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in one_line(text))
