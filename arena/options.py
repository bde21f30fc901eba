"""Numbers on the command lines of this room: checked, and refused in one line."""

from __future__ import annotations

import math

from games import Mistake

LONGEST_WAIT = 86_400.0


def whole(given: str, flag: str, least: int, most: int) -> int:
    """A whole number within bounds."""
    try:
        number = int(given) if len(given) <= 20 else most + 1
    except ValueError:
        raise Mistake(f"{flag} {given}: not a whole number; write one from {least} to {most}") from None
    if not least <= number <= most:
        raise Mistake(f"{flag} {given}: out of range; write a whole number from {least} to {most}")
    return number


def seconds(given: str, flag: str, least: float) -> float:
    """A time in seconds, of a day at most."""
    try:
        number = float(given)
    except ValueError:
        raise Mistake(f"{flag} {given}: not a number of seconds; write {flag} 60, for example") from None
    if not math.isfinite(number) or not least <= number <= LONGEST_WAIT:
        raise Mistake(f"{flag} {given}: out of range; write {least:g} to {LONGEST_WAIT:g} seconds")
    return number
