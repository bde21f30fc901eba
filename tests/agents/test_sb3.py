"""The exact scorecard inside somebody else's SB3 training."""

from __future__ import annotations

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN
from stable_baselines3.common.env_util import make_vec_env

import envs
from agents.sb3 import ExactEvalCallback, greedy
from games import GameGraph, Mistake
from solver import scorecard


def test_anyones_masked_ppo_is_scored_as_it_learns(graph: GameGraph) -> None:
    env = gymnasium.make(envs.env_id(graph.game, solo=True))
    told: list[int] = []
    callback = ExactEvalCallback(graph, every=64, tell=lambda steps, card: told.append(steps))
    MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, seed=0).learn(192, callback)
    assert [steps for steps, _ in callback.cards] == told == [1, 64, 128, 192, 192]
    final = callback.cards[-1][1]
    assert final == replace(scorecard(graph, greedy(callback.model, graph)), steps=192)


def test_a_q_network_is_scored_by_its_best_legal_move(graph: GameGraph) -> None:
    env = gymnasium.make(envs.env_id(graph.game, solo=True))
    model = DQN("MlpPolicy", env, learning_starts=10, seed=0).learn(40)
    policy = greedy(model, graph)
    assert (policy.probability.max(axis=1) == graph.legal.any(axis=1)).all()
    assert not policy.probability[~graph.legal].any()


def test_scoring_every_0_steps_is_refused(graph: GameGraph) -> None:
    with pytest.raises(Mistake, match="at least 1 step"):
        ExactEvalCallback(graph, every=0)


def test_a_model_that_sees_something_else_is_refused(graph: GameGraph) -> None:
    env = gymnasium.make(envs.env_id(graph.game, solo=True), observation="scalar")
    callback = ExactEvalCallback(graph)  # onehot
    with pytest.raises(Mistake, match="pass the game and observation of its env"):
        MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64).learn(64, callback)
    seen = ExactEvalCallback(graph, observation="scalar")
    MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64).learn(64, seen)
    assert len(seen.cards) == 2


def test_the_score_is_of_the_network_not_of_the_mask(graph: GameGraph) -> None:
    env = gymnasium.make(envs.env_id(graph.game, solo=True))
    one, other = (MaskablePPO("MlpPolicy", env, seed=seed) for seed in (0, 1))
    assert not np.array_equal(greedy(one, graph).probability, greedy(other, graph).probability)


@pytest.mark.filterwarnings("ignore::UserWarning")  # gymnasium says that there are no pictures
def test_sb3_makes_our_envs_by_their_ids(graph: GameGraph) -> None:
    for solo in (True, False):
        games = make_vec_env(envs.env_id(graph.game, solo=solo), n_envs=2)  # asks for rgb_array, and goes without
        assert games.reset().shape[0] == 2
        games.close()
