"""Slabs: every row once, in order, whatever the number of cores."""

from __future__ import annotations

import numpy as np
import pytest

from base import slabs
from base.slabs import AHEAD, each_slab
from games import compile_rulebook, grid, make_rulebook
from solver import certify, solve, values


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_every_row_is_worked_on_once_and_answers_come_in_order(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(slabs, "cores", lambda: cores)
    rows = np.zeros(1_003, dtype=int)

    def work(part: slice) -> int:
        rows[part] += 1
        return part.start

    assert list(each_slab(work, len(rows), 10)) == list(range(0, 1_003, 10))
    assert (rows == 1).all()


def test_what_goes_wrong_in_a_slab_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slabs, "cores", lambda: 3)
    with pytest.raises(ZeroDivisionError):
        list(each_slab(lambda part: 1 // (part.start - 50), 100, 10))


def test_no_more_slabs_are_begun_than_somebody_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slabs, "cores", lambda: 2)
    begun: list[int] = []
    answers = each_slab(lambda part: begun.append(part.start), 10_000, 1)
    next(answers)
    answers.close()
    assert len(begun) <= 2 * AHEAD


GAMES = [("fifty-wins", 9_000), ("number-flip", 2_000), ("seven-is-forbidden", 0), ("sequence-duel", 0)]


@pytest.mark.parametrize(("name", "target"), GAMES)
def test_many_cores_give_the_bytes_of_one(monkeypatch: pytest.MonkeyPatch, name: str, target: int) -> None:
    book = make_rulebook(name, target=target) if target else make_rulebook(name)
    monkeypatch.setattr(grid, "GRID", 1 << 10)
    monkeypatch.setattr(grid, "BLOCK", 1 << 8)
    monkeypatch.setattr(values, "SLAB", 1 << 7)
    made = []
    for cores in (1, 4):
        monkeypatch.setattr(slabs, "cores", lambda cores=cores: cores)
        graph = compile_rulebook(book, engine="columns")
        solution = solve(graph)
        assert certify(graph, solution) == []
        made.append([graph.positions, graph.next_state, *(getattr(solution, array) for array in values.ARRAYS)])
    assert all((one == many).all() for one, many in zip(*made, strict=True))
