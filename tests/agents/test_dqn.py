"""DQN: its target, its masks, the games it remembers, and continuing bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.dqn import DQNLearner
from agents.network import load_network
from agents.settings import make_options
from base.arrays import packed
from games import GameGraph, Mistake, RuleBook, compile_rulebook
from training.loop import learn
from training.resolve import resolve

SMALL = {"games": 16, "memory": 200, "warm_up": 32, "batch": 32, "width": 16, "target_every": 3, "steps": 4096}


def learner(graph: GameGraph, seed: int = 0, **changes: Any) -> DQNLearner:
    return DQNLearner(make_options("dqn", SMALL | changes), graph, seed)  # type: ignore[arg-type]


def test_a_move_is_worth_minus_the_best_legal_answer_to_it(graph: GameGraph) -> None:
    one = learner(graph, discount=0.9)
    with torch.no_grad():
        values = one.target().double().numpy()
    outcomes = np.unique(graph.outcome[graph.legal])
    for outcome, goal in zip(outcomes.tolist(), one.goals(outcomes.astype(np.int64)), strict=True):
        if outcome >= 0:
            expected = -0.9 * max(values[outcome, action] for action in np.flatnonzero(graph.legal[outcome]))
        else:
            expected = {-2: 1.0, -3: -1.0, -4: 0.0}[outcome]
        assert goal == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_what_it_remembers_are_legal_moves_and_where_they_led(relative: RuleBook, epsilon: float) -> None:
    graph = compile_rulebook(relative)
    if not graph.legal[0].any():
        return
    one = learner(graph, epsilon=epsilon, epsilon_end=epsilon)
    while one.done < 4 * len(one.memory):
        assert one.advance(1) == 16
    states, actions, outcomes = one.memory.T
    assert graph.legal[states, actions].all()
    assert (graph.outcome[states, actions] == outcomes).all()
    assert one.policy().graph is graph


def test_the_target_network_stands_still_between_renewals(graph: GameGraph) -> None:
    one = learner(graph, target_every=5)
    changed = []
    while one.updates < 15:
        before = packed({name: tensor.numpy() for name, tensor in one.target.state_dict().items()})
        updates = one.updates
        one.advance(1)
        if one.updates > updates:
            after = packed({name: tensor.numpy() for name, tensor in one.target.state_dict().items()})
            changed.append(after != before)
    assert changed == [number > 0 and number % 5 == 0 for number in range(15)]


def test_continuing_after_a_restore_is_bit_for_bit_the_same(graph: GameGraph) -> None:
    whole = learner(graph)
    for _ in range(20):
        whole.advance(1)
    resumed = learner(graph)
    resumed.restore(whole.state())
    for _ in range(20):
        whole.advance(1)
        resumed.advance(1)
    assert packed(whole.state()) == packed(resumed.state())


def test_no_global_random_state_is_touched(graph: GameGraph) -> None:
    before = torch.get_rng_state(), np.random.get_state()[1]  # noqa: NPY002
    one = learner(graph)
    for _ in range(5):
        one.advance(1)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (np.random.get_state()[1] == before[1]).all()  # noqa: NPY002


def test_its_network_is_saved_and_is_no_network_of_ppos(graph: GameGraph, tmp_path: Path) -> None:
    files, facts = learner(graph).artifacts()
    assert 0 <= facts["illegal_share"] <= 1
    (tmp_path / "network.safetensors").write_bytes(files["network.safetensors"])
    with pytest.raises(Mistake, match="no network of ours"):
        load_network(tmp_path, graph)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_dqn_with_its_defaults_is_perfect_at_the_end(book: RuleBook, seed: int) -> None:
    record = learn(resolve(env=book.name, agent="dqn", seed=seed), compile_rulebook(book))
    assert record.grades[-1].perfect


def test_dqn_learns_the_smallest_games_at_once() -> None:
    for game in ("avoid-the-seventh", "seven-is-forbidden"):
        settings = resolve(env=game, agent="dqn", seed=0, changes={"until": "perfect", "steps": "200000"})
        assert learn(settings, compile_rulebook(settings.book)).grades[-1].perfect
