"""Fixtures that run a test over every game, or over every game and its relatives."""

from __future__ import annotations

import signal

import pytest

from games import GameGraph, RuleBook, compile_rulebook
from tests.books import BOOKS, FAMILIES, label

# Whoever starts us in the background may have us ignore Ctrl-C; the programs that tests interrupt shall not inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=BOOKS, ids=label)
def book(request: pytest.FixtureRequest) -> RuleBook:
    """Each game, with the book's own numbers."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def graph(book: RuleBook) -> GameGraph:
    return compile_rulebook(book)


@pytest.fixture(params=FAMILIES, ids=label)
def relative(request: pytest.FixtureRequest) -> RuleBook:
    """Each game and several members of its family."""
    return request.param  # type: ignore[no-any-return]
