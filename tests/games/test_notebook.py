"""What a notebook shows: a line or two as text, a small picture or table as HTML, and never a whole array."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from games import GameGraph, Mistake, Policy, compile_rulebook, make_rulebook
from games.notebook import WIDEST, map_html, shortened
from solver import scorecard, solve
from tests.books import BOOKS


def shown(graph: GameGraph) -> list[object]:
    policy = Policy.uniform(graph)
    return [graph, policy, Policy.greedy(graph, graph.legal), solve(graph), scorecard(graph, policy)]


def test_what_is_shown_of_anything_is_short_and_well_formed(graph: GameGraph) -> None:
    for thing in shown(graph):
        assert len(repr(thing).splitlines()) <= 10
        assert len(repr(thing)) < 1_000
        html = thing._repr_html_()  # type: ignore[attr-defined]
        ElementTree.fromstring(html)
        assert len(html) < 60_000


def test_a_large_game_is_shown_by_its_first_positions() -> None:
    graph = compile_rulebook(make_rulebook("number-flip", target=1_000))
    assert graph.num_states > WIDEST
    for thing in shown(graph)[:4]:
        html = thing._repr_html_()  # type: ignore[attr-defined]
        assert f'viewBox="0 0 {WIDEST} {graph.num_actions}"' in html
        assert f"the first {WIDEST:,} of {graph.num_states:,} positions" in html
        assert len(html) < 200_000


def test_the_map_covers_exactly_what_is_marked() -> None:
    marks = np.random.default_rng(0).integers(-1, 2, (40, 5))
    html = map_html("a map", marks, 40, [("no", "#000"), ("yes", "#fff")])
    for mark, (path,) in enumerate(zip(re.findall(r'd="(.*?)"', html), strict=True)):
        cells = set()
        for first, row, length in re.findall(r"M(\d+) (\d+)h(\d+)", path):
            cells |= {(int(first) + step, int(row)) for step in range(int(length))}
        assert cells == set(zip(*(axis.tolist() for axis in np.nonzero(marks == mark)), strict=True))


def test_a_policy_says_whether_it_draws_lots(graph: GameGraph) -> None:
    asked = int(graph.legal.any(axis=1).sum())
    assert f"one move in each of {asked} positions" in repr(Policy.greedy(graph, graph.legal))
    assert f"of {asked} positions>" in repr(Policy.uniform(graph))
    assert "mixed in" in repr(Policy.uniform(graph))


def test_a_scorecard_is_shown_in_words_and_as_a_table() -> None:
    graph = compile_rulebook(BOOKS[0])
    card = scorecard(graph, Policy.uniform(graph))
    assert f"{card.blunders} of {card.critical_states} critical positions" in repr(card)
    table = ElementTree.fromstring(card._repr_html_())
    assert len(table.findall("tbody/tr")) == sum(len(seats) for seats in card.versus.values())


def test_a_mistake_prints_no_whole_array() -> None:
    assert shortened(np.arange(5)) == "[0, 1, 2, 3, 4]"
    assert shortened(np.arange(900)).endswith("898, 899] (900 numbers)")
    assert len(str(Mistake(f"a game: action {list(range(100_000))} is not a whole number; say one"))) < 2_100
    graph = compile_rulebook(make_rulebook("fifty-wins", largest=40))
    with pytest.raises(Mistake, match=r"does not sum to 1: .*40 numbers") as mistake:
        Policy(graph, np.full(graph.next_state.shape, 1 / 30) * graph.legal)
    assert len(str(mistake.value)) < 500
