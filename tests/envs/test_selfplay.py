"""Self-play for SB3: a row is a TwoPlayerEnv, a row of a duel a SoloEnv, and many steps are steps one by one."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from agents import optimal
from envs import SoloEnv, TwoPlayerEnv
from envs.selfplay import STARTS, Duel, SelfPlay
from games import GameGraph, Policy, RuleBook, compile_rulebook, make_rulebook

MAX_PLIES = 9


def lines_to(graph: GameGraph) -> dict[int, list[int]]:
    """For every state that can be moved from, moves that lead there."""
    lines, waiting = {0: list[int]()}, deque([0])
    while waiting:
        state = waiting.popleft()
        for move, after in zip(graph.moves.tolist(), graph.next_state[state].tolist(), strict=True):
            if after >= 0 and after not in lines:
                lines[after] = [*lines[state], move]
                waiting.append(after)
    return lines


def mixed_actions(masks: Any, draw: np.random.Generator) -> Any:
    """Mostly legal ones."""
    legal = np.array([draw.choice(np.flatnonzero(mask)) for mask in masks])
    return np.where(draw.random(len(masks)) < 0.9, legal, draw.integers(masks.shape[1], size=len(masks)))


def skewed(graph: GameGraph) -> Policy:
    """Likes large moves: its rows are not flat."""
    weights = graph.legal * np.arange(1.0, graph.num_actions + 1)
    return Policy(graph, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1.0))


def assert_same_step(games: SelfPlay, row: int, step: Any, alone: Any, answer: Any) -> bool:
    """One row of SB3's step against Gymnasium's; returns whether the game is over."""
    seen, rewards, done, infos = step
    observation, reward, terminated, truncated, _ = answer
    assert rewards[row] == reward
    assert done[row] == (terminated or truncated)
    assert infos[row].get("TimeLimit.truncated", False) == truncated
    if done[row]:
        assert infos[row]["terminal_observation"].tolist() == [observation]
    else:
        assert seen[row].tolist() == [observation]
        assert (games.action_masks()[row] == alone.action_masks()).all()
    return bool(done[row])


@pytest.mark.parametrize("start", STARTS)
def test_row_i_of_self_play_is_a_two_player_env_given_the_same_moves(relative: RuleBook, start: str) -> None:
    graph, rows, draw = compile_rulebook(relative), 6, np.random.default_rng(0)
    games, lines = SelfPlay(graph, rows, start, MAX_PLIES, seed=3), lines_to(graph)
    limit = MAX_PLIES if graph.has_cycle else None
    alone = [TwoPlayerEnv(relative, observation="index", max_plies=limit) for _ in range(rows)]
    seen, fresh = games.reset(), [True] * rows
    for _ in range(40):
        for row, env in enumerate(alone):
            if fresh[row]:
                assert start != "opening" or seen[row, 0] == 0
                env.reset(options={"moves": lines[int(seen[row, 0])]})
                assert (games.action_masks()[row] == env.action_masks()).all()
        actions = mixed_actions(games.action_masks(), draw)
        step = games.step(actions)
        for row, env in enumerate(alone):
            fresh[row] = assert_same_step(games, row, step, env, env.step(actions[row]))
        seen = step[0]


@pytest.mark.parametrize("who", ["uniform", "optimal", "skewed"])
def test_row_i_of_a_duel_is_a_solo_env_with_the_same_seed(relative: RuleBook, who: str) -> None:
    graph, rows, seed, draw = compile_rulebook(relative), 6, 5, np.random.default_rng(0)
    opponent = {"uniform": Policy.uniform, "optimal": optimal, "skewed": skewed}[who](graph)
    games = Duel(graph, rows, "opening", MAX_PLIES, seed, [opponent])
    limit = MAX_PLIES if graph.has_cycle else None
    alone = [SoloEnv(relative, opponent=opponent, observation="index", max_plies=limit) for _ in range(rows)]
    starts = [env.reset(seed=seed * rows + row)[0] for row, env in enumerate(alone)]
    assert games.reset()[:, 0].tolist() == starts
    for _ in range(40):
        actions = mixed_actions(games.action_masks(), draw)
        step = games.step(actions)
        for row, env in enumerate(alone):
            if assert_same_step(games, row, step, env, env.step(actions[row])):
                assert step[0][row].tolist() == [env.reset()[0]]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("duel", [False, True])
def test_many_steps_at_once_are_the_same_steps_one_by_one(relative: RuleBook, start: str, duel: bool) -> None:
    graph = compile_rulebook(relative)
    one: Any = (graph, 20, start, MAX_PLIES, 7)
    others = [skewed(graph), Policy.uniform(graph)]
    games, again = (Duel(*one, others), Duel(*one, others)) if duel else (SelfPlay(*one), SelfPlay(*one))
    assert games.reset().tolist() == again.reset().tolist()
    sums = np.maximum(skewed(graph).probability.cumsum(axis=1), 1e-300)
    plies = games.play(sums / sums[:, -1:], 30)
    for time in range(30):
        assert (again.state == plies.states[:, time]).all()
        assert again.action_masks()[np.arange(20), plies.actions[:, time]].all()
        _, rewards, done, infos = again.step(plies.actions[:, time])
        assert (rewards == plies.rewards[:, time]).all()
        assert (done == plies.ends[:, time]).all()
        assert [info.get("TimeLimit.truncated", False) for info in infos] == plies.cuts[:, time].tolist()
        assert [info["terminal_observation"][0] if info else -1 for info in infos] == plies.lasts[:, time].tolist()
    assert (games.state == again.state).all()


def test_moves_are_drawn_with_the_probabilities_given() -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    state, policy = graph.state((15, 7)), skewed(graph)
    games = SelfPlay(graph, 200_000, "opening", 100, seed=0)
    games.state[:] = state
    sums = np.maximum(policy.probability.cumsum(axis=1), 1e-300)
    drawn = games.play(sums / sums[:, -1:], 1).actions[:, 0]
    shares = np.bincount(drawn, minlength=graph.num_actions) / len(drawn)
    np.testing.assert_allclose(shares, policy.probability[state], atol=0.006)
    assert (shares[~graph.legal[state]] == 0).all()


def test_a_duel_meets_each_opponent_and_each_seat_alike_often() -> None:
    graph = compile_rulebook(make_rulebook("fifty-wins"))
    games = Duel(graph, 20_000, "opening", 100, seed=0, others=[Policy.uniform(graph), optimal(graph)])
    seen = games.reset()[:, 0]
    assert abs((games.opponent == 0).mean() - 0.5) < 0.02
    assert abs((seen == 0).mean() - 0.5) < 0.02
    best = {graph.follow([int(move)]) for move in graph.moves[optimal(graph).probability[0] > 0]}
    assert set(seen[(games.opponent == 1) & (seen != 0)].tolist()) == best


def test_random_openings_reach_every_position_that_can_be_moved_from(graph: GameGraph) -> None:
    games = SelfPlay(graph, 20_000, "random-openings", 100, seed=0)
    assert set(np.unique(games.reset())) == set(np.flatnonzero(graph.legal.any(axis=1)).tolist())
