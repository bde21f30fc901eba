"""The trembling game solves its own equation, and breaks ties that perfect play leaves."""

from __future__ import annotations

import numpy as np
import pytest

from games import DRAW, MOVER_LOSES, MOVER_WINS, GameGraph, Mistake, Policy
from solver import chain, optimal, tremble, versus
from tests.solver.random_graphs import calls_of_sparse, graph_of, long_walk, random_graph


def after_one_ply(graph: GameGraph, value: np.ndarray, epsilon: float) -> np.ndarray:
    """[S]: best intended move, told by a plain loop."""
    new = np.full(graph.num_states, -1.0)
    for s in range(graph.num_states):
        ends = {int(MOVER_WINS): 1.0, int(MOVER_LOSES): -1.0, int(DRAW): 0.0}
        worth = [-value[t] if t >= 0 else ends[t] for t in graph.next_state[s][graph.legal[s]].tolist()]
        if worth:
            new[s] = (1 - epsilon) * max(worth) + epsilon * sum(worth) / len(worth)
    return new


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
def test_the_value_solves_its_equation_on_random_graphs(epsilon: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        graph = random_graph(rng, 12, 3)
        value = tremble(graph, epsilon).value
        assert value == pytest.approx(after_one_ply(graph, value, epsilon), abs=1e-10)
        slow = np.zeros(graph.num_states)
        for _ in range(300):
            slow = after_one_ply(graph, slow, epsilon)
        if np.abs(after_one_ply(graph, slow, epsilon) - slow).max() < 1e-9:  # it has settled, from zero
            assert value == pytest.approx(slow, abs=1e-5)


def test_the_sparse_factorisation_finds_the_same_value(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, sparse = np.random.default_rng(1), calls_of_sparse(monkeypatch)
    for _ in range(100):
        graph = random_graph(rng)
        eliminated = tremble(graph)
        with monkeypatch.context() as patch:
            patch.setattr(chain, "QUICK", 0)
            factored = tremble(graph)
        assert factored.value == pytest.approx(eliminated.value, abs=1e-10)
        assert (factored.action == eliminated.action).all()
    assert len(sparse) > 50


def test_in_a_component_too_large_to_eliminate_the_value_solves_its_equation(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, sparse = long_walk(np.random.default_rng(4), chain.QUICK + 1), calls_of_sparse(monkeypatch)
    value = tremble(graph, 0.3).value
    assert sparse
    assert value == pytest.approx(after_one_ply(graph, value, 0.3), abs=1e-10)


def test_the_value_is_what_trembling_hands_get(graph: GameGraph) -> None:
    shaken = tremble(graph)
    hand = 0.95 * shaken.policy(graph).probability + 0.05 * Policy.uniform(graph).probability
    result = versus(graph, Policy(graph, hand), Policy(graph, hand))
    assert result.win - result.loss == pytest.approx(shaken.value[0], abs=1e-9)


def test_the_reference_regrets_nothing_and_uniform_play_regrets_more_than_optimal_play(graph: GameGraph) -> None:
    shaken = tremble(graph)
    assert shaken.regret(graph, shaken.policy(graph)) == pytest.approx(0, abs=1e-12)
    assert 0 <= shaken.regret(graph, optimal(graph)) < shaken.regret(graph, Policy.uniform(graph))


def test_where_no_end_can_be_reached_the_value_is_0() -> None:
    assert tremble(graph_of([[1], [0]])).value.tolist() == [0, 0]


@pytest.mark.parametrize("epsilon", [0.0, -0.1, 1.5, float("nan")])
def test_an_epsilon_that_is_no_probability_is_refused(graph: GameGraph, epsilon: float) -> None:
    with pytest.raises(Mistake, match="epsilon"):
        tremble(graph, epsilon)
