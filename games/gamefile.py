"""A game file: a game from anywhere, as arrays and words in one npz. It is read and checked, never executed.

docs/formats/game_file.md describes the format. A `StoredGame` is the rule book that such a file stands for: wherever
this project takes a RuleBook, it takes a stored game.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.arrays import opened_arrays
from base.files import whole
from base.mistake import Mistake
from base.reading import opened, read_bytes
from games.graph import GameGraph
from games.grid import reached_from_start
from games.rulebook import Outcome, RuleBook, Verdict

FORMAT = "perfect-play-game-1"
LARGEST_FILE = 1 << 30  # bytes of all arrays together, and of the file itself
LARGEST_ABOUT = 1 << 24  # bytes of the names and rules
LONGEST = {"game": 80, "name": 100, "title": 200, "source": 1_000, "words": 2_000, "rules": 20_000}  # characters
ARRAYS = {  # name: type, axes, whether it must be there
    "about": ("|u1", 1, True),
    "positions": ("<i4", 2, True),
    "moves": ("<i8", 1, True),
    "next_state": ("<i4", 2, True),
    "words": ("|u1", 1, False),
    "own": ("<f4", 2, False),
}
ANEW = "write it anew with python -m games export or python -m envs import"
KEYS = {
    "format", "game", "parameters", "fields", "title", "rules", "endings", "move_names", "source", "checksum", "digest"
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class StoredGame(RuleBook):
    """The rule book of a game file: its rules are the arrays, its words are those of the file."""

    graph: GameGraph
    heading: str
    description: str  # the rules for a player, in words
    ends: Mapping[int, str]  # why a game ended with a verdict, in words
    names: tuple[str, ...]  # [A]: of the moves
    lines_of_words: tuple[str, ...] = ()  # [S]: of the positions; empty where the fields say it all
    source: str = ""  # where the game came from, for people
    own: NDArray[np.float32] | None = field(default=None, repr=False)  # [S, width]: the observations of the env itself

    def __post_init__(self) -> None:
        object.__setattr__(self, "graph", replace(self.graph, book=self))
        if self.own is not None:
            self.own.flags.writeable = False

    @staticmethod
    def of(graph: GameGraph) -> StoredGame:
        """Any graph, with the words of its rule book where it has one."""
        book = graph.book
        if isinstance(book, StoredGame):
            return book
        if book is None:
            title = graph.game.replace("-", " ").capitalize()
            return StoredGame(graph, title, "", {}, tuple(map(str, graph.moves.tolist())))
        own_words = type(book).words is not RuleBook.words
        return StoredGame(
            graph,
            book.title,
            book.text,
            {int(verdict): book.ending(verdict) for verdict in Verdict if verdict in book.endings},
            tuple(book.name_of(move) for move in graph.moves.tolist()),
            tuple(book.words(position) for position in graph.positions.tolist()) if own_words else (),
            f"the rule book {book.name}",
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoredGame) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __reduce__(self) -> Any:
        return read_content, (self.content, self.name)

    @cached_property
    def identity(self) -> str:
        """A checksum of all that the file holds."""
        return digest(self._about(), self._arrays())

    @property
    def name(self) -> str:
        return self.graph.game

    @property
    def title(self) -> str:
        return self.heading

    @property
    def text(self) -> str:
        return self.description or f"The rules of {self.heading} are known by its moves only."

    @property
    def parameters(self) -> dict[str, int | str]:
        return dict(self.graph.parameters)

    @property
    def defaults(self) -> dict[str, int | str]:
        return self.parameters

    @property
    def arrays(self) -> GameGraph:
        return self.graph

    @property
    def is_foreign(self) -> bool:
        return True

    def moves(self) -> Sequence[int]:
        moves: list[int] = self.graph.moves.tolist()
        return moves

    def fields(self) -> Mapping[str, int]:
        return self.graph.fields

    def play(self, move: int, *position: int) -> Outcome:
        after = int(self.graph.next_state[self._states[position], self.graph.action(move)])
        return Verdict(after) if after < 0 else tuple(self.graph.positions[after].tolist())

    def name_of(self, move: int) -> str:
        return self.names[self.graph.action(move)]

    def words(self, position: Sequence[int]) -> str:
        return self.lines_of_words[self._states[tuple(position)]] if self.lines_of_words else super().words(position)

    def ending(self, verdict: Verdict) -> str:
        return self.ends.get(int(verdict)) or super().ending(verdict)

    @cached_property
    def _states(self) -> dict[tuple[int, ...], int]:
        return {tuple(position): state for state, position in enumerate(self.graph.positions.tolist())}

    @cached_property
    def content(self) -> bytes:
        """The bytes of the game file: the same game gives the same bytes."""
        about, arrays = self._about(), self._arrays()
        about["digest"] = digest(about, arrays)
        text = np.frombuffer(json.dumps(about, sort_keys=True).encode(), dtype=np.uint8)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, about=text, **arrays)
        return buffer.getvalue()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the game file. It appears whole or not at all."""
        with whole(path, "make room, or name a file in a folder that exists") as file:
            file.write(self.content)

    def _about(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "game": self.name,
            "parameters": self.parameters,
            "fields": [[name, size] for name, size in self.graph.fields.items()],
            "title": self.heading,
            "rules": self.description,
            "endings": {str(verdict): words for verdict, words in self.ends.items()},
            "move_names": list(self.names),
            "source": self.source,
            "checksum": self.graph.checksum,
        }

    def _arrays(self) -> dict[str, Any]:
        arrays: dict[str, Any] = {
            "positions": self.graph.positions.astype("<i4"),
            "moves": self.graph.moves.astype("<i8"),
            "next_state": self.graph.next_state.astype("<i4"),
        }
        if self.lines_of_words:
            arrays["words"] = np.frombuffer("\n".join(self.lines_of_words).encode(), dtype=np.uint8)
        if self.own is not None:
            arrays["own"] = self.own.astype("<f4")
        return arrays


