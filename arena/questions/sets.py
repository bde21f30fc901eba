"""A set of questions: which members of which families are asked about, how often, and how much guessing may earn.

about = "..."                      # for people
uniform_at_most = 0.15             # the expected score of uniform play, at any number of questions

[[families]]
env = "number-flip"                # a name, or a path: beside this file, or from the folder of the project
weight = 28                        # its share of the questions, beside those of the others
members = 10                       # so many of the members below, drawn by the seed; without it all of them
kept_at_most = 0.5                 # leave out positions where more than this share of the legal moves keeps the value
parameters.target = "40-200"       # a range, a list or one value; every combination of the parameters is a member
parameters.largest = [10, 13, 17]

configs/exams holds the sets that have a name; anyone's TOML file is named by its path.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from arena.questions.draws import Bag, Draws
from base.mistake import Mistake, unknown
from games import RuleBook
from games.find import make_rulebook, rulebook_names
from training.resolve import read_toml, spelled

PROJECT = Path(__file__).parents[2]
SETS = PROJECT / "configs" / "exams"
KEYS = ("about", "uniform_at_most", "families")
FAMILY_KEYS = ("env", "weight", "members", "kept_at_most", "parameters")
RANGE = re.compile(r"(\d{1,9})-(\d{1,9})")
MOST_MEMBERS = 500  # of one family, that are asked about
MOST_VALUES = 100_000  # of one parameter


@dataclass(frozen=True)
class Family:
    env: str  # as the set names it
    game: str  # as `make_rulebook` takes it
    axes: Mapping[str, Sequence[int | str]]  # parameter: its values
    members: int | None = None  # how many a seed draws; None for all
    weight: int = 1
    kept_at_most: Fraction = Fraction(1)
    alone: RuleBook | None = None  # the game itself, where it is at hand

    @property
    def size(self) -> int:
        """How many members there are."""
        return math.prod(len(values) for values in self.axes.values())

    def books(self, draws: Draws) -> list[RuleBook]:
        """The members that are asked about: all, or those that are drawn."""
        if self.alone is not None:
            return [self.alone]
        bag, numbers = Bag(self.size), range(self.size)
        chosen = numbers if self.members is None else [bag.draw(draws) for _ in range(min(self.members, self.size))]
        return [make_rulebook(self.game, **self._parameters(number)) for number in chosen]

    def _parameters(self, number: int) -> dict[str, int | str]:
        values = {}
        for key, axis in self.axes.items():
            number, place = divmod(number, len(axis))
            values[key] = axis[place]
        return values


@dataclass(frozen=True)
class QuestionSet:
    name: str
    about: str
    uniform_at_most: Fraction
    families: tuple[Family, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of what decides its questions; of a game from elsewhere the name that the set has for it."""
        families = [
            [
                one.env,
                {key: list(axis) for key, axis in one.axes.items()},
                one.members,
                one.weight,
                str(one.kept_at_most),
            ]
            for one in self.families
        ]
        return hashlib.sha256(json.dumps([str(self.uniform_at_most), families]).encode()).hexdigest()


def set_names() -> list[str]:
    return sorted(file.stem for file in SETS.glob("*.toml"))


def set_of(book: RuleBook) -> QuestionSet:
    """The set of one game, whatever guessing earns there."""
    name = spelled(book.name, book.parameters, book.defaults)
    return QuestionSet(_plain(name), f"{book.title} alone", Fraction(1), (Family(name, book.name, {}, alone=book),))


def read_set(name: str) -> QuestionSet:
    """A set of configs/exams, or one in anybody's TOML file."""
    path = Path(name) if name.endswith(".toml") else SETS / f"{name}.toml"
    if not name.endswith(".toml") and name not in set_names():
        raise unknown("--set", "set of questions", name, set_names())
    table = read_toml(path, "name a set of questions", "a set names families, and what guessing may earn")
    for key in table:
        if key not in KEYS:
            raise unknown(str(path), "key", key, KEYS)
    about, families = table.get("about", ""), table.get("families")
    if not isinstance(about, str):
        raise Mistake(f"{path}: about is no text; write it in quotes")
    if not isinstance(families, list) or not families or not all(isinstance(block, dict) for block in families):
        raise Mistake(f"{path}: names no games; write them as [[families]] blocks")
    limit = _share(table.get("uniform_at_most", 1), f"{path}: uniform_at_most")
    read = tuple(_family(block, f"{path}: [[families]] block {n}", path) for n, block in enumerate(families, 1))
    return QuestionSet(_plain(path.stem), about, limit, read)


def _family(block: Mapping[str, Any], where: str, path: Path) -> Family:
    for key in block:
        if key not in FAMILY_KEYS:
            raise unknown(where, "key", key, FAMILY_KEYS)
    env, weight, members = block.get("env"), block.get("weight", 1), block.get("members")
    parameters = block.get("parameters", {})
    if not isinstance(env, str):
        raise Mistake(f'{where}: names no game; write env = "{rulebook_names()[0]}", for example')
    if type(weight) is not int or not 1 <= weight <= 10**6:
        raise Mistake(f"{where}: weight={weight} is no whole number from 1 to 1000000")
    if members is not None and (type(members) is not int or not 1 <= members <= MOST_MEMBERS):
        raise Mistake(f"{where}: members={members} is no whole number from 1 to {MOST_MEMBERS}")
    if not isinstance(parameters, dict):
        raise Mistake(f"{where}: parameters is no table; write parameters.target = [60], for example")
    axes = {key: _values(value, f"{where}: parameters.{key}") for key, value in parameters.items()}
    share = _share(block.get("kept_at_most", 1), f"{where}: kept_at_most")
    family = Family(env, _game(env, path), axes, members, weight, share)
    if members is None and family.size > MOST_MEMBERS:
        raise Mistake(f"{where}: {family.size:,} members; let the seed draw some, as in members = 10")
    try:
        make_rulebook(family.game, **{key: axis[0] for key, axis in axes.items()})
    except Mistake as mistake:
        raise Mistake(f"{where}: {mistake}") from None
    return family


def _values(value: Any, where: str) -> Sequence[int | str]:
    """A range as in "40-200", a list, or one value."""
    if isinstance(value, str) and (bounds := RANGE.fullmatch(value)):
        value = range(int(bounds[1]), int(bounds[2]) + 1)
    values = value if isinstance(value, list | range) else [value]
    if not 0 < len(values) <= MOST_VALUES:
        raise Mistake(f"{where}: {len(values)} values; name 1 to {MOST_VALUES:,}")
    if not all(isinstance(one, int | str) and not isinstance(one, bool) for one in values):
        raise Mistake(f"{where}: {value} holds what is no number and no text")
    return values


def _game(env: str, path: Path) -> str:
    """What `make_rulebook` takes: paths count from the set's own folder, then from that of the project."""
    if env in rulebook_names():
        return env
    for place in (path.parent / env, PROJECT / env):
        if place.is_file():
            return str(place)
    return env


def _share(value: Any, where: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise Mistake(f"{where}={value} is no share; write a number above 0 and up to 1, as in 0.15")
    return Fraction(str(value))


def _plain(name: str) -> str:
    """As it may stand in the id of a question."""
    return re.sub(r"[^A-Za-z0-9_.,=-]+", "_", name)[:80]
