"""Three solvers agree: the fast one, a slow one, and the certificate; and the certificate misses nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games import GameGraph, Mistake, RuleBook, compile_rulebook
from solver import Solution, certify, optimal, scorecard, solve
from tests.solver.oracles import solved_by_layers
from tests.solver.random_graphs import graph_of, random_graph


def agree(graph: GameGraph) -> Solution:
    solution = solve(graph)
    value, remoteness = solved_by_layers(graph)
    assert (solution.value == value).all()
    assert (solution.remoteness == remoteness).all()
    assert certify(graph, solution) == []
    return solution


def test_three_solvers_agree_on_every_game_and_its_relatives(relative: RuleBook) -> None:
    agree(compile_rulebook(relative))


def test_three_solvers_agree_on_ten_thousand_random_graphs() -> None:
    rng, deep, cyclic = np.random.default_rng(0), 0, 0
    for _ in range(10_000):
        graph = random_graph(rng)
        deep += int(agree(graph).remoteness.max()) > 3
        cyclic += not graph.ordered
    assert deep > 10_000 / 3
    assert cyclic > 10_000 / 2


def test_a_self_loop_is_a_move_that_holds() -> None:
    assert solve(graph_of([[0, -3]])).value.tolist() == [0]


def test_a_position_without_a_move_is_lost_and_not_critical() -> None:
    solution = solve(graph_of([[1, -3], [-1, -1]]))
    assert solution.value.tolist() == [1, -1]
    assert solution.remoteness.tolist() == [1, 0]
    assert solution.critical.tolist() == [True, False]


def changed(solution: Solution, name: str, index: Any, to: Any) -> Solution:
    array = getattr(solution, name).copy()
    array[index] = to
    return replace(solution, **{name: array})


def test_every_single_wrong_number_and_bit_is_caught(graph: GameGraph) -> None:
    solution = solve(graph)
    for s in range(graph.num_states):
        for value in {-1, 0, 1} - {int(solution.value[s])}:
            assert certify(graph, changed(solution, "value", s, value))
        for more in (-2, -1, 1, 2):
            assert certify(graph, changed(solution, "remoteness", s, solution.remoteness[s] + more))
        assert certify(graph, changed(solution, "critical", s, not solution.critical[s]))
        for a in range(graph.num_actions):
            assert certify(graph, changed(solution, "keeps", (s, a), not solution.keeps[s, a]))


def test_no_remoteness_is_odd_enough_to_pass_for_another() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        graph = random_graph(rng)
        solution, end = solve(graph), graph.num_states + 1
        s = int(rng.integers(graph.num_states))
        for odd in {-(2**31), -end, -2, -1, 0, end - 1, end, end + 1, 2 * end, 2**31 - 1} - {
            int(solution.remoteness[s])
        }:
            for value in (-1, 0, 1):
                assert certify(graph, changed(changed(solution, "remoteness", s, odd), "value", s, value))


def test_a_circle_of_claims_does_not_support_itself() -> None:
    graph = graph_of([[1, -3], [0, -3]])
    claim = Solution(
        np.array([1, -1], dtype=np.int8),
        np.array([1, 0], dtype=np.int32),
        np.array([[True, False], [True, True]]),
        np.array([True, False]),
    )
    assert certify(graph, claim)


def test_a_wrong_shape_kind_or_value_is_a_fault(graph: GameGraph) -> None:
    solution = solve(graph)
    assert "shape" in certify(graph, replace(solution, value=solution.value[1:].copy()))[0]
    assert "float" in certify(graph, replace(solution, remoteness=solution.remoteness.astype(float)))[0]
    assert "value 2" in certify(graph, changed(solution, "value", 0, 2))[0]


def test_many_faults_are_counted_and_the_first_are_told(graph: GameGraph) -> None:
    solution = solve(graph)
    faults = certify(graph, replace(solution, remoteness=solution.remoteness - 7, critical=~solution.critical))
    assert len(faults) <= 21
    assert faults[0].startswith("state ")


def test_a_solution_survives_its_file(graph: GameGraph, tmp_path: Path) -> None:
    solve(graph).save(tmp_path / "solution.npz", graph)
    assert certify(graph, Solution.load(tmp_path / "solution.npz", graph)) == []


def test_a_corrupted_edge_is_caught_by_the_checksum_and_by_the_certificate_where_it_matters(tmp_path: Path) -> None:
    rng, noticed = np.random.default_rng(1), 0
    for _ in range(100):
        graph = random_graph(rng)
        solution = solve(graph)
        solution.save(tmp_path / "solution.npz", graph)
        rows = graph.next_state.copy()
        s, a = rng.integers(graph.num_states), rng.integers(graph.num_actions)
        rows[s, a] = rng.choice([other for other in range(-4, graph.num_states) if other != rows[s, a]])
        other = graph_of(rows.tolist())
        with pytest.raises(Mistake, match="make it anew"):
            Solution.load(tmp_path / "solution.npz", other)
        again = solve(other)
        same = all(
            (getattr(solution, k) == getattr(again, k)).all() for k in ("value", "remoteness", "keeps", "critical")
        )
        assert (certify(other, solution) == []) == same
        noticed += not same
    assert noticed > 50


def test_a_damaged_or_missing_file_is_a_mistake(graph: GameGraph, tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_bytes(b"no archive")
    for name, says in (("bad.npz", "not a solution file"), ("missing.npz", "cannot be read")):
        with pytest.raises(Mistake, match=says):
            Solution.load(tmp_path / name, graph)
    solution = solve(graph)
    for wrong in (solution.value[:-1], solution.value.astype(np.int16)):
        replace(solution, value=wrong).save(tmp_path / "wrong.npz", graph)
        with pytest.raises(Mistake, match="value is int"):
            Solution.load(tmp_path / "wrong.npz", graph)
    with pytest.raises(Mistake, match="cannot be written"):
        solve(graph).save(tmp_path / "no folder" / "x.npz", graph)


def test_optimal_is_perfect_on_random_graphs_with_cycles() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        graph = random_graph(rng, 12, 3)
        card = scorecard(graph, optimal(graph))
        assert card.perfect
        assert card.unexploitable
        assert card.exploitability == 0
