"""A mistake that the caller can put right: its message says where, what, and what now."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 2_000  # characters of a message: a whole array that somebody passed is not told number by number


class Mistake(ValueError):
    """Shown to a user as one line, without a traceback, with exit code 2."""

    def __init__(self, message: object = "") -> None:
        words = str(message)
        words = " ".join(words.split()) if "\n" in words else words  # as an array that is shown has line ends
        super().__init__(words if len(words) <= LONGEST else f"{words[: LONGEST // 2]} ... {words[-LONGEST // 2 :]}")


def need(where: str, what: str, name: object, choices: Iterable[str]) -> None:
    """Refuse what is none of the choices, whatever it is: an array would be compared number by number."""
    if not (isinstance(name, str) and name in choices):
        raise unknown(where, what, name, choices)


def unknown(where: str, what: str, name: object, choices: Iterable[str]) -> Mistake:
    """The mistake of naming something that does not exist, with the nearest thing that does."""
    valid = sorted(choices)
    said = str(name).lower()
    near = get_close_matches(said.replace("_", "-"), valid, 1, 0.5) or get_close_matches(said, valid, 1, 0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    listed = f" (there is: {', '.join(valid)})" if valid else " (there is none)"
    return Mistake(f"{where}: no such {what}: {name}{hint}{listed}")
