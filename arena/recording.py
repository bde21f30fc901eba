"""A recorded game: one JSON object a line, read and written as docs/formats/transcripts.md says."""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from arena.board import board
from base.mistake import unknown
from base.reading import parsed_json
from base.text import clean, one_line
from games import Mistake, RuleBook
from games.find import rulebook_of_folder, rulebook_on_disk

FORMAT = "perfect-play-transcript-1"
KEYS = ("format", "game", "parameters", "checksum", "players", "moves", "forfeit", "stopped", "note")
WHY_FORFEIT = ("illegal", "unparsable", "late", "crashed", "resigned")
MOST_MOVES = 10_000
MOST_BOOKS = 1_000  # different games, or members of families, in one file
LARGEST_GAME = 200_000  # positions of one: what a short line names must not take long to solve
DEEPEST_NOTE = 100


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


class Books:
    """The games that the recordings in one folder are of: each is looked up once, and they are not too many."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path()
        self._known: dict[str, RuleBook] = {}

    def book(self, game: str, parameters: dict[str, Any], checksum: str) -> RuleBook:
        key = json.dumps([game, parameters, checksum], sort_keys=True)
        if key not in self._known:
            if len(self._known) >= MOST_BOOKS:
                raise Mistake(f"more than {MOST_BOOKS} different games; put them into several files")
            self._known[key] = rulebook_on_disk(game, parameters, checksum, self._folder)
        return self._known[key]


def parse(text: str, where: str = "transcript", books: Books | None = None) -> Recording:
    """One line of a file; what is wrong with it is a Mistake that begins with `where`."""
    record = parsed_json(text, where, "a line holds one game, and may be cut off")
    if not isinstance(record, dict):
        raise Mistake(f"{where}: {type(record).__name__} is not a game; a line holds one JSON object")
    for key in record:
        if key not in KEYS:
            raise unknown(where, "key of a transcript", key, KEYS)
    if record.get("format", FORMAT) != FORMAT:
        raise Mistake(f"{where}: format {_short(record['format'])}; this program reads {FORMAT}")
    game, parameters = record.get("game"), record.get("parameters", {})
    if not isinstance(game, str):
        raise Mistake(f"{where}: game is {_short(game)}; it must be the name of a game")
    if not isinstance(parameters, dict):
        raise Mistake(f"{where}: parameters is {_short(parameters)}; it must be an object, as in {{}}")
    checksum = record.get("checksum")
    if checksum is not None and not (isinstance(checksum, str) and re.fullmatch("[0-9a-f]{64}", checksum)):
        raise Mistake(f"{where}: checksum is {_short(checksum)}; it must be that of a game file, or be left out")
    moves = record.get("moves")
    if not isinstance(moves, list) or not all(type(move) is int for move in moves):
        raise Mistake(f"{where}: moves must be a list of whole numbers, from the first move on")
    if len(moves) > MOST_MOVES:
        raise Mistake(f"{where}: {len(moves)} moves; a game here has at most {MOST_MOVES}")
    players = record.get("players", ["first player", "second player"])
    if not isinstance(players, list) or len(players) != 2 or not all(isinstance(name, str) for name in players):
        raise Mistake(f"{where}: players is {_short(players)}; it must be two names, the first player's first")
    stopped = record.get("stopped")
    if stopped is not None and not isinstance(stopped, str):
        raise Mistake(f"{where}: stopped is {_short(stopped)}; it must say why in words, or be left out")
    note = record.get("note")
    if depth(note) > DEEPEST_NOTE:
        raise Mistake(f"{where}: note is nested more than {DEEPEST_NOTE} deep; keep it flat")
    try:
        book = (books or Books()).book(game, parameters, checksum or "")
        forfeit = _forfeit(record.get("forfeit"))
        recording = Recording(
            clean(game), book.parameters, tuple(moves), (clean(players[0]), clean(players[1])), forfeit,
            None if stopped is None else clean(stopped), note, checksum, where, book,
        )  # fmt: skip
        table = board(book, LARGEST_GAME)
        table.graph.follow(moves)
    except Mistake as mistake:
        raise Mistake(f"{where}: {mistake}") from None
    if table.ending(moves) is not None and (forfeit or stopped):
        raise Mistake(f"{where}: the last move ends the game, so it was neither stopped nor forfeited; leave that out")
    if forfeit and forfeit.seat != len(moves) % 2 and forfeit.why != "resigned":
        raise Mistake(f"{where}: forfeit by seat {forfeit.seat}, but seat {len(moves) % 2} was to move")
    return recording


def _forfeit(record: Any) -> Forfeit | None:
    if record is None:
        return None
    if not isinstance(record, dict) or not set(record) <= {"seat", "why", "said"}:
        raise Mistake(f"forfeit is {_short(record)}; it must have seat (0 or 1), why and perhaps said")
    seat, why, said = record.get("seat"), record.get("why"), record.get("said", "")
    if type(seat) is not int or seat not in (0, 1):
        raise Mistake(f"forfeit.seat is {_short(seat)}; it must be 0 (the first player) or 1")
    if why not in WHY_FORFEIT:
        raise unknown("forfeit.why", "reason", _short(why), WHY_FORFEIT)
    if not isinstance(said, str):
        raise Mistake(f"forfeit.said is {_short(said)}; it must be text")
    return Forfeit(seat, why, clean(said))


def depth(record: Any) -> int:
    """How deeply lists and objects are nested in each other: 0 for a text or a number."""
    layer, deep = [record], 0
    while layer := [item for item in layer if isinstance(item, dict | list)]:
        layer = [inner for item in layer for inner in (item.values() if isinstance(item, dict) else item)]
        deep += 1
    return deep


def _short(value: Any) -> str:
    return one_line(reprlib.repr(value))
