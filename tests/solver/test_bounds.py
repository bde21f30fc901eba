"""The check of bounds believes what is proved, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from games import GameGraph, Policy
from solver import best_response
from solver.bounds import Claim, find_faults
from tests.solver.random_graphs import cruel_policy, endless_graph, graph_of, random_policy, rung_ladder


def test_every_claim_of_a_best_response_is_proved_on_every_game(graph: GameGraph) -> None:
    rng = np.random.default_rng(0)
    for policy in (Policy.uniform(graph), random_policy(rng, graph), cruel_policy(rng, graph)):
        assert find_faults(graph, policy.probability, best_response(graph, policy).claim) == []


def test_a_bound_that_is_moved_towards_the_other_one_is_no_longer_proved() -> None:
    rng, refused = np.random.default_rng(1), 0
    for _ in range(200):
        graph = endless_graph(rng)
        policy = random_policy(rng, graph)
        claim = best_response(graph, policy).claim
        s = int(rng.integers(graph.num_states))
        for name, step in (("upper", -1e-9), ("lower", 1e-9), ("upper_reply", -1e-9), ("lower_reply", 1e-9)):
            moved = getattr(claim, name).copy()
            moved[s] += step
            changed = replace(claim, **{name: moved})
            faults = find_faults(graph, policy.probability, changed)
            # A bound on what nobody's value rests on may be wrong only where it is not the state itself that tells.
            assert faults
            assert any(f"state {s} " in fault for fault in faults)
            refused += 1
    assert refused == 800


def waiting() -> tuple[GameGraph, Policy]:
    """The responder at 0 waits (the policy at 1 passes back) or loses."""
    graph = graph_of([[1, -3], [0, -1]])
    return graph, Policy(graph, [[1, 0], [1, 0]])


@pytest.mark.parametrize("bound", [-1.0, -0.5, 0.5, 1.0])
def test_a_circle_of_claims_that_play_never_leaves_proves_nothing(bound: float) -> None:
    graph, policy = waiting()
    flat, ranks = np.full(2, bound), np.zeros(2, dtype=np.int64)
    ones = np.ones(2)
    upper = (flat, flat, -ones, -ones) if bound < 0 else (ones, ones, flat, flat)
    for rank in (ranks, np.array([0, 1]), np.array([1, 0]), np.array([-1, -1])):
        claim = Claim(*upper, np.array([0, 0]), rank, rank)
        faults = find_faults(graph, policy.probability, claim)
        assert any("for ever" in fault for fault in faults)


def test_a_bound_off_by_less_than_floats_can_tell_is_refused() -> None:
    graph = graph_of([[1, -1], [-2, -3]])
    policy = Policy(graph, [[1, 0], [0.1, 0.9]])
    exact = best_response(graph, policy).claim
    assert find_faults(graph, policy.probability, exact) == []
    p, q = (int(x * 2**60) for x in policy.probability[1].tolist())
    near = (q - p) / (p + q)
    claims = [
        replace(exact, upper=np.array([x, x]), upper_reply=np.array([x, x])) for x in (near, np.nextafter(near, -1))
    ]
    kept = [find_faults(graph, policy.probability, claim) == [] for claim in claims]
    assert kept[1] is False or kept[0] is False  # at most one of two neighbours is above the truth and near to it


def test_what_is_not_finite_is_refused() -> None:
    graph, policy = rung_ladder(3, 0.25, 0.5, 0.125)
    claim = best_response(graph, policy).claim
    for name, value in (("upper", np.nan), ("upper", -np.inf), ("lower", np.nan), ("lower", np.inf)):
        for end in ("", "_reply"):
            wrong = np.array(getattr(claim, name + end), dtype=np.float64)
            wrong[0] = value
            assert find_faults(graph, policy.probability, replace(claim, **{name + end: wrong}))


def test_a_response_that_is_against_the_rules_is_refused() -> None:
    graph, policy = waiting()
    claim = best_response(graph, policy).claim
    assert find_faults(graph, policy.probability, claim) == []
    for action in (-1, 2, 7):
        assert find_faults(graph, policy.probability, replace(claim, action=np.array([action, 0])))
