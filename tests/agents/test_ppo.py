"""PPO: the sign of the return, the network's numbers, the games it plays, and going on bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents import optimal
from agents.ppo import EACH_PLY, PPOLearner, StatePolicy, load_network
from agents.settings import make_options
from agents.weights import packed
from envs.selfplay import Duel, SelfPlay
from games import GameGraph, Mistake, Policy, RuleBook, compile_rulebook, make_rulebook, observe
from training.loop import learn
from training.resolve import resolve

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


@pytest.mark.parametrize("view", ["onehot", "scalar"])
def test_the_networks_numbers_are_those_of_the_stock_policy(graph: GameGraph, view: str) -> None:
    ours = learner(graph, observation=view).network
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
        with torch.no_grad():
            ours.set_training_mode(False)
            moves, values, chosen = ours(states[:, None], action_masks=masks)
            stock_values, stock_chosen, _ = stock.evaluate_actions(ours.seen[states], moves, masks)
        assert masks[np.arange(count), moves].all()
        torch.testing.assert_close(values, stock_values, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(chosen, stock_chosen, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("floor", [0.0, 0.3])
def test_moves_are_drawn_with_the_probabilities_that_the_network_tells(floor: float) -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    one = learner(graph, floor=floor)
    with torch.no_grad():
        one.network.action_net.bias.copy_(torch.linspace(-2, 2, graph.num_actions))  # far from uniform
        one.network.set_training_mode(False)
        state = graph.state((15, 7))
        moves, _, _ = one.network(torch.full((200_000, 1), state))
    seen = np.bincount(moves.numpy(), minlength=graph.num_actions) / len(moves)
    told = one.policy().extra["stochastic"][state]
    np.testing.assert_allclose(seen, told, atol=0.006)
    assert told[graph.legal[state]].min() >= floor / graph.legal[state].sum() - 1e-9
    assert told[~graph.legal[state]].max() == 0


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


def slow_duel(games: Duel, before: Any, actions: Any) -> tuple[set[int], ...]:
    """For each game, the outcomes that the move and any reply of the opponent's support can have."""
    outcome, found = games.graph.outcome, []
    for state, action, who in zip(before, actions, games.opponent, strict=True):
        after = int(outcome[state, action])
        replies = np.flatnonzero(np.diff(games.sums[who, after], prepend=0.0)) if after >= 0 else []
        found.append({int(outcome[after, reply]) for reply in replies} if after >= 0 else {after})
    return tuple(found)


@pytest.mark.parametrize("start", ["random-openings", "opening", "anywhere"])
def test_a_duel_is_a_move_and_a_reply_and_its_reward_is_the_learners(relative: RuleBook, start: str) -> None:
    graph = compile_rulebook(relative)
    others = [Policy.uniform(graph), optimal(graph)]
    games, draw = Duel(graph, 50, start, 10, seed=3, others=others), np.random.default_rng(0)
    before = games.reset()[:, 0]
    for _ in range(40):
        masks = games.action_masks()
        assert masks.any(axis=1).all()
        actions = np.array([draw.choice(np.flatnonzero(mask)) for mask in masks])
        possible, moved = slow_duel(games, before, actions), graph.outcome[before, actions]
        seen, rewards, done, infos = games.step(actions)
        for row in range(50):
            cut = infos[row].get("TimeLimit.truncated", False)
            if cut:
                assert int(infos[row]["terminal_observation"][0]) in possible[row]
            elif not done[row]:
                assert int(seen[row, 0]) in possible[row]
            else:
                sign = 1.0 if moved[row] < 0 else -1.0  # who made the last move
                assert rewards[row] in {sign * {-2: 1.0, -3: -1.0}.get(after, 0.0) for after in possible[row]}
            assert done[row] or rewards[row] == 0
        before = seen[:, 0].copy()


def test_a_duel_meets_each_opponent_and_each_seat_alike_often() -> None:
    graph = compile_rulebook(make_rulebook("fifty-wins"))
    games = Duel(graph, 20_000, "opening", 100, seed=0, others=[Policy.uniform(graph), optimal(graph)])
    seen = games.reset()[:, 0]
    assert abs((games.opponent == 0).mean() - 0.5) < 0.02
    assert abs((seen == 0).mean() - 0.5) < 0.02
    best = {graph.follow([int(move)]) for move in graph.moves[optimal(graph).probability[0] > 0]}
    assert set(seen[(games.opponent == 1) & (seen != 0)].tolist()) == best


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
    assert one.env.sums.shape == (3, *graph.next_state.shape)
    playable = graph.legal.any(axis=1)
    members = np.diff(one.env.sums, axis=2, prepend=0.0)[:, playable]
    for member, expected in zip(members, (Policy.uniform(graph).probability, joined[2], joined[1]), strict=True):
        np.testing.assert_allclose(member, expected[playable], atol=1e-9)


def test_training_against_a_saved_run_plays_that_run(graph: GameGraph, tmp_path: Path) -> None:
    optimal(graph).save(tmp_path / "policy.npz")
    env = learner(graph, opponent=str(tmp_path)).env
    assert isinstance(env, Duel)
    np.testing.assert_allclose(np.diff(env.sums[0], axis=1, prepend=0.0), optimal(graph).probability, atol=1e-12)
    other = compile_rulebook(make_rulebook("fifty-wins", target=7))
    with pytest.raises(Mistake, match="not fifty-wins as chosen"):
        learner(other, opponent=str(tmp_path))


def test_random_openings_reach_every_position_that_can_be_moved_from(graph: GameGraph) -> None:
    games = SelfPlay(graph, 20_000, "random-openings", 100, seed=0)
    assert set(np.unique(games.reset())) == set(np.flatnonzero(graph.legal.any(axis=1)).tolist())


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
