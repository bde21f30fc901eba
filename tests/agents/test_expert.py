"""Expert iteration: the search against a slow one and against the solver, and continuing bit for bit."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.expert import ExpertLearner
from agents.expert_kernels import search_states
from agents.settings import make_options
from base.arrays import packed
from games import GameGraph, Policy, RuleBook, compile_rulebook
from solver import solve
from training.loop import learn
from training.resolve import resolve

SMALL = {"games": 16, "plies": 4, "simulations": 10, "updates": 2, "batch": 64, "width": 16, "steps": 4096}


def learner(graph: GameGraph, seed: int = 0, **changes: Any) -> ExpertLearner:
    return ExpertLearner(make_options("expert-iteration", SMALL | changes), graph, seed)  # type: ignore[arg-type]


def search(graph: GameGraph, prior: Any, value: Any, simulations: int, noise: float = 0.25) -> tuple[Any, Any, Any]:
    roots = np.flatnonzero(graph.legal.any(axis=1))
    tried, worth = np.zeros((len(roots), graph.num_actions), dtype=np.int64), np.zeros(len(roots))
    table = graph.next_state, *graph.legal_actions
    search_states(roots, prior, value, *table, simulations, 1.5, noise, 0.9, tried, worth)
    return roots, tried, worth


def slow_search(graph: GameGraph, root: int, prior: Any, value: Any, simulations: int, noise: float) -> dict[int, int]:
    """PUCT once more, by recursion."""
    legal = [np.flatnonzero(row).tolist() for row in graph.legal]
    tried: dict[tuple[int, int], int] = {}
    gained: dict[tuple[int, int], float] = {}
    total: dict[int, int] = {}

    def descend(state: int, line: set[int]) -> float:
        """What the one to move in this state gets."""
        if state in line:
            return 0.0
        if state not in total:
            total[state] = 1 if state != root else 0
            if state != root:
                return float(value[state])

        def score(action: int) -> float:
            share = prior[state, action]
            if state == root:
                share = (1 - noise) * share + noise / len(legal[state])
            count = tried.get((state, action), 0)
            mean = gained[state, action] / count if count else 0.0
            return mean + 1.5 * sqrt(max(total[state], 1)) * share / (1 + count)

        action = max(legal[state], key=score)
        after = int(graph.outcome[state, action])
        result = {-2: 1.0, -3: -1.0}.get(after, 0.0) if after < 0 else -0.9 * descend(after, line | {state})
        gained[state, action] = gained.get((state, action), 0.0) + result
        tried[state, action] = tried.get((state, action), 0) + 1
        total[state] += 1
        return result

    for _ in range(simulations):
        descend(root, set())
    return {action: tried.get((root, action), 0) for action in legal[root]}


def test_the_search_is_the_slow_search(relative: RuleBook) -> None:
    graph, draw = compile_rulebook(relative), np.random.default_rng(0)
    prior, value = Policy.uniform(graph).probability * draw.random(graph.next_state.shape), draw.uniform(-1, 1, 10**4)
    roots, tried, worth = search(graph, prior, value, 60)
    for row in draw.permutation(len(roots))[:4].tolist():
        slow = slow_search(graph, int(roots[row]), prior, value, 60, 0.25)
        assert {action: int(tried[row, action]) for action in slow} == slow
    assert (tried.sum(axis=1) == 60).all()
    assert not tried[~graph.legal[roots]].any()
    assert (abs(worth) <= 1).all()


def test_a_search_that_is_told_the_truth_plays_perfectly(graph: GameGraph) -> None:
    solution = solve(graph)
    roots, tried, worth = search(graph, Policy.uniform(graph).probability, 0.9 * solution.value, 200)
    keeps = solution.keeps[roots, tried.argmax(axis=1)]
    assert keeps[solution.critical[roots]].all()
    assert (worth > 0)[solution.critical[roots] & (solution.value[roots] > 0)].all()


def test_every_relative_can_be_learned_and_only_legal_moves_are_played(relative: RuleBook) -> None:
    graph = compile_rulebook(relative)
    if not graph.legal[0].any():
        return
    one = learner(graph)
    for _ in range(5):
        assert one.advance(1) == 16 * 4
    assert not one.visits[~graph.legal].any()
    assert one.met.any()
    np.testing.assert_allclose(one.visits.sum(axis=1)[one.met], 1, atol=1e-6)
    assert one.policy().graph is graph


def test_continuing_after_a_restore_is_bit_for_bit_the_same(graph: GameGraph) -> None:
    whole = learner(graph)
    for _ in range(5):
        whole.advance(1)
    resumed = learner(graph)
    resumed.restore(whole.state())
    for _ in range(5):
        whole.advance(1)
        resumed.advance(1)
    assert packed(whole.state()) == packed(resumed.state())


def test_no_global_random_state_is_touched(graph: GameGraph) -> None:
    before = torch.get_rng_state(), np.random.get_state()[1]  # noqa: NPY002
    one = learner(graph)
    one.advance(1)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (np.random.get_state()[1] == before[1]).all()  # noqa: NPY002


def test_actor_and_critic_are_saved(graph: GameGraph, tmp_path: Path) -> None:
    from agents.weights import read

    files, facts = learner(graph).artifacts()
    assert 0 <= facts["illegal_share"] <= 1
    (tmp_path / "network.safetensors").write_bytes(files["network.safetensors"])
    tensors, _, view = read(tmp_path / "network.safetensors", graph)
    assert view == "onehot"
    assert {name.split(".")[0] for name in tensors} == {"actor", "critic"}


@pytest.mark.parametrize("small", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["small", "large"])
def test_expert_iteration_with_its_defaults_becomes_perfect(book: RuleBook, small: bool) -> None:
    graph = compile_rulebook(book)
    if (graph.num_states <= 100) == small:
        changes = {"until": "perfect", "evaluations": 40}
        record = learn(resolve(env=book.name, agent="expert-iteration", seed=0, changes=changes), graph)
        assert record.grades[-1].perfect


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_expert_iteration_is_perfect_at_the_end_of_its_budget(book: RuleBook, seed: int) -> None:
    record = learn(resolve(env=book.name, agent="expert-iteration", seed=seed), compile_rulebook(book))
    assert record.grades[-1].perfect
