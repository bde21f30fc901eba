"""What the name of a game means: a book of the folder, a path to anyone's rule book, or a path to a game file."""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any, get_type_hints

from base.command import pairs
from base.mistake import Mistake, unknown
from base.reading import read_bytes
from games.gamefile import StoredGame, is_game_file, read_game
from games.rulebook import RuleBook

BOOKS = Path(__file__).parent / "books"  # the registry
LARGEST_FILE = 1 << 24  # bytes of a rule book
LONGEST_NUMBER = 18  # digits of a parameter
KINDS = "a name, a rule book (.py, run as your own code), or a game file (never executed)"


class NoSuchParameter(Mistake, TypeError):
    """A keyword argument that nobody takes: a TypeError too, for whoever tries which ones an env knows."""


def rulebook_names() -> list[str]:
    """The names of all games in the folder of the rule books: each file there is one."""
    return sorted(file.stem.replace("_", "-") for file in BOOKS.glob("[!_]*.py"))


def make_rulebook(name: str, /, **parameters: Any) -> RuleBook:
    """The game that a name or a path means, with parameters of its family; a `.py` file is executed.

    What is not given is the book's own.
    """
    if not isinstance(name, str):
        raise unknown("games", "game", name, rulebook_names())
    if name in rulebook_names():
        return rulebook_of_folder(name, **parameters)
    path = Path(name)
    there = os.path.isfile(path)  # which takes a name of any length
    if not (there or path.suffix in (".py", ".game") or "/" in name or "\\" in name):
        raise unknown("games", "game", name, rulebook_names())
    if path.suffix != ".py" and (not there or is_game_file(path)):
        if parameters:
            what = f"{path}: {', '.join(parameters)}"
            raise NoSuchParameter(f"{what}: a game file holds one game, and takes no parameters")
        return read_game(path)
    return with_parameters(rulebook_class_from_file(path), **parameters)


def rulebook_of_folder(name: str, /, **parameters: Any) -> RuleBook:
    """The game of that name in the folder: nothing else is executed, so the name may come from a file on disk."""
    return with_parameters(rulebook_class(name), **parameters)


def rulebook_on_disk(name: str, parameters: dict[str, Any], checksum: str, folder: Path) -> RuleBook:
    """The game that a file in `folder` was made for: the game file of that checksum beside it, or a book of the folder.

    Nothing is executed but the project's own books.
    """
    carried = folder / carried_name(checksum)
    if checksum and carried.is_file():
        book = read_game(carried)
        if book.graph.checksum != checksum:
            raise Mistake(f"{carried}: holds another game than its name says; copy the game file there again")
        return book
    if checksum and name not in rulebook_names():
        raise Mistake(f"{carried}: missing; what lies there was made for {name}, a game that came from elsewhere")
    return rulebook_of_folder(name, **parameters)


def carried_name(checksum: str) -> str:
    """The name of the game file that lies beside what was made for a game from elsewhere."""
    return f"{checksum[:16]}.game"


def carried_file(book: RuleBook) -> dict[str, bytes]:
    """The game file, by its name, that goes with whatever is written about a game from elsewhere; else nothing."""
    return dict([_stored(book)]) if book.is_foreign else {}


@lru_cache(maxsize=2)  # runs of one game follow each other, and a large game takes long to pack
def _stored(book: RuleBook) -> tuple[str, bytes]:
    from games.graph import shared_graph

    stored = StoredGame.of(shared_graph(book))
    return carried_name(stored.graph.checksum), stored.content


def rulebook_class(name: str) -> type[RuleBook]:
    if name not in rulebook_names():
        raise unknown("games", "game", name, rulebook_names())
    return _only_rulebook(importlib.import_module(f"games.books.{name.replace('-', '_')}"))


def rulebook_class_from_file(path: Path) -> type[RuleBook]:
    """The rule book in anyone's file; the file is executed, as any Python file that one runs."""
    content = read_bytes(path, LARGEST_FILE, f"name a game: {KINDS}")
    return _executed(path.resolve(), hashlib.sha256(content).hexdigest())


@lru_cache(maxsize=64)
def _executed(path: Path, digest: str) -> type[RuleBook]:
    """Executed once for each content, so that equal books of one file are equal."""
    spec = importlib.util.spec_from_file_location(f"rulebook_file_{path.stem}_{digest[:16]}", path)
    if spec is None or spec.loader is None:
        raise Mistake(f"{path}: neither a Python file nor a game file; name a game: {KINDS}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its annotations up there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise Mistake(f"{path}: cannot be imported ({type(error).__name__}: {error})") from error
    book = _only_rulebook(module)
    book.file = str(path)
    return book


def with_parameters(book: type[RuleBook], /, **parameters: Any) -> RuleBook:
    """A book of that class; a parameter may also come as text, as it does from a command line."""
    known = {field.name: get_type_hints(book)[field.name] for field in fields(book)}
    for key, value in parameters.items():
        if key not in known:
            raise NoSuchParameter(unknown(book().name, "parameter", key, known))
        if known[key] is int and isinstance(value, str) and re.fullmatch(r"[+-]?\d+", value.strip()):
            if (digits := len(value.strip().lstrip("+-0"))) > LONGEST_NUMBER:
                raise Mistake(f"{book().name}: {key} has {digits} digits; take at most {LONGEST_NUMBER}")
            parameters[key] = int(value)
        elif isinstance(value, int) and abs(value) >= 10**LONGEST_NUMBER:  # from a file
            raise Mistake(f"{book().name}: {key} has more than {LONGEST_NUMBER} digits; take fewer")
    return book(**parameters)


def _only_rulebook(module: Any) -> type[RuleBook]:
    books = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, RuleBook) and thing.__module__ == module.__name__
    ]
    if len(books) != 1:
        raise Mistake(f"{module.__file__}: holds {len(books)} RuleBook classes; a rule book's file holds exactly one")
    return books[0]


def add_game_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", metavar="GAME", help=f"the game: {KINDS}; the names: {', '.join(rulebook_names())}")
    parser.add_argument(
        "--param", metavar="KEY=VALUE", action="append", default=[], help="a parameter of its family, as in target=200"
    )


def chosen_rulebook(args: argparse.Namespace) -> RuleBook:
    """The rule book that --env and --param name."""
    if args.env is None:
        raise Mistake(f"--env is missing: name a game ({', '.join(rulebook_names())})")
    return make_rulebook(args.env, **parameters(args.param))


def parameters(words: Sequence[str]) -> dict[str, str]:
    """What --param gave."""
    return pairs(words, "--param", "target=200")
