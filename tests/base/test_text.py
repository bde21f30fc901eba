"""What strangers wrote reaches neither a terminal nor a spreadsheet as a command."""

from __future__ import annotations

import pytest

from base.text import cell, clean, one_line

HARMFUL = [
    chr(code) for code in (*range(32), *range(0x7F, 0xA0), 0x202A, 0x202E, 0x2028, 0x2066, 0x200B, 0xD800, 0xFEFF)
]


@pytest.mark.parametrize("character", HARMFUL, ids=lambda one: f"{ord(one):04x}")
def test_a_terminal_obeys_nothing_that_a_stranger_wrote(character: str) -> None:
    assert clean(f"a{character}b").isprintable()
    assert clean(f"a{character}b") != f"a{character}b"
    assert one_line(f"a{character}b").isprintable()


def test_words_of_people_stay_as_they_are() -> None:
    for words in ("plain", "Größe × 3", "数の遊び", "\N{GRINNING FACE}", "no\N{NO-BREAK SPACE}break"):
        assert clean(words) == words
    assert clean("two\nlines\x1b[2J", keep="\n") == "two\nlines\\x1b[2J"
    assert one_line("two\n  lines") == "two lines"


def test_a_flood_is_cut_in_the_middle() -> None:
    line = one_line("begin" + "x" * 100_000 + "; what now")
    assert len(line) < 2_100
    assert line.startswith("begin")
    assert line.endswith("; what now")


@pytest.mark.parametrize("formula", ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_spreadsheet_carries_nothing_out(formula: str) -> None:
    assert cell(formula) == "'" + formula


@pytest.mark.parametrize("text", ["", "ppo", "-1", "+0.5", "-1e-3", "a=b"])
def test_numbers_and_words_are_cells_as_they_are(text: str) -> None:
    assert cell(text) == text
