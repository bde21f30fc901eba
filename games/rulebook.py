"""A rule book: the rules of one game, written once, in plain Python, for one position.

A file in games/books holds one subclass of RuleBook; the game's name is the file's name with hyphens. Everything else
(arrays, envs, solver, agents, reports) is made from it, so a rule stands in one place only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, get_args, get_type_hints

from base.mistake import Mistake

if TYPE_CHECKING:
    from games.graph import GameGraph


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

    rules: ClassVar[str] = ""  # the rules for a player, in words; {target} stands for the parameter, or a phrase
    endings: ClassVar[Mapping[Verdict, str]] = {}  # why a game ended, in words
    examples: ClassVar[Mapping[str, str]] = {}  # moves from the start: "first wins", "second wins" or "goes on"
    at_least: ClassVar[Mapping[str, int]] = {}  # the smallest value of a parameter that still makes a game
    at_most: ClassVar[Mapping[str, int]] = {}
    file: ClassVar[str] = ""  # where the class was read from, if it stands in anyone's file

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

    def name_of(self, move: int) -> str:
        """What a player calls a move, as in "b2" or "take 3 from row 2"; its number is always understood too."""
        return str(move)

    def words(self, position: Sequence[int]) -> str:
        """A position for people: "total 15, last 7"."""
        pairs = zip(self.fields(), position, strict=True)
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in pairs)

    def look(self, *position: Any) -> Sequence[Any]:
        """What a player sees of each field, where that is not the number itself: the same sizes, one to one.

        Plain arithmetic, as whole columns of positions are looked at too.
        """
        return position

    def reason(self, verdict: Verdict, moves: Sequence[int]) -> str:
        """Why the game is over that these moves have ended, in words: which of the reasons, and the last total."""
        return self.ending(verdict)

    def refusal(self, move: int, moves: Sequence[int]) -> str:
        """Why the rules forbid this move after these, in words; empty where the book cannot tell."""
        return ""

    def table(self, moves: Sequence[int]) -> str:
        """What lies on the table after these moves, in words; the last of them may have ended the game."""
        position, rest = self.start, list(moves)
        while rest and not isinstance(outcome := self.step(rest[0], position), Verdict):
            position = outcome
            rest.pop(0)
        return self.words(position) + (f"; then {self.line(rest)}" if rest else "")

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

    def __reduce__(self) -> Any:  # a class in anyone's file cannot be imported by its name where a copy arrives
        return _made_again, (self.file or type(self), self.parameters)

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
    def phrases(self) -> Mapping[str, int | str]:
        """What stands for the names in braces in the rules and endings: the parameters, and words that follow."""
        return self.parameters

    @property
    def defaults(self) -> dict[str, int | str]:
        """The parameters of the book itself, from which a member of its family may differ."""
        return {field.name: getattr(type(self), field.name) for field in fields(self)}

    @property
    def arrays(self) -> GameGraph | None:
        """The arrays, where the game is stored as such; a rule book is compiled into them."""
        return None

    @property
    def is_foreign(self) -> bool:
        """Whether the game came from elsewhere than the folder of the rule books."""
        return not type(self).__module__.startswith("games.books.")

    def line(self, moves: Sequence[int]) -> str:
        """Several moves by their names: "8 7 9", or "take 3, take 1" where names have spaces."""
        names = [self.name_of(move) for move in moves]
        return (", " if any(" " in name for name in names) else " ").join(names)

    def moves_in(self, text: str) -> list[int]:
        """The moves that a person wrote, by their names or numbers, with spaces or commas in between."""
        named = sorted(((self.name_of(move).lower(), move) for move in self.moves()), key=lambda pair: -len(pair[0]))
        moves, rest = list[int](), text.strip(" ,;\t\n")
        while rest:
            for name, move in named:  # the longest name first
                if rest.lower().startswith(name) and rest[len(name) : len(name) + 1] in ("", *" ,;\t\n"):
                    rest = rest[len(name) :].lstrip(" ,;\t\n")
                    moves.append(move)
                    break
            else:
                word = re.split(r"[ ,;\t\n]", rest)[0]
                if not re.fullmatch(r"[+-]?[0-9]{1,18}", word):
                    names = ", ".join(self.name_of(move) for move in list(self.moves())[:20])
                    raise Mistake(f"{self.name}: no move {word[:30]!r} (moves: {names})")
                rest = rest[len(word) :].lstrip(" ,;\t\n")
                moves.append(int(word))
        return moves

    @property
    def start(self) -> Position:
        return (0,) * len(self.fields())

    @property
    def text(self) -> str:
        """The rules in words, with this book's numbers filled in."""
        return " ".join(self.rules.split()).format(**self.phrases) or (type(self).__doc__ or "").strip()

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
        return self.endings.get(verdict, default).format(**self.phrases)


def _made_again(origin: str | type[RuleBook], parameters: Mapping[str, int | str]) -> RuleBook:
    if isinstance(origin, type):
        return origin(**parameters)
    from games.find import make_rulebook

    return make_rulebook(origin, **parameters)
