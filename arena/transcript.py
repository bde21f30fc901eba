"""Recorded games, one JSON object a line, and what perfect play says about each of their moves.

    for game in read("games.jsonl"):
        told = annotate(game)               # an Annotation: plain numbers, texts and lists all the way down
        json.dumps(dataclasses.asdict(told))

The format is in docs/formats/transcripts.md. Nothing is sampled: a value is that of perfect play, from the solver.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.board import Board, board
from arena.gamelog import append, games_in, read, scan
from arena.recording import Forfeit, Recording, parse

__all__ = [
    "Account", "Annotation", "Forfeit", "Move", "Recording", "annotate", "append", "games_in", "parse", "read", "scan",
]  # fmt: skip

LONGEST_IN_WORDS = 1_000  # plies; each takes longer to tell than the one before
SEATS = ("first", "second")
VALUES = {1: "a win", 0: "an even game", -1: "a loss"}


@dataclass(frozen=True)
class Move:
    """One move, judged. Values are told for the player who made it: 1 won, 0 neither side can force, -1 lost."""

    ply: int  # from 1
    seat: int
    move: int
    name: str  # what players call the move: its number, or "b2"
    table: str  # what lies on the table afterwards, in words; nothing in games that no person would read that far
    value_before: int  # if the player goes on perfectly
    value_after: int  # after this move
    regret: int  # value_before - value_after: 0, 1 or 2; exact, not an estimate
    blunder: bool
    critical: bool  # whether there was anything to decide: some legal move keeps the value, some does not
    keeping: list[int]  # the moves that keep the value
    keeping_names: list[str]
    plies_to_end: int | None  # before the move, if both play perfectly; None where neither side can force an end


@dataclass(frozen=True)
class Account:
    """What one player did in one game."""

    player: str
    seat: int
    moves: int
    critical: int  # moves at which there was something to decide
    blunders: int
    regret: int  # value thrown away: the sum over the moves, and the forfeit
    forfeited: bool


@dataclass(frozen=True)
class Annotation:
    game: str
    parameters: Mapping[str, int | str]
    players: list[str]
    moves: list[Move]
    accounts: list[Account]  # of the first and of the second player
    result: str  # "first wins", "second wins", "draw", "stopped" or "goes on"
    why: str  # why it ended, in words; "" where it goes on
    value: int  # of the start, for the first player
    decided: int | None  # the ply after which the winner was never let off: 0 before the first move; None: undecided
    decided_by: str  # the same in words
    forfeit: Forfeit | None
    note: Any


def annotate(recording: Recording) -> Annotation:
    """Each move's exact value before and after, the blunders, and where the game was decided."""
    table = board(recording.book())
    judged, values = _judge(table, recording.moves)
    forfeit = recording.forfeit
    lost = {0: 0, 1: 0}
    if forfeit:
        lost[forfeit.seat] = (values[-1] if forfeit.seat == 0 else -values[-1]) + 1
        values.append(-1 if forfeit.seat == 0 else 1)
    accounts = []
    for seat, player in enumerate(recording.players):
        own = [move for move in judged if move.seat == seat]
        accounts.append(
            Account(
                player=player,
                seat=seat,
                moves=len(own),
                critical=sum(move.critical for move in own),
                blunders=sum(move.blunder for move in own),
                regret=sum(move.regret for move in own) + lost[seat],
                forfeited=forfeit is not None and forfeit.seat == seat,
            )
        )
    result, why = _result(table, recording)
    decided, decided_by = _decided(recording, judged, values, finished=result not in ("stopped", "goes on"))
    return Annotation(
        game=recording.game,
        parameters=dict(recording.parameters),
        players=list(recording.players),
        moves=judged,
        accounts=accounts,
        result=result,
        why=why,
        value=values[0],
        decided=decided,
        decided_by=decided_by,
        forfeit=forfeit,
        note=recording.note,
    )


def _judge(table: Board, moves: Iterable[int]) -> tuple[list[Move], list[int]]:
    """The moves, and the value for the first player at the start and after each of them."""
    state, said, judged, values = 0, list[int](), list[Move](), [table.value(0)]
    for move in moves:
        action, seat = table.graph.action(move), len(said) % 2
        before, after, keeping = table.value(state), table.worth(state, action), table.keeping(state)
        said.append(move)
        judged.append(
            Move(
                ply=len(said),
                seat=seat,
                move=move,
                name=table.book.name_of(move),
                table=table.book.table(said) if len(said) <= LONGEST_IN_WORDS else "",
                value_before=before,
                value_after=after,
                regret=before - after,
                blunder=not bool(table.solution.keeps[state, action]),
                critical=bool(table.solution.critical[state]),
                keeping=keeping,
                keeping_names=[table.book.name_of(one) for one in keeping],
                plies_to_end=int(table.solution.remoteness[state]) if before else None,
            )
        )
        values.append(after if seat == 0 else -after)
        state = int(table.graph.next_state[state, action])
    return judged, values


def _result(table: Board, recording: Recording) -> tuple[str, str]:
    end = table.ending(recording.moves)
    if end is not None:
        words = _grammar(end.words(table.book, recording.players, recording.moves))
        return "draw" if end.winner is None else f"{SEATS[end.winner]} wins", words
    if recording.forfeit:
        seat, why, said = recording.forfeit.seat, recording.forfeit.why, recording.forfeit.said
        how = {
            "illegal": f"said {said}, which is against the rules",
            "unparsable": "gave an answer that is no move",
            "late": "did not answer in time",
            "crashed": "crashed",
            "resigned": "resigned",
        }[why]
        words = f"{recording.players[1 - seat]} wins: {recording.players[seat]} {how}"
        return f"{SEATS[1 - seat]} wins", _grammar(words)
    if recording.stopped is not None:
        return "stopped", f"stopped without a winner: {recording.stopped}"
    return "goes on", ""


def _grammar(text: str) -> str:
    """For the person at the keyboard, who is called "you"."""
    return re.sub(r"\byou wins\b", "you win", re.sub(r"\byou has\b", "you have", text))


def _decided(recording: Recording, judged: list[Move], values: list[int], finished: bool) -> tuple[int | None, str]:
    """The last change of value: from then on the winner was never let off."""
    if values[-1] == 0:
        return None, "undecided: neither side could force a win at the end"
    winner = recording.players[0 if values[-1] > 0 else 1]
    ply = max((k for k in range(1, len(values)) if values[k] != values[k - 1]), default=0)
    if recording.forfeit and ply > len(judged):
        given_up = values[-2] if recording.forfeit.seat == 0 else -values[-2]
        return ply, f"decided by the forfeit: {recording.players[recording.forfeit.seat]} gave up {VALUES[given_up]}"
    head = "decided" if finished else f"not finished; {winner} could force a win"
    if ply == 0:
        rest = f": {winner} could force a win from the start, and never let go" if finished else ""
        return 0, f"{head} {'before the first move' if finished else 'from the start'}{rest}"
    move = judged[ply - 1]
    return ply, (
        f"{head} {'at' if finished else 'since'} move {ply}: {recording.players[move.seat]} said {move.name} and "
        f"turned {VALUES[move.value_before]} into a loss"
    )
