"""The report as Markdown, and its tables as LaTeX for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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


def markdown(data: Mapping[str, Any]) -> str:
    """What the page says in numbers."""
    lines = ["# Perfect Play: report", "", EXACT, "", f"Made by: {_plain(data['command'])}"]
    for game in data["games"]:
        lines += ["", f"## {_plain(game['title'])}", "", f"**{_plain(game['headline'])}**", ""]
        lines += _table(list(HEAD.values()), (row["cells"].values() for row in verdicts(game)))
        if game["audit"]:
            lines += ["", "What its book claims:", ""]
            judged = [[f["claim"], "holds" if f["holds"] else "fails", f["evidence"]] for f in game["audit"]]
            lines += _table(["claim", "verdict", "evidence"], judged)
    if data["across_games"]:
        lines += ["", "## Over all games", ""]
        lines += _table(*_across(data))
    if data["comparison"] is not None:
        lines += ["", f"## {_plain(data['comparison']['a'])} against {_plain(data['comparison']['b'])}", ""]
        lines += _table(*comparison_rows(data["comparison"]))
    if data["left_out"]:
        lines += ["", "## Left out", "", *(f"- {_plain(line)}" for line in data["left_out"])]
    return "\n".join(lines) + "\n"


def latex(data: Mapping[str, Any]) -> str:
    """One booktabs table a game; \\input the file into a paper."""
    parts = [f"% Made by: {' '.join(data['command'].split())}", f"% {EXACT}"]
    for game in data["games"]:
        rows = [list(row["cells"].values()) for row in verdicts(game)]
        parts.append(_tabular(list(HEAD.values()), rows, game["headline"], f"tab:{game['id']}"))
    if data["across_games"]:
        parts.append(_tabular(*_across(data), "Over all games.", "tab:all-games"))
    if data["comparison"] is not None:
        told = f"{data['comparison']['a']} against {data['comparison']['b']}, paired by seed."
        parts.append(_tabular(*comparison_rows(data["comparison"]), told, "tab:comparison"))
    return "\n\n".join(parts) + "\n"


def comparison_rows(comparison: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
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
    for game in comparison["games"]:
        for name, found in game["measures"].items():
            digits = 1 if name in ("steps_to_perfect", "blunders") else 3
            low, high = (f"{found[key]:+,.{digits}f}" if found[key] is not None else "" for key in ("low", "high"))
            rows.append([
                game["id"],
                name.replace("_", " "),
                str(len(game["pairs"])),
                f"{found['mean']:+,.{digits}f}" if found["mean"] is not None else "not every run got there",
                f"{low} to {high}" if low else "–",
                exact(found["p_permutation"]),
                f"{found['above']} / {found['below']} / {found['ties']}",
                exact(found["p_sign"]),
            ])  # fmt: skip
    return head, rows


def _across(data: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    head = ["agent", "games", "runs", "perfect", "accuracy", "exploitability"]
    rows = [
        [row["name"], *(count(row[key]) for key in ("games", "runs", "perfect"))]
        + [interval(row[key]) for key in ("accuracy", "exploitability")]
        for row in data["across_games"]
    ]
    return head, rows


def _table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(_plain(cell) for cell in row)} |" for row in rows]


def _plain(text: str) -> str:
    """Text from outside as text: no line break, no markup."""
    joined = " ".join(text.split())
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
    return "".join(LATEX.get(sign, sign) for sign in " ".join(text.split()))
