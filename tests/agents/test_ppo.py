"""PPO: the sign of the return, the network's numbers, the games it plays, and going on bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import optimal
from agents.ppo import PPOLearner, StatePolicy, load_network
from agents.settings import make_options
from agents.weights import packed
from envs.selfplay import Duel
from games import GameGraph, Mistake, Policy, RuleBook, compile_rulebook, make_rulebook, observe
from training.loop import learn
from training.resolve import resolve

SMALL = {"games": 64, "plies": 8, "batch": 128, "steps": 4096, "width": 16}


def learner(graph: GameGraph, seed: int = 0, **changes: Any) -> PPOLearner:
    return PPOLearner(make_options("ppo", SMALL | changes), graph, seed)  # type: ignore[arg-type]


def test_the_pool_holds_the_newest_selves_beside_uniform_play(graph: GameGraph) -> None:
    one = learner(graph, opponent="pool", pool=2, steps=64 * 8 * 12)
    joined = []
    for _ in range(9):
        before = one._stochastic()
        one.advance(1)
        assert isinstance(one.env, Duel)
        if int(one.env.joined[0]) > len(joined):
            joined.append(before)
    assert len(joined) == 3  # every 12 // (2 × 2) rollouts
    expected = np.array([Policy.uniform(graph).probability, joined[2], joined[1]])
    np.testing.assert_allclose(one.env.members, expected, atol=1e-12)


def test_training_against_a_saved_run_plays_that_run(graph: GameGraph, tmp_path: Path) -> None:
    optimal(graph).save(tmp_path / "policy.npz")
    env = learner(graph, opponent=str(tmp_path)).env
    assert isinstance(env, Duel)
    np.testing.assert_array_equal(env.members, optimal(graph).probability[None])
    other = compile_rulebook(make_rulebook("fifty-wins", target=7))
    with pytest.raises(Mistake, match="not fifty-wins as chosen"):
        learner(other, opponent=str(tmp_path))


@pytest.mark.parametrize("opponent", ["self", "pool"])
def test_going_on_after_a_restore_is_bit_for_bit_the_same(graph: GameGraph, opponent: str) -> None:
    whole = learner(graph, opponent=opponent)
    for _ in range(3):
        whole.advance(1)
    saved = whole.state()
    for _ in range(3):
        whole.advance(1)
    resumed = learner(graph, seed=99, opponent=opponent)
    resumed.restore(saved)
    for _ in range(3):
        resumed.advance(1)
    mine, theirs = whole.state(), resumed.state()
    assert mine.keys() == theirs.keys()
    for key in mine:
        np.testing.assert_array_equal(np.asarray(mine[key]), np.asarray(theirs[key]), err_msg=key)


def test_the_judged_policy_is_greedy_and_carries_the_stochastic_one(graph: GameGraph) -> None:
    policy = learner(graph).policy()
    stochastic = policy.extra["stochastic"]
    playable = graph.legal.any(axis=1)
    assert ((policy.probability == 1).sum(axis=1) == playable).all()
    np.testing.assert_allclose(stochastic.sum(axis=1), playable, atol=1e-9)
    assert (stochastic[~graph.legal] == 0).all()
    assert (stochastic.argmax(axis=1) == policy.probability.argmax(axis=1))[playable].all()


def test_each_view_of_a_position_feeds_the_network(graph: GameGraph) -> None:
    for view in ("onehot", "binary", "digits", "scalar"):
        network = learner(graph, observation=view).network
        assert isinstance(network, StatePolicy)
        np.testing.assert_array_equal(network.seen.numpy(), observe(graph, view))


def test_the_bare_networks_illegal_moves_are_told() -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    illegal = learner(graph).policy().extra["illegal"]
    assert illegal[0] == 0  # everything is legal at the start
    assert (illegal[1:] > 0).all()
    logits = learner(graph).network.logits().detach().double().numpy()
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(illegal, (shares * ~graph.legal).sum(axis=1), atol=1e-9)


def test_a_saved_network_plays_as_it_did_and_is_refused_for_another_game(graph: GameGraph, tmp_path: Path) -> None:
    one = learner(graph, layers=2, observation="binary")
    weights = {k.removeprefix("network."): v for k, v in one.state().items() if k.startswith("network.")}
    file = tmp_path / "network.safetensors"
    file.write_bytes(packed(weights, graph, "binary"))
    assert len({packed(weights, graph, "binary") for _ in range(9)}) == 1
    for known in (graph, None):
        loaded = load_network(tmp_path, known).log_probabilities()
        assert torch.equal(loaded, one.network.log_probabilities())
    other = compile_rulebook(make_rulebook("fifty-wins", target=7))
    with pytest.raises(Mistake, match=f"a network for {graph.game} .*not for this fifty-wins"):
        load_network(file, other)
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(Mistake, match="not a network file"):
        load_network(file, graph)


def test_a_batch_larger_than_a_rollout_is_refused(graph: GameGraph) -> None:
    with pytest.raises(Mistake, match="batch=100000 is more than games × plies"):
        learner(graph, batch=100_000)


def test_ppo_with_its_defaults_becomes_perfect(book: RuleBook) -> None:
    settings = resolve(env=book.name, agent="ppo", seed=0, changes={"until": "perfect"})
    record = learn(settings, compile_rulebook(book))
    assert record.grades[-1].perfect, f"{record.grades[-1].blunders} blunders after {record.steps[-1]} steps"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_ppo_is_perfect_at_the_end_of_its_budget(book: RuleBook, seed: int) -> None:
    record = learn(resolve(env=book.name, agent="ppo", seed=seed), compile_rulebook(book))
    assert record.grades[-1].perfect


def test_without_the_sign_flip_both_sides_want_the_same_and_nothing_is_learned() -> None:
    changes = {"until": "perfect", "steps": "300000", "sign_flip": "false"}
    settings = resolve(env="fifty-wins", agent="ppo", seed=0, changes=changes)
    graph = compile_rulebook(make_rulebook("fifty-wins"))
    assert learn(settings, graph).grades[-1].blunders > 10
