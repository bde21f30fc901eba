"""The learner near the limit: perfect after at most three times as many plies as there are legal moves to try."""

from __future__ import annotations

import numpy as np
import pytest

from agents.settings import make_options
from agents.sweep_back import SweepBackLearner
from base.arrays import packed
from games import GameGraph, RuleBook, compile_rulebook
from solver import grade


def learner(graph: GameGraph, seed: int = 0) -> SweepBackLearner:
    return SweepBackLearner(make_options("sweep-back", {}), graph, seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("seeds", [range(5), pytest.param(range(30), marks=pytest.mark.slow)], ids=len)
def test_it_is_perfect_within_three_times_the_legal_pairs_and_stays_so(graph: GameGraph, seeds: range) -> None:
    pairs = int(graph.legal.sum())
    for seed in seeds:
        one = learner(graph, seed)
        one.advance(3 * pairs)
        for _ in range(5):
            assert grade(graph, one.policy()).perfect, seed
            one.advance(pairs)


def test_every_relative_is_learned_to_the_last_move(relative: RuleBook) -> None:
    graph = compile_rulebook(relative)
    if not graph.legal[0].any():
        return
    one = learner(graph)
    one.advance(20 * int(graph.legal.sum()))
    assert (one.tried == graph.legal).all()
    assert grade(graph, one.policy()).perfect


def test_it_plays_games_from_the_opening_and_nothing_else(graph: GameGraph) -> None:
    one, state = learner(graph), 0
    for _ in range(500):
        before = one.tried.copy()
        one.advance(1)
        for place, action in np.argwhere(one.tried & ~before).tolist():
            assert place == state  # what is new was tried where the game stood
            assert one.place[0] in (graph.next_state[state, action], -1)
        after = int(one.place[0])
        assert after < 0 or after in graph.next_state[state]
        state = 0 if after < 0 else after


def test_stopping_anywhere_changes_nothing(graph: GameGraph) -> None:
    whole, pieces = learner(graph, seed=3), learner(graph, seed=3)
    whole.advance(5000)
    for steps in (1, 2, 7, 490, 1500, 3000):
        saved = pieces.state()
        pieces = learner(graph, seed=99)
        pieces.restore(saved)
        assert pieces.advance(steps) == steps
    assert packed(whole.state()) == packed(pieces.state())


def test_seeds_explore_in_their_own_order(graph: GameGraph) -> None:
    orders = []
    for seed in range(2):
        one = learner(graph, seed)
        one.advance(20)
        orders.append(one.memory[:10].tolist())
    assert orders[0] != orders[1]
