"""A transcript told at a terminal: its games move by move as they are read, and what each player did in all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack

from arena import review
from arena.tally import Tallies
from arena.transcript import annotate, games_in
from base import progress
from base.mistake import Mistake
from base.text import one_line

GAMES_SHOWN, FAULTS_SHOWN = 1_000, 20  # of one file; the sums are of all


def replay(file: str, *, quiet: bool = False) -> None:
    tallies, faults, first = Tallies(), 0, Mistake(f"{file}: no game in it; a line holds one")
    shown: Callable[[int, int, str, str], None] | None = None

    def show(done: int, total: int) -> None:
        if shown is not None:
            shown(done, total, f"{tallies.games} games", f"{tallies.games} games")

    with ExitStack() as stack:
        for game in games_in(file, show):
            if isinstance(game, Mistake):
                faults, first = faults + 1, first if faults else game
                if faults <= FAULTS_SHOWN:
                    print(f"left out: {one_line(game)}", file=sys.stderr)
                continue
            annotation = annotate(game)
            tallies.add(annotation)
            if tallies.games <= GAMES_SHOWN:
                print(f"game {tallies.games}", *review.lines(annotation), sep="\n", end="\n\n")
            if tallies.games == GAMES_SHOWN:  # from here on there is something to wait for, and nothing to see
                shown = stack.enter_context(progress.lines(quiet=quiet))
    if not tallies.games:
        raise first
    if faults > FAULTS_SHOWN:
        print(f"left out: {faults} lines in all", file=sys.stderr)
    if tallies.games > GAMES_SHOWN:
        print(f"{tallies.games - GAMES_SHOWN} further games are counted here, and not shown")
    if tallies.games > 1:
        print(review.sums(tallies))
