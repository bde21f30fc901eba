"""Text from outside as text: without what a terminal would obey or a reader could not see."""

from __future__ import annotations

import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
KEPT = "\n\t\u200c\u200d"  # the two joiners belong to words of many scripts
# Controls, directions and other formats, halves of pairs, private and unassigned signs, line and paragraph separators.
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def printable(text: str) -> str:
    """The text with each character that is obeyed rather than shown replaced; line ends and tabs stay."""
    if text.isprintable():
        return text
    return "".join(sign if sign in KEPT or unicodedata.category(sign) not in HIDDEN else REPLACEMENT for sign in text)


def one_line(text: str) -> str:
    """The same in one line: blanks and line ends of every kind become one blank."""
    return printable(" ".join(text.split()))
