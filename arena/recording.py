"""A recorded game: one JSON object a line, read and written as docs/formats/transcripts.md says."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from arena.board import board
from base.files import write_together
from base.mistake import unknown
from games import Mistake, RuleBook
from games.find import carried_file, rulebook_of_folder, rulebook_on_disk

FORMAT = "perfect-play-transcript-1"
KEYS = ("format", "game", "parameters", "checksum", "players", "moves", "forfeit", "stopped", "note")
WHY_FORFEIT = ("illegal", "unparsable", "late", "crashed", "resigned")
LONGEST_LINE = 1 << 20  # bytes of one game
MOST_MOVES = 10_000


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
    checksum: str | None = None  # of a game from elsewhere, whose game file lies beside the transcript
    where: str = field(default="transcript", compare=False)  # for messages: file and line
    source: RuleBook | None = field(default=None, compare=False, repr=False)  # the game itself, where it is at hand

    def book(self) -> RuleBook:
        return self.source or rulebook_of_folder(self.game, **self.parameters)

    def line(self) -> str:
        """The game as a line of a file."""
        values = asdict(replace(self, source=None))
        record = {key: value for key, value in values.items() if key in KEYS and value is not None}
        return json.dumps({"format": FORMAT, **record}, ensure_ascii=False) + "\n"


def read(path: str | os.PathLike[str]) -> list[Recording]:
    """The games in a file, each checked move by move against its rule book; a line that holds none is a Mistake."""
    games, faults = scan(path)
    if faults:
        raise faults[0]
    return games


def scan(path: str | os.PathLike[str]) -> tuple[list[Recording], list[Mistake]]:
    """The games in a file, and what is wrong with the lines that hold none, as a killed recorder leaves them."""
    try:
        with Path(path).open("rb") as file:
            lines = list(enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1))
    except OSError as error:
        raise Mistake(f"{path}: cannot be read ({error.strerror}); name a file of games, one JSON line each") from error
    found, faults = list[Recording](), list[Mistake]()
    for number, line in lines:
        if len(line) > LONGEST_LINE:
            raise Mistake(f"{path}:{number}: longer than {LONGEST_LINE} bytes; one game is one line")
        try:
            if text := line.decode("utf-8").strip():
                found.append(parse(text, f"{path}:{number}", Path(path).parent))
        except UnicodeDecodeError as error:
            faults.append(Mistake(f"{path}:{number}: not text ({error}); a transcript is JSON lines in UTF-8"))
        except Mistake as fault:
            faults.append(fault)
    return found, faults


def parse(text: str, where: str = "transcript", folder: Path | None = None) -> Recording:
    """One line of a file in that folder; what is wrong with it is a Mistake that begins with `where`."""
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
    checksum = record.get("checksum")
    if checksum is not None and not (isinstance(checksum, str) and re.fullmatch("[0-9a-f]{64}", checksum)):
        raise Mistake(f"{where}: checksum is {checksum!r}; it must be that of a game file, or be left out")
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
        book = rulebook_on_disk(game, parameters, checksum or "", folder or Path())
        forfeit = _forfeit(record.get("forfeit"))
        recording = Recording(
            game, book.parameters, tuple(moves), (players[0], players[1]), forfeit, stopped, record.get("note"),
            checksum, where, book,
        )  # fmt: skip
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
    """Add a game to the end of a file, on a line of its own even where the last writer was cut off.

    The game file of a game from elsewhere is laid beside it.
    """
    for name, content in carried_file(recording.book()).items():
        if not (beside := Path(path).with_name(name)).exists():
            write_together({beside: content}, "name another file")
    try:
        with Path(path).open("ab+") as file:
            torn = file.seek(0, os.SEEK_END) > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
            file.write(b"\n" * torn + recording.line().encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise Mistake(f"{path}: cannot be written ({error.strerror}); name another file") from error


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
