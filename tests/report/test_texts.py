"""The report as Markdown and LaTeX, and how numbers are rounded."""

from __future__ import annotations

import copy

import pytest

from report.tables import count, exact, hundredths, percent, verdicts
from report.texts import latex, markdown
from tests.report.made import baselines


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.000"), (1.0, "1.000"), (1e-9, "<0.001"), (1 - 1e-9, ">0.999"), (0.1555, "0.155"), (None, "–")],
)
def test_nothing_is_rounded_to_a_perfection_that_it_has_not(value: float | None, text: str) -> None:
    assert exact(value) == text


def test_percentages_and_counts_say_what_is_exact() -> None:
    assert [percent(p) for p in (0.0, 1e-6, 0.5, 1 - 1e-6, 1.0)] == ["0.0%", "<0.1%", "50.0%", ">99.9%", "100.0%"]
    assert [hundredths(p) for p in (0.0, 1e-6, 0.5, 1.0)] == ["0", "<0.1", "50.0", "100"]
    assert [count(n) for n in (1234567, 2.5, None)] == ["1,234,567", "2.5", "–"]


def test_markdown_has_every_player_with_the_numbers_of_the_document() -> None:
    text = markdown(baselines())
    for game in baselines()["games"]:
        section = text.split(f"## {game['title']}\n", 1)[1].split("\n## ", 1)[0]
        for told in game["players"]:
            card = told["card"]
            cells = f"{card['blunders']} of {card['critical_states']} | {exact(card['accuracy'])} | "
            assert f"| {told['name']} |" in section
            assert cells + exact(card["exploitability"]) in section


def test_text_from_outside_stays_text() -> None:
    hostile = copy.deepcopy(baselines())
    hostile["games"] = hostile["games"][:1]
    hostile["games"][0]["players"][0]["name"] = "a|b <script> $x_1$ 100% \\input{x}\n# head"
    hostile["command"] = "python\nevaluate.py"
    assert verdicts(hostile["games"][0])[0]["name"].startswith("a|b")
    row = next(line for line in markdown(hostile).splitlines() if "script" in line)
    assert row.startswith(r"| a\|b \<script> $x\_1$ 100% \\input{x} # head |")
    table = latex(hostile)
    assert r"a|b \textless{}script\textgreater{} \$x\_1\$ 100\% \textbackslash{}input\{x\} \# head &" in table
    assert table.count(r"\begin{tabular}") == table.count(r"\end{tabular}") == 1
    assert table.splitlines()[0] == "% Made by: python evaluate.py"
