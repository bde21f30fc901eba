"""Exact results agree with exact fractions and with games that are really played."""

from __future__ import annotations

import numpy as np
import pytest

from games import GameGraph, Mistake, Policy, compile_rulebook, make_rulebook
from solver import Result, optimal, versus, visitation
from solver import chain as chain_module
from solver import results as results_module
from tests.solver.oracles import versus_in_fractions
from tests.solver.random_graphs import graph_of, random_graph, random_policy


def check(result: Result, graph: GameGraph, first: Policy, second: Policy) -> None:
    win, loss, draw, plies = map(float, versus_in_fractions(graph, first, second))
    assert (result.win, result.loss, result.draw) == pytest.approx((win, loss, draw), abs=1e-12 + result.error)
    assert result.endless == pytest.approx(1 - win - loss - draw, abs=1e-12 + result.error)
    if win + loss + draw == 0:
        assert result.plies is None
    elif result.plies_error is not None:
        assert result.plies == pytest.approx(plies / (win + loss + draw), rel=1e-10, abs=1e-10 + result.plies_error)


def test_results_agree_with_exact_fractions_on_random_graphs() -> None:
    rng, endless, mixed = np.random.default_rng(0), 0, 0
    for _ in range(300):
        graph = random_graph(rng, 8, 3)
        first, second = random_policy(rng, graph), random_policy(rng, graph)
        result = versus(graph, first, second)
        check(result, graph, first, second)
        endless += result.endless > 0
        mixed += 0 < result.endless < 1
    assert endless > 20
    assert mixed > 5


@pytest.mark.parametrize("widest", [0.0, results_module.CLOSE])
def test_the_bound_of_a_huge_component_contains_the_exact_result(
    widest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain_module, "LARGEST", 0)
    monkeypatch.setattr(results_module, "CLOSE", widest)  # with 0 all is played ply by ply
    rng, bounded = np.random.default_rng(1), 0
    for _ in range(200):
        graph = random_graph(rng, 8, 3)
        if graph.ordered:
            continue
        first, second = random_policy(rng, graph), random_policy(rng, graph)
        result = versus(graph, first, second)
        assert result.error > 0
        check(result, graph, first, second)
        assert result.error < 1e-9 or widest == 0
        bounded += 1
    assert bounded > 100


def test_a_leak_of_1e_14_a_ply_still_ends_with_probability_1() -> None:
    graph = graph_of([[1, -3], [0, -3]])
    leaky = Policy(graph, [[1 - 1e-14, 1e-14], [1 - 1e-14, 1e-14]])
    result = versus(graph, leaky, leaky)
    assert result.endless == 0
    assert result.plies == pytest.approx(1e14, rel=1e-9)
    assert result.win == pytest.approx(0.5, abs=1e-12)


def test_results_agree_with_played_games(graph: GameGraph) -> None:
    rng, games = np.random.default_rng(3), 4_000
    first, second = Policy.uniform(graph), optimal(graph)
    wins = plies = 0
    result = versus(graph, first, second)
    for _ in range(games):
        state, seat = 0, 0
        while state >= 0:
            row = (first, second)[seat].probability[state]
            state = int(graph.next_state[state, np.searchsorted(row.cumsum(), rng.random() * row.sum(), side="right")])
            seat, plies = 1 - seat, plies + 1
        wins += (state == -2) == (seat == 1)  # who just moved is 1 - seat
    assert wins / games == pytest.approx(result.win, abs=0.05)
    assert plies / games == pytest.approx(result.plies, rel=0.06)


def test_visits_count_the_turns_of_both_seats(graph: GameGraph) -> None:
    met = visitation(graph, Policy.uniform(graph), Policy.uniform(graph))
    assert met.visits.sum() == pytest.approx(met.result.plies)
    assert met.share is not None
    assert met.share.sum() == 0
    assert met.visits[0, 0] >= 1 - 1e-12


def test_where_play_never_ends_visits_are_infinite_and_shares_are_halves() -> None:
    graph = graph_of([[1], [0]])
    met = visitation(graph, Policy.uniform(graph), Policy.uniform(graph))
    assert met.result == Result(0, 0, 0, 1, None)
    assert met.share is not None
    assert met.share.tolist() == [[0.5, 0], [0, 0.5]]
    assert np.isinf(met.visits).sum() == 2


def test_a_policy_for_another_graph_is_refused(graph: GameGraph) -> None:
    other = graph_of([[-2]])
    with pytest.raises(Mistake, match="another graph"):
        versus(graph, Policy.uniform(other), Policy.uniform(graph))


def test_what_can_be_neither_iterated_nor_factored_is_played_ply_by_ply(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("LARGEST", 0), ("FACTORED", 0), ("REFINED", 0)):
        monkeypatch.setattr(chain_module, name, value)
    monkeypatch.setattr(chain_module.Chain.solve, "__defaults__", (False, 0))
    graph = compile_rulebook(make_rulebook("seven-is-forbidden"))
    result = versus(graph, optimal(graph), Policy.uniform(graph))
    assert 0 < result.error < 1e-9
    check(result, graph, optimal(graph), Policy.uniform(graph))


def test_a_component_too_large_for_elimination_is_solved_to_within_a_billionth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chain_module, "LARGEST", 100)
    graph = compile_rulebook(make_rulebook("seven-is-forbidden", modulus=307))
    result = versus(graph, optimal(graph), Policy.uniform(graph))
    assert (result.win, result.endless) == (1.0, 0.0)
    assert result.error < 1e-9
    assert result.plies_error is not None
    assert result.plies_error < 1e-4
