"""Text that strangers wrote, made safe to show: no control sequences for terminals, no formulas for sheets."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

LONGEST = 2_000  # characters of one line for a terminal
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes a cell that begins so for a formula


def clean(text: object, keep: str = "") -> str:
    r"""The text with every character that a terminal would obey, or not show, spelled out: ESC becomes \x1b.

    Spaces of all widths stay, and what `keep` holds ("\n", for example) stays too.
    """
    words = str(text)
    if words.isprintable():
        return words
    return "".join(one if _harmless(one) or one in keep else _spelled(one) for one in words)


def named(game: str, parameters: Mapping[str, int | str]) -> str:
    """A game with its parameters, as it is spoken of."""
    member = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return f"{game} ({member})" if member else game


def one_line(text: object, most: int = LONGEST) -> str:
    """The text as one clean line; of a very long one, the beginning and the end."""
    line = clean(" ".join(str(text).split()))
    if len(line) <= most:
        return line
    return f"{line[: most // 2]} ... {line[-(most // 2) :]}"


def cell(text: str) -> str:
    """A text as a cell of a CSV table: what a spreadsheet would carry out gets an apostrophe before it."""
    if not text.startswith(FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text  # a number, which is what it looks like


def _harmless(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
