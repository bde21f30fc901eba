"""Columns answer as ints do, or refuse: never a third thing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import RuleBook, compile_rulebook
from games.columns import Column, NotOnColumns, run

RULES: dict[str, Any] = {
    "nested if": lambda a, b: (1 if b > 2 else 2) if a > b else (3 if a == b else 4),
    "and, or, not": lambda a, b: 1 if (a > 1 and not b > 3) or a == b == 0 else 0,
    "arithmetic": lambda a, b: (a * 7 - b) % 5 + (a - 9) // 4 + abs(b - a) - -a,
    "reflected": lambda a, b: 100 - a + 7 % (b + 1) + 50 // (a + 1) + 3 * b,
    "min and max": lambda a, b: min(a, b) * 10 + max(a, 3, b),
    "in": lambda a, b: 1 if a in (1, 2, b) else 0,
    "chained": lambda a, b: 1 if 0 < a < b <= 4 else 0,
    "comparisons counted": lambda a, b: (a > 1) + (b > 3),
    "comparisons in arithmetic": lambda a, b: -(a < 4) - (b > 3) * 7 + abs(a == b),
    "truth of a number": lambda a, b: 5 if a - b else 6,
    "negative modulus": lambda a, b: (a - 5) % -(b + 1),
    "while": lambda a, b: next(n for n in range(30) if n * n >= a + b),
}


def answers(rule: Any, columns: list[Any], sizes: list[int]) -> list[Any]:
    answer = np.full(np.broadcast_shapes(*(column.shape for column in columns)), -(10**6), dtype=np.int32)
    run(rule, columns, sizes, lambda outcome: outcome.values if isinstance(outcome, Column) else outcome, answer)
    found: list[Any] = answer.tolist()
    return found


@pytest.mark.parametrize("name", RULES)
@settings(deadline=None)  # a busy machine is no fault of a rule
@given(rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=60))
def test_a_rule_on_columns_answers_as_on_ints(name: str, rows: list[tuple[int, int]]) -> None:
    rule = RULES[name]
    columns = list(np.array(rows, dtype=np.int32).T)
    assert answers(rule, columns, [10, 10]) == [rule(a, b) for a, b in rows]


@pytest.mark.parametrize("name", RULES)
@settings(deadline=None)
@given(a=st.lists(st.integers(0, 9), min_size=1, max_size=9), b=st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_a_rule_on_a_grid_answers_as_on_ints(name: str, a: list[int], b: list[int]) -> None:
    rule = RULES[name]
    columns = [np.array(a, dtype=np.int32)[:, None], np.array(b, dtype=np.int32)[None, :]]
    assert answers(rule, columns, [10, 10]) == [[rule(x, y) for y in b] for x in a]


def test_an_if_on_one_field_is_asked_twice_and_no_more_however_long_the_other() -> None:
    asked: list[int] = []

    def rule(a: Any, b: Any) -> Any:
        asked.append(b.values.size)
        return b + 1 if a > 3 else b

    answers(rule, [np.arange(9, dtype=np.int32)[:, None], np.arange(500, dtype=np.int32)[None, :]], [9, 500])
    assert asked == [500, 500, 500]


REFUSED: dict[str, Any] = {
    "str": lambda a: str(a),
    "format": lambda a: f"{a}",
    "int": lambda a: int(a),
    "index": lambda a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10][a],
    "range": lambda a: list(range(a)),
    "hash": lambda a: {1: 2}.get(a),
    "iter": lambda a: list(a),
    "len": lambda a: len(a),
    "power": lambda a: 2**a,
    "true division": lambda a: a / 2,
    "shift": lambda a: a << 3,
    "float": lambda a: a + 0.5,
    "overflow": lambda a: a * 2**62,
    "overflow below": lambda a: -(2**62) - a * 2**62,
    "zero": lambda a: 7 // a,
    "zero modulus": lambda a: 7 % a,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_columns_cannot_do_as_ints_do_is_refused(name: str) -> None:
    with pytest.raises(NotOnColumns):
        answers(REFUSED[name], [np.arange(10, dtype=np.int32)], [10])


def test_numbers_past_32_bits_are_exact() -> None:
    values = np.arange(1000, dtype=np.int32)
    told = answers(lambda a: a * 10**15 % 999_999_999_989 // 700, [values], [1000])
    assert told == [a * 10**15 % 999_999_999_989 // 700 for a in range(1000)]


def test_no_book_falls_back_to_ints(relative: RuleBook) -> None:
    compile_rulebook(relative, engine="columns")
