"""Recorded games, one JSON object a line, and what perfect play says about each of their moves.

    for game in read("games.jsonl"):
        told = annotate(game)               # an Annotation: plain numbers, texts and lists all the way down
        json.dumps(dataclasses.asdict(told))

The format is in docs/transcripts.md. Nothing is sampled: a value is that of perfect play, from the solver.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arena.board import Board, board
from games import DRAW, MOVER_WINS, Mistake, RuleBook, make_rulebook
from games.mistake import unknown

FORMAT = "perfect-play-transcript-1"
KEYS = ("format", "game", "parameters", "players", "moves", "forfeit", "stopped", "note")
WHY_FORFEIT = ("illegal", "unparsable", "late", "crashed", "resigned")
LONGEST_LINE = 1 << 20  # characters of one game
MOST_MOVES = 10_000
SEATS = ("first", "second")
VALUES = {1: "a win", 0: "an even game", -1: "a loss"}


@dataclass(frozen=True)
class Forfeit:
    """A game given up or lost by an answer that was no legal move."""

    seat: int  # 0: the first player
    why: str  # one of WHY_FORFEIT
    said: str = ""


@dataclass(frozen=True)
class Recording:
    """One game as it was played. `moves` are legal ones from the start; an illegal one stands in `forfeit`."""

    game: str
    parameters: Mapping[str, int | str]
    moves: tuple[int, ...]
    players: tuple[str, str] = ("first player", "second player")
    forfeit: Forfeit | None = None
    stopped: str | None = None  # why a game ended that no rule ended, in words
    note: Any = None  # anything else that the recorder wants to keep; never looked at
    where: str = field(default="transcript", compare=False)  # for messages: file and line

    def book(self) -> RuleBook:
        return make_rulebook(self.game, **self.parameters)

    def line(self) -> str:
        """The game as a line of a file."""
        record = {key: value for key, value in asdict(self).items() if key in KEYS and value is not None}
        return json.dumps({"format": FORMAT, **record}, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class Move:
    """One move, judged. Values are told for the player who made it: 1 won, 0 neither side can force, -1 lost."""

    ply: int  # from 1
    seat: int
    move: int
    table: str  # what lies on the table afterwards, in words
    value_before: int  # if the player goes on perfectly
    value_after: int  # after this move
    regret: int  # value_before - value_after: 0, 1 or 2; exact, not an estimate
    blunder: bool
    critical: bool  # whether there was anything to decide: some legal move keeps the value, some does not
    keeping: list[int]  # the moves that keep the value
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


def read(path: str | os.PathLike[str]) -> list[Recording]:
    """The games in a file, each checked move by move against its rule book."""
    try:
        with Path(path).open(encoding="utf-8", newline="\n") as file:
            lines = list(enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), ""), start=1))
    except OSError as error:
        raise Mistake(f"{path}: cannot be read ({error.strerror}); name a file of games, one JSON line each") from error
    except UnicodeDecodeError as error:
        raise Mistake(f"{path}: not text ({error}); a transcript is JSON lines in UTF-8") from error
    found = []
    for number, text in lines:
        if len(text) > LONGEST_LINE:
            raise Mistake(f"{path}:{number}: longer than {LONGEST_LINE} characters; one game is one line")
        if text.strip():
            found.append(parse(text, f"{path}:{number}"))
    return found


def parse(text: str, where: str = "transcript") -> Recording:
    """One line of a file; what is wrong with it is a Mistake that begins with `where`."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Mistake(f"{where}: not JSON ({error}); a line holds one game, and may be cut off") from None
    if not isinstance(record, dict):
        raise Mistake(f"{where}: {type(record).__name__} is not a game; a line holds one JSON object")
    for key in record:
        if key not in KEYS:
            raise unknown(where, "key of a transcript", key, KEYS)
    if record.get("format", FORMAT) != FORMAT:
        raise Mistake(f"{where}: format {record['format']!r}; this program reads {FORMAT}")
    game, parameters = record.get("game"), record.get("parameters", {})
    if not isinstance(game, str):
        raise Mistake(f"{where}: game is {game!r}; it must be the name of a game")
    if not isinstance(parameters, dict):
        raise Mistake(f"{where}: parameters is {parameters!r}; it must be an object, as in {{}}")
    moves = record.get("moves")
    if not isinstance(moves, list) or not all(type(move) is int for move in moves):
        raise Mistake(f"{where}: moves must be a list of whole numbers, from the first move on")
    if len(moves) > MOST_MOVES:
        raise Mistake(f"{where}: {len(moves)} moves; a game here has at most {MOST_MOVES}")
    players = record.get("players", ["first player", "second player"])
    if not isinstance(players, list) or len(players) != 2 or not all(isinstance(name, str) for name in players):
        raise Mistake(f"{where}: players is {players!r}; it must be two names, the first player's first")
    stopped = record.get("stopped")
    if stopped is not None and not isinstance(stopped, str):
        raise Mistake(f"{where}: stopped is {stopped!r}; it must say why in words, or be left out")
    try:
        book = make_rulebook(game, **parameters)
        forfeit = _forfeit(record.get("forfeit"))
        recording = Recording(
            game, book.parameters, tuple(moves), (players[0], players[1]), forfeit, stopped, record.get("note"), where
        )
        table = board(book)
        table.graph.follow(moves)
    except Mistake as mistake:
        raise Mistake(f"{where}: {mistake}") from None
    if table.ending(moves) is not None and (forfeit or stopped):
        raise Mistake(f"{where}: the last move ends the game, so it was neither stopped nor forfeited; leave that out")
    if forfeit and forfeit.seat != len(moves) % 2 and forfeit.why != "resigned":
        raise Mistake(f"{where}: forfeit by seat {forfeit.seat}, but seat {len(moves) % 2} was to move")
    return recording