def book_of(graph: GameGraph) -> RuleBook:
    """The rule book of a graph; one built by hand gets a stored game without words."""
    return graph.book or StoredGame.of(graph)


def is_game_file(path: Path) -> bool:
    """Whether a file begins as a zip file does, which no Python file can."""
    with opened(path, "name another file") as file:
        return file.read(2) == b"PK"


def read_game(path: str | os.PathLike[str]) -> StoredGame:
    """The game in a file, checked; what is wrong with it is one Mistake."""
    return read_content(read_bytes(path, LARGEST_FILE, "name a game file"), os.fspath(path))


def read_content(content: bytes, where: str) -> StoredGame:
    """The game in the bytes of a file; `where` begins the Mistake."""
    arrays = _unpacked(content, where)
    try:
        return _checked(arrays)
    except Mistake as mistake:
        raise Mistake(f"{where}: not a game file: {mistake}; {ANEW}") from None
    except Exception as error:  # a forged description fails in many ways; all mean the same to the reader
        raise Mistake(
            f"{where}: not a game file ({cleaned(type(error).__name__)}: {cleaned(error)}); {ANEW}"
        ) from error


def cleaned(text: object, longest: int = LONGEST["name"]) -> str:
    """Foreign words fit for a file and a terminal: on one line, nothing that cannot be printed, not too long."""
    line = " ".join(str(text).split())
    line = "".join(character if character.isprintable() else "?" for character in line)
    return line if len(line) <= longest else line[: longest - 3] + "..."


