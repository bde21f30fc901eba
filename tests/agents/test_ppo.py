"""PPO: the sign of the return, the network's numbers, the games it plays, and going on bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.ppo import EACH_PLY, PPOLearner, StatePolicy
from agents.sb3 import SelfPlay
from agents.settings import make_options, resolve
from agents.training import learn
from games import GameGraph, Mistake, RuleBook, compile_rulebook, make_rulebook, observe

SMALL = {"games": 64, "plies": 8, "batch": 128, "steps": 4096, "width": 16}


def learner(graph: GameGraph, seed: int = 0, **changes: Any) -> PPOLearner:
    return PPOLearner(make_options("ppo", SMALL | changes), graph, seed)  # type: ignore[arg-type]


def test_gamma_of_minus_one_is_negamax_gae() -> None:
    draw, games, plies, trace = np.random.default_rng(0), 5, 40, 0.8
    rewards, values = draw.normal(size=(plies, games)), draw.normal(size=(plies, games))
    ends, last = draw.random((plies, games)) < 0.2, draw.normal(size=games)
    cut = draw.random((plies, games)) < 0.1
    after_cut = draw.normal(size=(plies, games))  # the value of the position in which a game was stopped
    ends = ends | cut

    buffer = MaskableRolloutBuffer(
        plies, spaces.Box(0, 1, (1,)), spaces.Discrete(2), gae_lambda=trace, gamma=EACH_PLY, n_envs=games
    )
    for t in range(plies):
        # as collect_rollouts does it: where a game was cut, gamma times the value of its position joins the reward
        reward = rewards[t] + np.where(cut[t], EACH_PLY * after_cut[t], 0.0)
        starts = ends[t - 1] if t else np.ones(games, dtype=bool)
        buffer.add(
            np.zeros((games, 1)), np.zeros((games, 1)), reward, starts, torch.tensor(values[t]), torch.zeros(games)
        )
    buffer.compute_returns_and_advantage(torch.tensor(last), ends[-1])

    expected = np.zeros((plies, games))
    for g in range(games):
        for t in range(plies):  # each advantage by its definition: the opponent's surprises count against me
            sign, weight = 1.0, 1.0
            for k in range(t, plies):
                following = last[g] if k + 1 == plies else values[k + 1, g]
                if cut[k, g]:
                    following = after_cut[k, g]
                elif ends[k, g]:
                    following = 0.0
                expected[t, g] += sign * weight * (rewards[k, g] - following - values[k, g])
                if ends[k, g]:
                    break
                sign, weight = -sign, weight * trace
    np.testing.assert_allclose(buffer.advantages, expected, atol=1e-4)


def test_the_networks_numbers_are_those_of_the_stock_policy(graph: GameGraph) -> None:
    ours = learner(graph).network
    shape = {"net_arch": [16], "activation_fn": torch.nn.Tanh}
    space = spaces.Box(0.0, 1.0, ours.seen.shape[1:], np.float32)
    stock = MaskableActorCriticPolicy(space, spaces.Discrete(graph.num_actions), lambda left: 1e-3, **shape)
    stock.load_state_dict(ours.state_dict())
    draw = np.random.default_rng(1)
    playable = np.flatnonzero(graph.legal.any(axis=1))
    for count in (2000, 3):  # more than all states, and fewer
        states = torch.as_tensor(draw.choice(playable, count))
        masks = graph.legal[states.numpy()]
        actions = torch.as_tensor(masks.argmax(axis=1))
        for policy in (ours, stock):
            policy.set_training_mode(True)
            policy.zero_grad()
        ours_told = ours.evaluate_actions(states[:, None], actions, masks)
        stock_told = stock.evaluate_actions(ours.seen[states], actions, masks)
        for mine, theirs in zip(ours_told, stock_told, strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)
        for told in (ours_told, stock_told):
            (told[0].sum() + told[1].sum() + told[2].sum()).backward()  # type: ignore[union-attr]
        for mine, theirs in zip(ours.parameters(), stock.parameters(), strict=True):
            torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("start", ["random-openings", "opening", "anywhere"])
def test_self_play_follows_the_graph_and_never_starts_where_nobody_can_move(relative: RuleBook, start: str) -> None:
    graph = compile_rulebook(relative)
    games, draw = SelfPlay(graph, 50, start, 9, seed=3), np.random.default_rng(0)
    before = games.reset()[:, 0]
    for _ in range(60):
        masks = games.action_masks()
        assert masks.any(axis=1).all()
        actions = np.array([draw.choice(np.flatnonzero(mask)) for mask in masks])
        seen, rewards, done, infos = games.step(actions)
        for row in range(50):
            after = int(graph.outcome[before[row], actions[row]])
            cut = infos[row].get("TimeLimit.truncated", False)
            assert done[row] == (after < 0 or cut)
            assert rewards[row] == ({-2: 1.0, -3: -1.0}.get(after, 0.0))
            if cut:
                assert infos[row]["terminal_observation"] == [after]
            elif not done[row]:
                assert seen[row, 0] == after
            elif start == "opening":
                assert seen[row, 0] == 0
        before = seen[:, 0].copy()


def test_random_openings_reach_every_position_that_can_be_moved_from(graph: GameGraph) -> None:
    games = SelfPlay(graph, 20_000, "random-openings", 100, seed=0)
    assert set(np.unique(games.reset())) == set(np.flatnonzero(graph.legal.any(axis=1)).tolist())


def test_going_on_after_a_restore_is_bit_for_bit_the_same(graph: GameGraph) -> None:
    whole = learner(graph)
    for _ in range(3):
        whole.advance(1)
    saved = whole.state()
    for _ in range(3):
        whole.advance(1)
    resumed = learner(graph, seed=99)
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
    for view in ("onehot", "binary", "scalar"):
        network = learner(graph, observation=view).network
        assert isinstance(network, StatePolicy)
        np.testing.assert_array_equal(network.seen.numpy(), observe(graph, view))


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
