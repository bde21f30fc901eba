"""The games there are, some members of each family, and what a missing program means to a test."""

from __future__ import annotations

import os
import shutil
from importlib import import_module
from typing import Any

import pytest

from games import RuleBook, make_rulebook, rulebook_names

# Smaller, larger and odder relatives of each book, by the names of their parameters: none by the name of a game.
RELATIVES: list[dict[str, Any]] = [
    {"target": 1},
    {"target": 7, "largest": 3},
    {"target": 23, "largest": 1},
    {"target": 120, "largest": 12},
    {"modulus": 2},
    {"modulus": 5, "largest": 9},
    {"modulus": 12, "base": 4},
    {"modulus": 11, "base": 2},
    {"draw_at": 60},
    {"limit": 1},
    {"limit": 4, "largest": 2},
    {"limit": 6, "window": 2, "modulus": 5},
    {"limit": 6, "window": 4, "largest": 4},
    {"limit_loser": "next"},
    {"limit": 5, "largest": 1},
    {"repeats": "allowed"},
]


def family(name: str) -> list[RuleBook]:
    """The book itself and its relatives."""
    book = make_rulebook(name)
    fitting = [given for given in RELATIVES if set(given) <= set(book.parameters)]
    return [book, *(make_rulebook(name, **given) for given in fitting)]


def label(book: RuleBook) -> str:
    own = type(book)()
    return ",".join([book.name, *(f"{k}={v}" for k, v in book.parameters.items() if v != own.parameters[k])])


BOOKS = [make_rulebook(name) for name in rulebook_names()]
FAMILIES = [book for name in rulebook_names() for book in family(name)]


def need(program: str) -> str:
    """The path of a program: without it a test is skipped, and fails where CI runs."""
    path = shutil.which(program)
    if path is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{program} is not installed")
    return path


def need_module(name: str) -> Any:
    """The module of an extra: without it a test is skipped, and fails where CI runs."""
    try:
        return import_module(name)
    except ImportError:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{name} is not installed")
