"""The trembling game solves its own equation, and breaks ties that perfect play leaves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from games import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, GameGraph, Mistake, Policy
from solver import chain, optimal, tremble, versus
from solver.tremble_bounds import find_faults
from tests.solver.oracles import tremble_in_fractions
from tests.solver.random_graphs import (
    calls_of_sparse,
    endless_graph,
    graph_of,
    long_walk,
    random_graph,
    slips_in_a_row,
)


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


def hard_case(seed: int) -> tuple[GameGraph, float]:
    rng = np.random.default_rng(seed)
    epsilon = float(rng.choice([0.05, 0.05, 1e-3, 0.3, 1e-6]))
    if seed % 5 == 0:
        return slips_in_a_row(int(rng.integers(1, 9)), int(rng.choice([0, MOVER_LOSES, DRAW, ILLEGAL]))), epsilon
    return endless_graph(rng, 8) if seed % 2 else random_graph(rng, 8, 3), epsilon


def check(seed: int) -> bool:
    """Asserts that everything is right, in any order of states and moves; whether fractions had to decide."""
    graph, epsilon = hard_case(seed)
    shaken, exact = tremble(graph, epsilon), tremble_in_fractions(graph, epsilon)
    assert find_faults(graph, epsilon, shaken.claim) == []
    claim = zip(shaken.claim.lower.tolist(), exact, shaken.claim.upper.tolist(), strict=True)
    assert all(Fraction(low) <= truth <= Fraction(high) for low, truth, high in claim)
    assert shaken.error <= 1e-9
    assert shaken.value == pytest.approx([float(x) for x in exact], abs=1e-12)
    assert shaken.regret_error(graph) == 0
    held = tremble_in_fractions(graph, epsilon, shaken.action.tolist())
    assert [float(x) for x in held] == pytest.approx(shaken.value, abs=1e-9)
    order = np.random.default_rng(seed).permutation(graph.num_actions)
    assert tremble(graph_of(graph.next_state[:, order].tolist()), epsilon).value == pytest.approx(
        shaken.value, abs=1e-9
    )
    return shaken.claim.upper.dtype == object


def test_values_and_intentions_agree_with_exact_fractions_on_hard_cases() -> None:
    assert sum(map(check, range(60))) > 5


@pytest.mark.slow
def test_values_and_intentions_agree_with_exact_fractions_on_3_000_hard_cases() -> None:
    assert sum(map(check, range(1_000, 4_000))) > 300


@pytest.mark.parametrize("swapped", [False, True])
def test_eight_slips_in_a_row_decide_where_trying_costs_nothing(swapped: bool) -> None:
    graph = slips_in_a_row(8, MOVER_LOSES)
    if swapped:
        graph = graph_of(graph.next_state[:, ::-1].tolist())
    exact = float(tremble_in_fractions(graph, 0.05)[0])
    assert tremble(graph).value[0] == pytest.approx(exact, abs=1e-12)


def test_the_check_of_bounds_believes_what_is_proved_and_nothing_else(graph: GameGraph) -> None:
    claim = tremble(graph).claim
    assert find_faults(graph, 0.05, claim) == []
    rng = np.random.default_rng(2)
    for s in rng.integers(graph.num_states, size=3).tolist():
        for name, step in (("upper", -1e-9), ("lower", 1e-9)):
            moved = getattr(claim, name).copy()
            moved[s] += step
            assert any(f"state {s} " in x for x in find_faults(graph, 0.05, replace(claim, **{name: moved})))
        for rank in (-1, graph.num_states + 1, 0):
            ranks = claim.rank.copy()
            ranks[s] = rank
            same = ranks[s] == claim.rank[s] or graph.ordered  # any order of the states will do where there is no cycle
            assert same or rank > 0 or find_faults(graph, 0.05, replace(claim, rank=ranks))
    assert find_faults(graph, 0.05, replace(claim, upper=claim.upper[1:])) != []


def test_where_play_never_ends_a_claim_of_anything_else_is_refused() -> None:
    graph = graph_of([[1], [0]])
    claim = tremble(graph).claim
    assert find_faults(graph, 0.05, claim) == []
    for bound in (0.5, -0.5):
        for rank in ([0, 1], [1, 0], [-1, -1], [0, 0]):
            moved = np.full(2, bound)
            assert find_faults(graph, 0.05, replace(claim, upper=moved, lower=moved, rank=np.array(rank)))
