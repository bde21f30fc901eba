"""The learner that traces values back: every move is tried, and what is known is always what follows from them."""

from __future__ import annotations

import numpy as np
import pytest

from agents.settings import make_options
from agents.sweep_back import SweepBackLearner
from agents.trace_back import TraceBackLearner
from base.arrays import packed
from games import GameGraph, Mistake, RuleBook, compile_rulebook
from solver import grade


def learner(graph: GameGraph, seed: int = 0) -> TraceBackLearner:
    return TraceBackLearner(make_options("trace-back", {}), graph, seed)  # type: ignore[arg-type]


def test_it_is_perfect_once_every_move_was_tried_and_stays_so(graph: GameGraph) -> None:
    pairs = int(graph.legal.sum())
    one = learner(graph)
    one.advance(20 * pairs)
    assert (one.tried == graph.legal).all()
    for _ in range(3):
        assert grade(graph, one.policy()).perfect
        one.advance(pairs)


def test_every_relative_is_learned_to_the_last_move(relative: RuleBook) -> None:
    graph = compile_rulebook(relative)
    if not graph.legal[0].any():
        return
    one = learner(graph)
    one.advance(40 * int(graph.legal.sum()))
    assert (one.tried == graph.legal).all()
    assert grade(graph, one.policy()).perfect


def test_it_knows_what_sweeping_over_all_that_was_tried_says(graph: GameGraph) -> None:
    """At any time: the values are those to which Q-learning over the tried moves comes, swept until none changes."""
    from agents.sweep_back_kernels import explore

    one = learner(graph, seed=5)
    for steps in (30, 300, 2000):
        one.advance(steps)
        other = SweepBackLearner(make_options("sweep-back", {}), graph, 0)  # type: ignore[arg-type]
        pairs = np.argwhere(one.tried)
        other.memory[: len(pairs)], other.place[2] = pairs, len(pairs)
        other.tried[:] = one.tried
        other.untried[:] = one.untried
        while other.place[3] != other.place[2] or other.place[0] >= 0:  # to the end of a game, where it sweeps
            explore(
                *(other.q, other.best, other.far, other.untried, other.tried, other.memory, other.place),
                *(other.generator, graph.next_state, other.legal_count, other.legal_action, 0.99, other.longest, 1),
            )
        fresh = other.tried & ~one.tried
        for state, action in np.argwhere(fresh).tolist():
            one_more(one, state, action)
        assert (one.q == other.q).all()


def one_more(one: TraceBackLearner, state: int, action: int) -> None:
    from agents.trace_back_kernels import learn

    learn(*one._memory(), one.links, one.work, one._rules(), one.discount, state, action)
    one.place[2] += 1


def test_stopping_anywhere_changes_nothing(graph: GameGraph) -> None:
    whole, pieces = learner(graph, seed=3), learner(graph, seed=3)
    whole.advance(5000)
    for steps in (1, 2, 7, 490, 1500, 3000):
        saved = pieces.state()
        pieces = learner(graph, seed=99)
        pieces.restore(saved)
        assert pieces.advance(steps) == steps
    assert packed(whole.state()) == packed(pieces.state())
    assert (whole.q == pieces.q).all()
    assert (whole.best == pieces.best).all()


def test_a_damaged_state_is_refused(graph: GameGraph) -> None:
    one = learner(graph)
    one.advance(100)
    for name, value in {"place": np.array([len(one.q), 0, 0]), "far": one.far - 1000}.items():
        with pytest.raises(Mistake):
            learner(graph).restore(one.state() | {name: value})
