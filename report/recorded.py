"""Recorded games on the page: what perfect play says about each move that was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arena.transcript import Annotation, annotate, scan
from base.mistake import Mistake
from games import GameGraph
from report.document import Recorded, Tally
from report.runs import Reader, readable

SHOWN = 50  # games that are shown move by move; the players' sums are of all


def annotated_games(file: Path, reader: Reader) -> tuple[list[tuple[GameGraph, Annotation]], list[Mistake]]:
    """The games of a transcript, each with the graph that it is a game of; and what is wrong with its other lines."""
    games, faults = scan(file)
    if not games:
        raise faults[0] if faults else Mistake(f"{readable(file)}: no game in it; a line holds one")
    return [(reader.graph_of(game.book()), annotate(game)) for game in games], faults


def recorded(games: Sequence[Annotation]) -> Recorded | None:
    """The players of all games, and the first games in full; None where there is none."""
    if not games:
        return None
    tallies: dict[str, Tally] = {}
    for game in games:
        for seat, account in enumerate(game.accounts):
            so_far = tallies.get(account.player, Tally(account.player, 0, 0, 0, 0, 0, 0, 0))
            tallies[account.player] = replace(
                so_far,
                games=so_far.games + 1,
                won=so_far.won + (game.result == ("first wins", "second wins")[seat]),
                forfeited=so_far.forfeited + account.forfeited,
                moves=so_far.moves + account.moves,
                critical=so_far.critical + account.critical,
                blunders=so_far.blunders + account.blunders,
                regret=so_far.regret + account.regret,
            )
    return Recorded(len(games), list(tallies.values()), [replace(game, note=None) for game in games[:SHOWN]])
