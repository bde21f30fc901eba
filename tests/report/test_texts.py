"""The report as Markdown and LaTeX, and how numbers are rounded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from games import compile_rulebook, make_rulebook
from report.tables import count, exact, hundredths, percent, signed, verdicts
from report.texts import latex, markdown
from tests.report.made import baselines, entries, report_on, trained


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (1.0, "1.000"),
        (1e-9, "<0.001"),
        (0.99999, ">0.999"),
        (1 - 1e-9, ">0.999"),
        (0.1555, "0.155"),
        (-1e-9, ">−0.001"),
        (-0.99999, "<−0.999"),
        (-1.0, "−1.000"),
        (None, "–"),
    ],
)
def test_nothing_is_rounded_to_a_perfection_that_it_has_not(value: float | None, text: str) -> None:
    assert exact(value) == text


def test_a_sign_stands_before_everything_but_nothing() -> None:
    assert [signed(value) for value in (0.5, 1.0, 0.0, -0.0, -0.5)] == ["+0.500", "+1.000", "0.000", "0.000", "−0.500"]


def test_percentages_and_counts_say_what_is_exact() -> None:
    assert [percent(p) for p in (0.0, 1e-6, 0.5, 1 - 1e-6, 1.0)] == ["0.0%", "<0.1%", "50.0%", ">99.9%", "100.0%"]
    assert [hundredths(p) for p in (0.0, 1e-6, 0.5, 1.0)] == ["0", "<0.1", "50.0", "100"]
    assert [count(n) for n in (1234567, 2.5, None)] == ["1,234,567", "2.5", "–"]


def test_markdown_has_every_player_with_the_numbers_of_the_document() -> None:
    text = markdown(baselines())
    for game in baselines().games:
        section = text.split(f"## {game.title}\n", 1)[1].split("\n## ", 1)[0]
        for player in game.players:
            card = player.card
            cells = f"{card.blunders} of {card.critical_states} | {exact(card.accuracy)} | "
            assert f"| {player.name} |" in section
            assert cells + exact(card.exploitability) in section


def test_beside_the_steps_to_perfect_stands_how_many_moves_there_are_to_try(tmp_path: Path) -> None:
    made = report_on(entries(trained(tmp_path, "avoid-the-seventh", steps=2_000)))
    (game,) = made.games
    legal = int(compile_rulebook(make_rulebook("avoid-the-seventh")).legal.sum())
    learned, *others = verdicts(game)
    assert learned.cells["limit"] == f"{legal:,}"
    assert {row.cells["limit"] for row in others} == {""}
    assert "| steps to perfect | limit |" in markdown(made)


def test_text_from_outside_stays_text() -> None:
    game = baselines().games[0]
    first = replace(game.players[0], name="a|b <script> $x_1$ 100% \\input{x}\n# head")
    game = replace(game, players=[first, *game.players[1:]])
    hostile = replace(baselines(), games=[game], command="python\nevaluate.py \x1b[2J")
    assert verdicts(game)[0].name.startswith("a|b")
    row = next(line for line in markdown(hostile).splitlines() if "script" in line)
    assert row.startswith(r"| a\|b \<script> $x\_1$ 100% \\input{x} # head |")
    table = latex(hostile)
    assert r"a|b \textless{}script\textgreater{} \$x\_1\$ 100\% \textbackslash{}input\{x\} \# head &" in table
    assert table.count(r"\begin{tabular}") == table.count(r"\end{tabular}") == 1
    assert table.splitlines()[0] == "% Made by: python evaluate.py \ufffd[2J"