def append(path: str | os.PathLike[str], recording: Recording) -> None:
    """Add a game to the end of a file, on a line of its own even where the last writer was cut off."""
    try:
        with Path(path).open("ab+") as file:
            torn = file.seek(0, os.SEEK_END) > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
            file.write(b"\n" * torn + recording.line().encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise Mistake(f"{path}: cannot be written ({error.strerror}); name another file") from error


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
    decided, decided_by = _decided(recording, judged, values)
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
        before, after = table.value(state), table.worth(state, action)
        said.append(move)
        judged.append(
            Move(
                ply=len(said),
                seat=seat,
                move=move,
                table=table.book.table(said),
                value_before=before,
                value_after=after,
                regret=before - after,
                blunder=not bool(table.solution.keeps[state, action]),
                critical=bool(table.solution.critical[state]),
                keeping=table.keeping(state),
                plies_to_end=int(table.solution.remoteness[state]) if before else None,
            )
        )
        values.append(after if seat == 0 else -after)
        state = int(table.graph.next_state[state, action])
    return judged, values


def _result(table: Board, recording: Recording) -> tuple[str, str]:
    end = table.ending(recording.moves)
    if end is not None and end.verdict is not None:
        winner = end.mover if end.verdict == MOVER_WINS else 1 - end.mover
        words = end.words(table.book, recording.players)
        return "draw" if end.verdict == DRAW else f"{SEATS[winner]} wins", words
    if recording.forfeit:
        seat, why, said = recording.forfeit.seat, recording.forfeit.why, recording.forfeit.said
        how = {
            "illegal": f"said {said}, which is against the rules",
            "unparsable": "gave an answer that is no move",
            "late": "did not answer in time",
            "crashed": "crashed",
            "resigned": "resigned",
        }[why]
        return f"{SEATS[1 - seat]} wins", f"{recording.players[1 - seat]} wins: {recording.players[seat]} {how}"
    if recording.stopped is not None:
        return "stopped", f"stopped without a winner: {recording.stopped}"
    return "goes on", ""


def _decided(recording: Recording, judged: list[Move], values: list[int]) -> tuple[int | None, str]:
    """The last change of value: from then on the winner was never let off."""
    if values[-1] == 0:
        return None, "undecided: neither side could force a win at the end"
    winner = recording.players[0 if values[-1] > 0 else 1]
    ply = max((k for k in range(1, len(values)) if values[k] != values[k - 1]), default=0)
    if ply == 0:
        return 0, f"decided before the first move: {winner} could force a win from the start, and never let go"
    if recording.forfeit and ply > len(judged):
        given_up = values[-2] if recording.forfeit.seat == 0 else -values[-2]
        return ply, f"decided by the forfeit: {recording.players[recording.forfeit.seat]} gave up {VALUES[given_up]}"
    move = judged[ply - 1]
    return ply, (
        f"decided at move {ply}: {recording.players[move.seat]} said {move.move} and turned "
        f"{VALUES[move.value_before]} into a loss"
    )


def _forfeit(found: Any) -> Forfeit | None:
    if found is None:
        return None
    if not isinstance(found, dict) or not set(found) <= {"seat", "why", "said"}:
        raise Mistake(f"forfeit is {found!r}; it must have seat (0 or 1), why and perhaps said")
    seat, why, said = found.get("seat"), found.get("why"), found.get("said", "")
    if type(seat) is not int or seat not in (0, 1):
        raise Mistake(f"forfeit.seat is {seat!r}; it must be 0 (the first player) or 1")
    if why not in WHY_FORFEIT:
        raise unknown("forfeit.why", "reason", why, WHY_FORFEIT)
    if not isinstance(said, str):
        raise Mistake(f"forfeit.said is {said!r}; it must be text")
    return Forfeit(seat, why, said)
