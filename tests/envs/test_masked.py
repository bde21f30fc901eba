"""The mask beside what is seen: the same game, under the names of the framework."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from envs import MaskInObservation, env_id
from games import GameGraph, Mistake


def test_the_mask_lies_beside_what_was_seen_before(graph: GameGraph) -> None:
    plain = gymnasium.make(env_id(graph.game, solo=True))
    env = MaskInObservation(gymnasium.make(env_id(graph.game, solo=True)), "obs", "mask")
    (seen, info), (pair, _) = plain.reset(seed=3), env.reset(seed=3)
    over = False
    while not over:
        assert (pair["obs"] == seen).all()
        assert (pair["mask"] == info["action_mask"]).all()
        assert env.observation_space.contains(pair)
        action = int(np.flatnonzero(info["action_mask"])[-1])
        seen, reward, over, _, info = plain.step(action)
        pair, *rest = env.step(action)
        assert rest[:2] == [reward, over]


def test_the_names_are_those_of_rllib_if_none_are_told() -> None:
    env = MaskInObservation(gymnasium.make("perfectplay/FiftyWinsSolo-v0"))
    assert sorted(env.observation_space.spaces) == ["action_mask", "observations"]  # type: ignore[attr-defined]


def test_an_env_with_other_actions_is_refused() -> None:
    with pytest.raises(Mistake, match="a mask is for a Discrete space"):
        MaskInObservation(gymnasium.make("Pendulum-v1"))
