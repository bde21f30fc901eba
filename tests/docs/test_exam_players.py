"""The page of players on the standard questions: the same positions, and the same marks as on a card."""

from __future__ import annotations

from pathlib import Path

from arena.questions import make_questions, read_set
from arena.questions.score import Given, score
from docs.make.exam_players import PLAYERS, asked_of, page

STANDARD = read_set("standard")


def test_the_positions_are_those_of_the_questions_and_the_marks_those_of_the_card() -> None:
    asked, questions = asked_of(STANDARD, 3, 60), make_questions(STANDARD, 3, 60)
    assert sorted((table.graph.checksum, state) for table, states in asked.items() for state in states) == sorted(
        (one.checksum, one.state) for one in questions
    )
    names = ("lowest move", "highest move", "uniform", "optimal")
    rows = [line.split(" | ") for line in page(asked, {name: PLAYERS[name] for name in names}) if line[:2] == "| "]
    kept = {row[0].strip("| "): row[1:3] for row in rows[1:]}
    for name, choose in (("lowest move", min), ("highest move", max)):
        card = score(questions, [Given(one.id, move=choose(one.legal)) for one in questions]).overall
        assert kept[name] == [f"{card.share:.4f}", f"{card.lost / card.answers:.3f}"]
    assert kept["uniform"][0] == f"{card.uniform:.4f}"
    assert kept["optimal"] == ["1.0000", "0.000"]


def test_the_stored_page_has_every_player() -> None:
    rows = Path("docs/measured/exam_players.md").read_text("utf-8").splitlines()
    assert [row.split(" | ")[0].strip("| ") for row in rows if row[:2] == "| "] == ["player", *PLAYERS]
