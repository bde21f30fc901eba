"""The numbers of a report as people read them: one way to round, for the page, the Markdown and the LaTeX alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from solver.words import share

HEAD = {
    "name": "player",
    "runs": "runs",
    "perfect": "perfect",
    "blunders": "blunders",
    "accuracy": "accuracy",
    "exploitability": "exploitability",
    "beats": "beats uniform",
    "steps": "steps to perfect",
    "seconds": "seconds",
}
NONE = "–"


def exact(value: float | None, digits: int = 3) -> str:
    """Rounded, but never to a 0 or a 1 that it is not."""
    if value is None:
        return NONE
    text = f"{value:.{digits}f}"
    if float(text) in (0.0, 1.0) and value not in (0.0, 1.0):
        small = 10**-digits
        if 0 < value < 1:
            return f"<{small:.{digits}f}" if float(text) == 0.0 else f">{1 - small:.{digits}f}"
    return text


def percent(value: float | None) -> str:
    return NONE if value is None else share(value)


def hundredths(value: float) -> str:
    """A share of 100 for a narrow cell: 0 and 100 without a decimal are exact."""
    return f"{100 * value:.0f}" if value in (0.0, 1.0) else percent(value).removesuffix("%")


def count(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def interval(measure: Mapping[str, Any], digits: int = 3) -> str:
    """The interquartile mean, and its interval where there is one."""
    show = count if digits == 0 else exact
    text = show(measure["iqm"])
    if measure["low"] is None or measure["low"] == measure["high"]:
        return text
    return f"{text} [{show(measure['low'])}, {show(measure['high'])}]"


def badge(card: Mapping[str, Any]) -> str:
    return "perfect" if card["perfect"] else "unexploitable" if card["unexploitable"] else "exploitable"


def beats(card: Mapping[str, Any]) -> float:
    """How often it beats uniform play, mean over the seats."""
    return float(sum(result["win"] for result in card["versus"]["uniform"].values()) / 2)


def verdicts(game: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each group of runs and each baseline: the numbers, and beside them how they are written."""
    rows = []
    for group in game["groups"]:
        players = [p for p in game["players"] if p["group"] == group["name"]]
        rows.append(_row(group["name"], players, group))
    rows += [_row(p["name"], [p], None) for p in game["players"] if p["group"] is None]
    return rows


def _row(name: str, players: list[dict[str, Any]], group: Mapping[str, Any] | None) -> dict[str, Any]:
    cards = [player["card"] for player in players]
    first, one = cards[0], len(cards) == 1
    perfect = sum(card["perfect"] for card in cards)
    safe = sum(card["unexploitable"] for card in cards)
    verdict = "perfect" if perfect == len(cards) else "unexploitable" if safe == len(cards) else "exploitable"
    if 0 < perfect < len(cards):
        verdict = "sometimes"
    won = [beats(card) for card in cards]
    steps = [card["steps_to_perfect"] for card in cards]
    seconds = [player["seconds_to_perfect"] for player in players]
    return {
        "name": name,
        "learned": group is not None,
        "verdict": verdict,
        "dots": sorted({(card["accuracy"], badge(card)) for card in cards}),  # where the runs stand, each place once
        "critical": first["critical_states"],
        "cells": {
            "name": name,
            "runs": str(len(cards)) if group is not None else "",
            "perfect": badge(first) if one else f"{perfect} of {len(cards)} perfect",
            "blunders": f"{first['blunders']} of {first['critical_states']}"
            if one or group is None
            else f"{interval(group['blunders'], 0)} of {first['critical_states']}",
            "accuracy": exact(first["accuracy"]) if one or group is None else interval(group["accuracy"]),
            "exploitability": exact(first["exploitability"])
            if one or group is None
            else interval(group["exploitability"]),
            "beats": percent(sum(won) / len(won)),
            "steps": _middle(steps) if group is not None else "",
            "seconds": _middle(seconds, 1) if group is not None else "",
        },
    }


def _middle(values: list[float | None], digits: int = 0) -> str:
    """The median; a run that never got there counts as infinite."""
    ranked = sorted(float("inf") if value is None else float(value) for value in values)
    middle = ranked[(len(ranked) - 1) // 2]
    return NONE if middle == float("inf") else f"{middle:,.{digits}f}"
