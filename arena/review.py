"""A judged game in words: what each move was worth, who threw what away, and where the game was decided."""

from __future__ import annotations

from collections.abc import Sequence

from arena.tally import Tallies
from arena.transcript import VALUES, Account, Annotation, Move
from base.text import named

WORTH = {1: "won", 0: "even", -1: "lost"}


def lines(game: Annotation) -> list[str]:
    """The whole game, move by move."""
    rows = [f"{named(game.game, game.parameters)}: {game.players[0]} against {game.players[1]}"]
    wide = max(len(name) for name in game.players)
    longest = max([3, *(len(move.name) for move in game.moves)])
    for move in game.moves:
        value = f"{WORTH[move.value_before]:4} -> {WORTH[move.value_after]:4}"
        who = f"{game.players[move.seat]:{wide}}  {move.name:>{longest}}"
        rows.append(f"{move.ply:4}  {who}  {value}  {move.table}{_remark(move)}")
    rows.append(game.why or "the game goes on")
    rows += [account_words(account) for account in game.accounts]
    return [*rows, game.decided_by]


def account_words(account: Account) -> str:
    forfeit = ", and a forfeit" if account.forfeited else ""
    return (
        f"{account.player}: {some(account.moves, 'move')}, {some(account.blunders, 'blunder')} at "
        f"{some(account.critical, 'critical position')}{forfeit}, regret {account.regret}"
    )


def sums(tallies: Tallies) -> str:
    """What each player did in all games of a transcript."""
    rows = [f"all {some(tallies.games, 'game')}"]
    rows += [
        f"{tally.player}: {tally.won} of {some(tally.games, 'game')} won, {some(tally.moves, 'move')}, "
        f"{some(tally.blunders, 'blunder')} at {some(tally.critical, 'critical position')}, "
        f"{some(tally.forfeited, 'forfeit')}, regret {tally.regret}"
        for tally in tallies.players()
    ]
    return "\n".join(rows)


def thrown_away(game: Annotation, seat: int) -> list[str]:
    """For the player of that seat: each blunder, and what would have kept the value."""
    return [
        f"move {move.ply}, {move.name}: {VALUES[move.value_before]} became {VALUES[move.value_after]}; "
        f"{alternatives(move.keeping_names)} would have kept it"
        for move in game.moves
        if move.seat == seat and move.blunder
    ]


def score(results: Sequence[str], seat: int) -> str:
    """won, lost and the rest, for the player who sat there in all of them."""
    own, other = ("first wins", "second wins")[:: 1 if seat == 0 else -1]
    won, lost = sum(result == own for result in results), sum(result == other for result in results)
    return f"{won} won, {lost} lost, {len(results) - won - lost} without a winner"


def some(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def alternatives(names: Sequence[str]) -> str:
    """1, 2 or 3"""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _remark(move: Move) -> str:
    if not move.blunder:
        return ""
    return f"   BLUNDER: {alternatives(move.keeping_names)} keeps {VALUES[move.value_before]}"