def digest(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 of all that a file holds."""
    sha = hashlib.sha256(json.dumps({k: v for k, v in about.items() if k != "digest"}, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        sha.update(f"{name} {array.dtype.str} {array.shape}".encode())
        sha.update(np.ascontiguousarray(array).data)
    return sha.hexdigest()


def _unpacked(content: bytes, where: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file, each of the type and axes that it must have."""
    arrays: dict[str, NDArray[Any]] = {}
    with opened_arrays(content, where, "a game file", ANEW) as file:
        for name in file.sizes:
            if name not in ARRAYS:
                raise Mistake(f"{where}: {cleaned(name)!r} does not belong in a game file; {ANEW}")
            kind, axes, _ = ARRAYS[name]
            array = file.read(name, LARGEST_ABOUT if name == "about" else LARGEST_FILE)
            if array.dtype.str != kind or array.ndim != axes or not array.flags.c_contiguous:
                raise Mistake(f"{where}: {name} is not {axes}-dimensional of the type {kind}; {ANEW}")
            arrays[name] = array
    for name, (_, _, needed) in ARRAYS.items():
        if needed and name not in arrays:
            raise Mistake(f"{where}: not a game file (it has no {name}); {ANEW}")
    return arrays


def _checked(arrays: dict[str, NDArray[Any]]) -> StoredGame:
    text = arrays.pop("about")
    about = json.loads(bytes(text).decode("utf-8"))
    if not isinstance(about, dict) or set(about) != KEYS:
        raise Mistake("its description lacks something, or holds something else")
    if about["format"] != FORMAT:
        raise Mistake(f"format {cleaned(about['format'])}; this program reads {FORMAT}")
    if digest(about, arrays) != about["digest"]:
        raise Mistake("its digest does not fit its content; it was damaged or changed")
    graph = _graph(about, arrays)
    names, own = about["move_names"], arrays.get("own")
    for key, longest in (("title", "title"), ("rules", "rules"), ("source", "source")):
        _need_text(about[key], longest)
    if not isinstance(about["endings"], dict) or not set(about["endings"]) <= {str(int(v)) for v in Verdict}:
        raise Mistake("its endings are not of the verdicts")
    for words in about["endings"].values():
        _need_text(words, "words")
    if not isinstance(names, list) or len(names) != graph.num_actions:
        raise Mistake("it has not one name for each move")
    for name in names:
        _need_text(name, "name")
    if clash := clashing_name(names, graph.moves.tolist()):
        raise Mistake(clash)
    words = bytes(arrays["words"]).decode("utf-8").split("\n") if "words" in arrays else []
    if words and len(words) != graph.num_states:
        raise Mistake("it has not one line of words for each position")
    for line in words:
        _need_text(line, "words")
    if own is not None and (len(own) != graph.num_states or not own.shape[1] or not np.isfinite(own).all()):
        raise Mistake("its observations are not finite numbers for each position")
    ends = {int(verdict): line for verdict, line in about["endings"].items()}
    return StoredGame(graph, about["title"], about["rules"], ends, tuple(names), tuple(words), about["source"], own)


def clashing_name(names: Sequence[str], moves: Sequence[int]) -> str:
    """What is wrong with the names of moves: each must mean one move, by its name as well as by its number."""
    meant: dict[str, int] = {}
    for name, move in zip(names, moves, strict=True):
        if not name.strip() or name != name.strip():
            return f"move {move} has no name, or one with blanks around it"
        if meant.setdefault(name.lower(), move) != move:
            return f"the moves {meant[name.lower()]} and {move} are both called {name}"
    for move in moves:
        if meant.get(str(move), move) != move:
            return f"move {meant[str(move)]} is called {move}, the number of another move"
    return ""


def _graph(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> GameGraph:
    positions, moves, next_state = arrays["positions"], arrays["moves"], arrays["next_state"]
    game, parameters, fields = about["game"], about["parameters"], about["fields"]
    if not isinstance(game, str) or not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,79}", game):
        raise Mistake("its name is not made of small letters, digits, dots and hyphens")
    if not isinstance(parameters, dict) or not all(
        re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,59}", key)
        and (type(value) is int or (isinstance(value, str) and value.isprintable() and len(value) <= LONGEST["name"]))
        for key, value in parameters.items()
    ):
        raise Mistake("its parameters are not whole numbers or short texts")
    if not isinstance(fields, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and type(pair[1]) is int
        for pair in fields
    ):
        raise Mistake("its fields are not names with sizes")
    for name, size in fields:
        _need_text(name, "name")
        if not 1 <= size < 2**31:
            raise Mistake(f"field {name} has a size that none can have")
    states, width = positions.shape
    if not states or not len(fields) or width != len(fields) or len({name for name, _ in fields}) != width:
        raise Mistake("its positions have other fields than it names")
    if (positions < 0).any() or (positions >= np.array([size for _, size in fields])).any() or positions[0].any():
        raise Mistake("a position lies outside its fields, or the first is not the start")
    if not _ascending(positions):
        raise Mistake("its positions are not sorted by their fields, or one stands there twice")
    if not len(moves) or (np.diff(moves) <= 0).any() or abs(moves[[0, -1]]).max() >= 2**53:
        raise Mistake("its moves are not distinct numbers in ascending order")
    if next_state.shape != (states, len(moves)) or next_state.min() < min(Verdict) or next_state.max() >= states:
        raise Mistake("a move leads to a position that is not there")
    if not reached_from_start(next_state).all():
        raise Mistake("the start does not lead to each of its positions")
    graph = GameGraph(game, parameters, dict(map(tuple, fields)), positions, moves, next_state)
    if graph.checksum != about["checksum"]:
        raise Mistake("its checksum does not fit its arrays")
    return graph


def _ascending(positions: NDArray[np.int32]) -> bool:
    """Whether the rows are distinct and sorted, the first field first."""
    later = np.diff(positions, axis=0)
    if not len(later):
        return True
    first = (later != 0).argmax(axis=1)
    return bool((later[np.arange(len(later)), first] > 0).all())


def _need_text(text: object, kind: str) -> None:
    if not isinstance(text, str) or not text.isprintable() or len(text) > LONGEST[kind]:
        raise Mistake(f"{cleaned(text, 40)!r} is not a line of printable text of at most {LONGEST[kind]} characters")
