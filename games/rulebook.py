"""A rule book: the rules of one game, written once, in plain Python, for one position.

A file in games/books holds one subclass of RuleBook; the game's name is the file's name with hyphens. Everything else
(arrays, envs, solver, agents, reports) is made from it, so a rule stands in one place only.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import Any, ClassVar, get_args, get_type_hints

from base.mistake import Mistake, unknown

BOOKS = Path(__file__).parent / "books"  # the registry
LONGEST_NUMBER = 18  # digits of a parameter


class Verdict(IntEnum):
    """What a move does when it does not lead on; the same numbers stand in `GameGraph.next_state`."""

    ILLEGAL = -1
    MOVER_WINS = -2
    MOVER_LOSES = -3
    DRAW = -4

    @property
    def worth(self) -> int:
        """To the player who moved: 1, 0 or -1. A move against the rules loses, where it is not taken back."""
        return {Verdict.MOVER_WINS: 1, Verdict.DRAW: 0}.get(self, -1)


ILLEGAL, MOVER_WINS, MOVER_LOSES, DRAW = Verdict

Position = tuple[int, ...]
Outcome = Verdict | int | Position  # a verdict, or the fields of the next position (one field needs no tuple)


@dataclass(frozen=True)
class RuleBook:
    """The parameters of a family of games are the dataclass fields; the book's own numbers are their defaults."""

    rules: ClassVar[str] = ""  # the rules for a player, in words; {target} stands for the parameter
    endings: ClassVar[Mapping[Verdict, str]] = {}  # why a game ended, in words
    examples: ClassVar[Mapping[str, str]] = {}  # moves from the start: "first wins", "second wins" or "goes on"
    at_least: ClassVar[Mapping[str, int]] = {}  # the smallest value of a parameter that still makes a game
    at_most: ClassVar[Mapping[str, int]] = {}

    def moves(self) -> Sequence[int]:
        """Every number that a player could ever say, in ascending order."""
        raise NotImplementedError

    def fields(self) -> Mapping[str, int]:
        """The fields of a position with their sizes: a field holds 0 to size - 1, and starts at 0."""
        raise NotImplementedError

    def play(self, *args: Any, **kwargs: Any) -> Outcome:
        """play(move, *position): what that move does in that position. Pure: the same answer every time."""
        raise NotImplementedError

    def canonical(self, *args: Any, **kwargs: Any) -> int | Position:
        """canonical(*position): the one position that stands for all positions that play alike."""
        return args

    def table(self, moves: Sequence[int]) -> str:
        """What lies on the table after these moves, in words; the last of them may have ended the game."""
        position, rest = self.start, list(moves)
        while rest and not isinstance(outcome := self.step(rest[0], position), Verdict):
            position = outcome
            rest.pop(0)
        words = ", ".join(
            f"{name.replace('_', ' ')} {value}" for name, value in zip(self.fields(), position, strict=True)
        )
        return words + (f"; then {' '.join(map(str, rest))}" if rest else "")

    # What follows is the same for every book.

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for name, value in self.parameters.items():
            choices = get_args(hints[name])  # of a Literal; empty for int
            where, least = f"{self.name}: {name}={value!r}", self.at_least.get(name, 0)
            if choices:
                if value not in choices:
                    raise Mistake(f"{where} is not one of {', '.join(map(str, choices))}")
            elif not isinstance(value, int) or isinstance(value, bool):
                raise Mistake(f"{where} is not a whole number; write {name}={getattr(type(self), name)}, for example")
            elif value < least:
                raise Mistake(f"{where} makes no game; it must be at least {least}")
            elif value > self.at_most.get(name, value):
                raise Mistake(f"{where} is too large; it must be at most {self.at_most[name]}")

    @property
    def name(self) -> str:
        return re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()

    @property
    def title(self) -> str:
        return self.name.replace("-", " ").capitalize()

    @property
    def parameters(self) -> dict[str, int | str]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def start(self) -> Position:
        return (0,) * len(self.fields())

    @property
    def text(self) -> str:
        """The rules in words, with this book's numbers filled in."""
        return " ".join(self.rules.split()).format(**self.parameters) or (type(self).__doc__ or "").strip()

    def step(self, move: int, position: Position) -> Verdict | Position:
        """The literal outcome of a move: nothing is folded by `canonical`, no bound is checked."""
        outcome = self.play(move, *position)
        return outcome if isinstance(outcome, Verdict | tuple) else (outcome,)

    def fold(self, position: Position) -> Position:
        """The canonical position of a literal one."""
        folded = self.canonical(*position)
        return folded if isinstance(folded, tuple) else (folded,)

    def ending(self, verdict: Verdict) -> str:
        """Why a game that ended with this verdict is over, in words."""
        default = {ILLEGAL: "the move is against the rules", DRAW: "the game is drawn"}.get(verdict, "by the rules")
        return self.endings.get(verdict, default).format(**self.parameters)


def rulebook_names() -> list[str]:
    """The names of all games in the folder of the rule books: each file there is one."""
    return sorted(file.stem.replace("_", "-") for file in BOOKS.glob("[!_]*.py"))


def rulebook_class(name: str) -> type[RuleBook]:
    if name not in rulebook_names():
        raise unknown("games", "game", name, rulebook_names())
    return _only_rulebook(importlib.import_module(f"games.books.{name.replace('-', '_')}"))


def rulebook_class_from_file(path: Path) -> type[RuleBook]:
    """The rule book in anyone's file; the file is executed, as any Python file that one runs."""
    spec = importlib.util.spec_from_file_location(f"rulebook_file_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise Mistake(f"{path}: not a Python file; name a game or a .py file that holds a RuleBook")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its annotations up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise Mistake(f"{path}: cannot be imported ({type(error).__name__}: {error})") from error
    return _only_rulebook(module)


def make_rulebook(name: str, /, **parameters: Any) -> RuleBook:
    """The rule book of that name, `make_rulebook("fifty-wins", target=500)`; what is not given is the book's own."""
    return with_parameters(rulebook_class(name), **parameters)


def with_parameters(book: type[RuleBook], /, **parameters: Any) -> RuleBook:
    """A book of that class; a parameter may also come as text, as it does from a command line."""
    known = {field.name: get_type_hints(book)[field.name] for field in fields(book)}
    for key, value in parameters.items():
        if key not in known:
            raise unknown(book().name, "parameter", key, known)
        if known[key] is int and isinstance(value, str) and re.fullmatch(r"[+-]?\d+", value.strip()):
            if (digits := len(value.strip().lstrip("+-0"))) > LONGEST_NUMBER:
                raise Mistake(f"{book().name}: {key} has {digits} digits; take at most {LONGEST_NUMBER}")
            parameters[key] = int(value)
    return book(**parameters)


def _only_rulebook(module: Any) -> type[RuleBook]:
    books = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, RuleBook) and thing.__module__ == module.__name__
    ]
    if len(books) != 1:
        raise Mistake(f"{module.__file__}: holds {len(books)} RuleBook classes; a game file holds exactly one")
    return books[0]
