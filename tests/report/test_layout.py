"""Where positions are drawn, in any game."""

from __future__ import annotations

import re
from dataclasses import dataclass

from games import ILLEGAL, MOVER_LOSES, RuleBook, compile_rulebook
from games.rulebook import Outcome
from report.document import Panel
from report.layout import LONG, layout


@dataclass(frozen=True)
class Sixth(RuleBook):
    """Four counters that nobody in the project has heard of."""

    def moves(self) -> range:
        return range(1, 5)

    def fields(self) -> dict[str, int]:
        return {"red": 3, "green": 2, "blue": 4, "last_move": 5}

    def play(self, move: int, *counters: int) -> Outcome:
        if move == counters[-1]:
            return ILLEGAL
        raised = [*counters[:3], move]
        if move < 4:
            raised[move - 1] += 1
        return (
            MOVER_LOSES if any(a >= b for a, b in zip(raised, self.fields().values(), strict=True)) else tuple(raised)
        )


def test_every_position_of_every_family_has_one_cell_of_its_own(relative: RuleBook) -> None:
    check(relative)


def test_a_sixth_game_of_four_fields_gets_a_map_without_new_code() -> None:
    panels = check(Sixth())
    assert len(panels) > 1
    assert panels[0].title == "red 0, green 0"
    assert {panels[0].across.field, panels[0].down.field} == {"blue", "last move"}


def check(book: RuleBook) -> list[Panel]:
    graph = compile_rulebook(book)
    panels = layout(graph)
    cells = [(number, *cell) for number, panel in enumerate(panels) for cell in panel.cells]
    assert sorted(cell[1] for cell in cells) == list(range(graph.num_states))
    assert len({(number, x, y) for number, _, x, y in cells}) == graph.num_states
    for number, state, x, y in cells:
        labels = [panels[number].across.labels, panels[number].down.labels]
        assert x < len(labels[0])
        assert y < len(labels[1])
        assert len(labels[0]) <= LONG
        position = graph.positions[state].tolist()
        if len(graph.fields) > 1:
            at = {panels[number].across.field: labels[0][x], panels[number].down.field: labels[1][y]}
            names = [name.replace("_", " ") for name in graph.fields]
            shown = panels[number].title.split(", ") if panels[number].title else []
            leading = [f"{name} {value}" for name, value in zip(names[:-2], position, strict=False)]
            assert shown[: len(leading)] == leading
            for cut in shown[len(leading) :]:
                name, first, last = re.fullmatch(r"(.*) (\d+) to (\d+)", cut).groups()  # type: ignore[union-attr]
                assert int(first) <= position[names.index(name)] <= int(last)
            assert at == dict(list(zip(names, position, strict=True))[-2:])
        elif len(labels[1]) == 1:
            assert labels[0][x] == position[0]
        else:
            assert labels[1][y] + int(labels[0][x]) == position[0]
    return panels


def test_totals_that_a_full_answer_connects_stand_below_each_other() -> None:
    """In a race by 1 to 10 whoever moves can complete 11; a row is 11 wide."""
    from games import make_rulebook

    (panel,) = layout(compile_rulebook(make_rulebook("fifty-wins")))
    columns = {x for state, x, _ in panel.cells if state in (6, 17, 28, 39)}
    assert columns == {6}
