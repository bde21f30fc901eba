"""Text from outside as text: without what a terminal would obey or a reader could not see."""

from __future__ import annotations

import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
KEPT = "\n\t\u200c\u200d"  # the two joiners belong to words of many scripts
HIDDEN = (
    "Cc",
    "Cf",
    "Cs",
    "Co",
    "Zl",
    "Zp",
)  # controls, directions and other formats, halves of pairs, line separators


def printable(text: str) -> str:
    """The text with each character that is obeyed rather than shown replaced; line ends and tabs stay."""
    if text.isprintable():
        return text
    return "".join(sign if sign in KEPT or unicodedata.category(sign) not in HIDDEN else REPLACEMENT for sign in text)


def one_line(text: str) -> str:
    """The same in one line."""
    return " ".join(printable(text).split())
