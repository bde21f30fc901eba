"""The page of the audit: python -m docs.make.audit > docs/measured/audit.md."""

from __future__ import annotations

from games import make_rulebook
from report.audit import SECTIONS, facts, slips


def page() -> str:
    lines = [
        "# What the rule books claim, judged by computation",
        "",
        "Made by `make docs`; every verdict is computed on the arrays of the game, by going through all cases.",
    ]
    for name, findings in SECTIONS.items():
        lines += [
            "",
            f"## {make_rulebook(name).title}",
            "",
            facts(name),
            "",
            "| the book says | on the graph | verdict | evidence |",
        ]
        lines += ["|---|---|---|---|"]
        for finding in findings():
            verdict = "holds" if finding.holds else "**fails**"
            lines.append(f"| {finding.claim} | {finding.statement} | {verdict} | {finding.evidence} |")
    lines += ["", "## Slips", "", *(f"- {slip}" for slip in slips())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
