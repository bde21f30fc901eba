"""The members of a family, and how one policy or network plays each: exact to the last member."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.elsewhere import Network
from base.mistake import Mistake
from games import GameGraph, Policy, RuleBook, compile_rulebook
from games.columns import NotOnColumns
from games.find import with_parameters
from solver import certify, solve

MOST_MEMBERS = 100_000


@dataclass(frozen=True)
class Member:
    """How a policy plays one member."""

    size: int
    states: int
    critical: int
    blunders: int

    @property
    def share(self) -> float:
        return self.blunders / max(self.critical, 1)


def members_in(word: str) -> tuple[str, list[int]]:
    """The parameter and its values in a text such as target=200 or target=101-1000."""
    found = re.fullmatch(r"([a-z_]+)=(\d{1,9})(?:-(\d{1,9}))?", word)
    if found is None:
        raise Mistake(f"--on {word}: names no members; write target=200, or target=101-1000")
    first, last = int(found[2]), int(found[3] or found[2])
    if not first <= last < first + MOST_MEMBERS:
        raise Mistake(f"--on {word}: is no range of 1 to {MOST_MEMBERS:,} members; write the smaller number first")
    return found[1], list(range(first, last + 1))


@dataclass(frozen=True, eq=False)
class Board:
    """One member with its certified solution."""

    size: int
    graph: GameGraph
    keeps: NDArray[np.bool_]  # [S, A]
    critical: NDArray[np.int64]  # the critical states

    @staticmethod
    def of(graph: GameGraph, size: int) -> Board:
        solution = solve(graph)
        if wrong := certify(graph, solution):
            raise AssertionError(f"{graph.game} {dict(graph.parameters)}: the solution is not certified: {wrong[0]}")
        return Board(size, graph, solution.keeps, np.flatnonzero(solution.critical))

    def judge(self, policy: Policy) -> Member:
        bad = ((policy.probability[self.critical] > 0) & ~self.keeps[self.critical]).any(axis=1)
        return Member(self.size, self.graph.num_states, len(self.critical), int(bad.sum()))


def graphs(book: RuleBook, name: str, sizes: Sequence[int]) -> Iterator[GameGraph]:
    """Every member of the family of a book, in turn."""
    for size in sizes:
        yield compiled(with_parameters(type(book), **{**book.parameters, name: size}))


def judge_members(run: str, name: str, sizes: Sequence[int]) -> Iterator[Member]:
    """The network of a run on every member."""
    network = Network.of(run)
    for size, graph in zip(sizes, graphs(network.book(), name, sizes), strict=True):
        yield Board.of(graph, size).judge(network.policy(graph))


def compiled(book: RuleBook) -> GameGraph:
    """On columns also where a member is small: of a thousand members each counts."""
    try:
        return compile_rulebook(book, engine="columns")
    except NotOnColumns:
        return compile_rulebook(book)


def horizon(curve: Sequence[Member]) -> int | None:
    """The largest member up to which all are without a blunder; None where the first has one."""
    clean = None
    for member in curve:
        if member.blunders:
            break
        clean = member.size
    return clean
