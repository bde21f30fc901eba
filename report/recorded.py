"""Recorded games on the page: what perfect play says about each move that was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arena.transcript import Annotation, annotate, scan
from games import GameGraph, Mistake
from report.runs import Reader, readable

SHOWN = 50  # games told move by move; the players' sums are of all
SUMS = ("moves", "critical", "blunders", "regret")


def recorded(file: Path, reader: Reader) -> tuple[list[tuple[GameGraph, Annotation]], list[Mistake]]:
    """The games of a transcript, each with the graph that it is a game of; and what is wrong with its other lines."""
    games, faults = scan(file)
    if not games:
        raise faults[0] if faults else Mistake(f"{readable(file)}: no game in it; a line holds one")
    return [(reader.graph_of(game.book()), annotate(game)) for game in games], faults


def told(games: Sequence[Annotation]) -> dict[str, Any] | None:
    """The players of all games, and the first games in full; None where there is none."""
    if not games:
        return None
    players: dict[str, dict[str, Any]] = {}
    for game in games:
        for seat, account in enumerate(game.accounts):
            sums = players.setdefault(
                account.player,
                {"player": account.player, "games": 0, "won": 0, "forfeited": 0, **dict.fromkeys(SUMS, 0)},
            )
            sums["games"] += 1
            sums["won"] += game.result == ("first wins", "second wins")[seat]
            sums["forfeited"] += account.forfeited
            for key in SUMS:
                sums[key] += getattr(account, key)
    shown = [{key: value for key, value in asdict(game).items() if key != "note"} for game in games[:SHOWN]]
    return {"count": len(games), "players": list(players.values()), "games": shown}
