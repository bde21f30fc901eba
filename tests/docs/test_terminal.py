"""The film of a terminal: it shows what the commands print, in their order, and can be read as XML."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

from docs.make.terminal import LONGEST_PAUSE, ROWS, Line, drawn, film


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_the_film_shows_what_a_command_prints() -> None:
    lines = film(["python -m games check fifty-wins"])
    shown = texts(drawn(lines))
    assert shown[1] == "$ python -m games check fifty-wins"
    assert any("50 states, 500 legal" in text for text in shown)
    assert all(after.at - before.at < LONGEST_PAUSE + 10 for before, after in pairwise(lines))


def test_a_long_film_rolls_up_to_its_last_line_and_escapes_what_it_shows() -> None:
    lines = [Line(float(number), f"<{number}>") for number in range(ROWS + 5)]
    svg = drawn(lines)
    assert texts(svg)[-1] == f"<{ROWS + 4}>"
    assert svg.count("translateY(-") == 5 + 1
