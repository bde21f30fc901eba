"""What each player did in many recorded games together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arena.transcript import Annotation

WINS = ("first wins", "second wins")  # the result of a game that the player of that seat has won


@dataclass(frozen=True)
class Tally:
    player: str
    games: int = 0
    won: int = 0
    forfeited: int = 0
    moves: int = 0
    critical: int = 0
    blunders: int = 0
    regret: int = 0


class Tallies:
    """Sums that grow game by game, so that no game has to be kept."""

    def __init__(self) -> None:
        self.games = 0
        self._of: dict[str, Tally] = {}

    def add(self, game: Annotation) -> None:
        self.games += 1
        for seat, account in enumerate(game.accounts):
            so_far = self._of.get(account.player, Tally(account.player))
            self._of[account.player] = replace(
                so_far,
                games=so_far.games + 1,
                won=so_far.won + (game.result == WINS[seat]),
                forfeited=so_far.forfeited + account.forfeited,
                moves=so_far.moves + account.moves,
                critical=so_far.critical + account.critical,
                blunders=so_far.blunders + account.blunders,
                regret=so_far.regret + account.regret,
            )

    def players(self) -> list[Tally]:
        return list(self._of.values())
