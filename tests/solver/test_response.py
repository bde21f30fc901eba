"""The best response is the best: compared with every stationary deterministic one."""

from __future__ import annotations

import numpy as np
import pytest

from games import DRAW, MOVER_LOSES, GameGraph, Policy
from solver import best_response, chain, exploitability, optimal, scorecard, solve, versus
from solver.bounds import find_faults
from tests.solver.oracles import best_of_all_responses
from tests.solver.random_graphs import calls_of_sparse, graph_of, long_walk, random_graph, random_policy


def assert_nothing_is_better(graph: GameGraph, policy: Policy) -> None:
    response = best_response(graph, policy)
    value, reply = best_of_all_responses(graph, policy)
    assert response.value == pytest.approx([float(x) for x in value], abs=1e-11)
    assert response.reply == pytest.approx([float(x) for x in reply], abs=1e-11)


def test_the_best_response_equals_the_best_of_all_responses_on_random_graphs() -> None:
    rng, cyclic = np.random.default_rng(0), 0
    for _ in range(400):
        graph = random_graph(rng, 5, 2)
        policy = random_policy(rng, graph)
        assert_nothing_is_better(graph, policy)
        cyclic += graph.has_cycle
    assert cyclic > 200


def test_the_sparse_factorisation_finds_the_same_best_response(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "QUICK", 0)
    rng, sparse = np.random.default_rng(3), calls_of_sparse(monkeypatch)
    for _ in range(100):
        graph = random_graph(rng, 5, 2)
        policy = random_policy(rng, graph)
        assert_nothing_is_better(graph, policy)
    assert len(sparse) > 20


def test_in_a_component_too_large_to_eliminate_the_best_response_solves_its_equation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = long_walk(np.random.default_rng(4), 4 * chain.QUICK, [MOVER_LOSES, DRAW])
    policy, sparse = Policy.uniform(graph), calls_of_sparse(monkeypatch)
    response = best_response(graph, policy)
    assert sparse
    assert response.error < 1e-9
    assert find_faults(graph, policy.probability, response.claim) == []
    # Uniform play ends from everywhere, whatever the responder does: the equation has one solution only.
    ends = [0.0, -1.0, 1.0, -2.0]  # draw, mover loses, mover wins, illegal: verdicts index from behind
    after = np.append(response.reply, ends)[graph.next_state]
    assert response.value == pytest.approx(after.max(axis=1), abs=1e-11)
    after = np.append(response.value, np.negative(ends))[graph.next_state]
    assert response.reply == pytest.approx((policy.probability * after).sum(axis=1), abs=1e-11)


def test_the_action_of_a_response_earns_its_value() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        graph = random_graph(rng, 8, 3)
        policy = random_policy(rng, graph)
        response = best_response(graph, policy)
        answer = Policy.greedy(graph, np.arange(graph.num_actions) == response.action[:, None])
        played = versus(graph, answer, policy)
        assert played.win - played.loss == pytest.approx(response.first, abs=1e-10)
        played = versus(graph, policy, answer)
        assert played.loss - played.win == pytest.approx(response.second, abs=1e-10)


def test_waiting_for_ever_is_worth_nothing_although_a_gamble_looks_good_at_every_horizon() -> None:
    # At 0 the responder waits (to 1, where the policy passes back) or gambles at 2: it wins 1 in 4 and loses 3 in 4.
    graph = graph_of([[1, 2, -1, -1], [0, -1, -1, -1], [-3, -2, -2, -2]])
    quarter = Policy(graph, [[1, 0, 0, 0], [1, 0, 0, 0], [0.25] * 4])
    assert best_response(graph, quarter).value[0] == 0
    # And where the gamble is good it is taken, once, and is worth what it is worth: 3 of 4 won, 1 lost.
    good = Policy(graph, [[1, 0, 0, 0], [1, 0, 0, 0], [0.75, 0.25, 0, 0]])
    assert best_response(graph, good).value[0] == pytest.approx(0.5)


def test_value_iteration_from_zero_gambles_before_its_horizon_where_the_truth_is_nothing() -> None:
    # At 0 the responder waits (the policy at 3 passes back) or gambles: at 1 the policy loses at once (half) or goes on
    # to 2, from where the responder can only move to 4, where the policy wins. Cut off in between, it looks worth 0.5.
    graph = graph_of([[3, 1], [-3, 2], [4, 4], [0, 0], [-2, -2]])
    policy = Policy(graph, [[1, 0], [0.5, 0.5], [1, 0], [1, 0], [1, 0]])
    value = np.zeros(5)
    looks = []
    for _ in range(50):
        reply = [
            sum(
                p * (value[t] if t >= 0 else {-2: -1.0, -3: 1.0}[t])
                for p, t in zip(policy.probability[s], graph.next_state[s].tolist(), strict=True)
            )
            for s in range(5)
        ]
        value = np.array(
            [max(reply[t] if t >= 0 else {-2: 1.0, -3: -1.0}[t] for t in graph.next_state[s]) for s in range(5)]
        )
        looks.append(value[0])
    assert set(looks[1:]) == {0.5}
    assert best_response(graph, policy).value[0] == 0


def test_keeping_the_win_for_ever_without_winning_is_no_blunder_and_not_perfect() -> None:
    graph = graph_of([[1, -2], [0, 0]])
    waits = Policy(graph, [[1, 0], [1, 0]])
    assert solve(graph).keeps[0].all()
    card = scorecard(graph, waits)
    assert card.blunders == 0
    assert not card.perfect
    assert not card.unexploitable
    assert card.exploitability == 0.5
    assert scorecard(graph, optimal(graph)).perfect


def test_perfect_is_what_the_best_response_says_from_every_state() -> None:
    rng, perfect, held = np.random.default_rng(2), 0, 0
    for _ in range(500):
        graph = random_graph(rng, 6, 3)
        solution = solve(graph)
        weight = solution.keeps * (rng.random(graph.next_state.shape) < 0.5) + 1e-9 * solution.keeps * (
            rng.random() < 0.2
        )
        policy = Policy.greedy(graph, weight + solution.keeps)
        response, card = best_response(graph, policy), scorecard(graph, policy)
        gains = (response.value > solution.value + 1e-9).any() or (response.reply > -solution.value + 1e-9).any()
        assert card.perfect == (card.blunders == 0 and not gains)
        perfect += card.perfect
        held += card.blunders == 0 and not card.perfect
    assert perfect > 100
    assert held > 5


def test_uniform_play_gives_something_away_and_optimal_play_nothing(graph: GameGraph) -> None:
    assert 0 < exploitability(graph, Policy.uniform(graph)) <= 1
    assert exploitability(graph, optimal(graph)) == pytest.approx(0, abs=1e-12)
