"""The numbers behind the moves of an SB3 or sb3-contrib model, for every algorithm with discrete actions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy

from games import Mistake

DISTRIBUTIONS = (ActorCriticPolicy, MaskableActorCriticPolicy)
SLACK = 1e-5  # two preferences this close are the same: they were computed in another order


def check_supported(model: Any) -> None:
    """Refuse a model whose moves are no table over the positions, or one that nobody here can read."""
    name, policy, space = type(model).__name__, model.policy, model.action_space
    if not isinstance(space, Discrete) or space.start != 0:
        raise Mistake(f"{name}: its actions are {space}; a game here takes one number of a Discrete space, from 0 on")
    if isinstance(policy, RecurrentActorCriticPolicy):
        raise Mistake(f"{name}: what it plays depends on what it saw before, not on the position alone; judge another")
    readable = isinstance(policy, DISTRIBUTIONS) or hasattr(policy, "q_net") or hasattr(policy, "quantile_net")
    if not readable and not hasattr(policy, "action_net"):  # ARS has that alone
        raise Mistake(f"{name}: its preferences cannot be read; Policy.from_function judges any function of yours")


def scores(model: Any, seen: Any) -> NDArray[np.float64]:
    """[S, A]: logits, or the values of moves: what the model prefers, whatever is legal."""
    policy = model.policy
    with _judged(policy):
        shown, _ = policy.obs_to_tensor(seen)
        if isinstance(policy, DISTRIBUTIONS):
            numbers = policy.get_distribution(shown).distribution.logits  # type: ignore[union-attr]
        elif hasattr(policy, "q_net"):
            numbers = policy.q_net(shown)
        elif hasattr(policy, "quantile_net"):
            numbers = policy.quantile_net(shown).mean(dim=1)
        else:
            numbers = policy.action_net(policy.extract_features(shown, policy.features_extractor))
    return np.asarray(numbers.cpu().numpy(), dtype=np.float64)


def best_legal(model: Any, seen: Any, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """[S]: the move that the model itself would say, deterministic; where that is illegal, its best legal one."""
    numbers = scores(model, seen)
    with _judged(model.policy):
        if takes_masks(model):
            masks = legal | ~legal.any(axis=1, keepdims=True)
            said = model.predict(seen, deterministic=True, action_masks=masks)[0].reshape(-1)
            return np.asarray(said, dtype=np.int64)
        said = np.asarray(model.predict(seen, deterministic=True)[0].reshape(-1), dtype=np.int64)
    rows, top = np.arange(len(said)), numbers.max(axis=1)
    if (numbers[rows, said] < top - SLACK * np.maximum(abs(top), 1.0)).any():
        raise Mistake(
            f"{type(model).__name__}: model.predict does not say what its network prefers; "
            "judge it with Policy.from_function"
        )
    fallback = np.where(legal, numbers, -np.inf).argmax(axis=1)
    return np.where(legal[rows, said], said, fallback)


def chances(model: Any, seen: Any, legal: NDArray[np.bool_], masked: bool = True) -> NDArray[np.float64]:
    """[S, A]: with which probability the model itself says each move; illegal ones too, if it takes no masks."""
    numbers = scores(model, seen)
    policy = model.policy
    if isinstance(policy, DISTRIBUTIONS):
        if masked and takes_masks(model):
            numbers = np.where(legal | ~legal.any(axis=1, keepdims=True), numbers, -np.inf)
        weight = np.exp(numbers - numbers.max(axis=1, keepdims=True))
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))
    with _judged(policy):
        said = model.predict(seen, deterministic=True)[0].reshape(-1)
    random = float(getattr(model, "exploration_rate", 0.0))  # of DQN and QR-DQN: the share of moves said at random
    return np.asarray((1.0 - random) * np.eye(numbers.shape[1])[said] + random / numbers.shape[1])


def takes_masks(model: Any) -> bool:
    return isinstance(model.policy, MaskableActorCriticPolicy)


@contextmanager
def _judged(policy: Any) -> Iterator[None]:
    """Without dropout and the like, and without gradients, as `predict` does; afterwards everything as it was."""
    training = policy.training
    policy.set_training_mode(False)
    try:
        with torch.no_grad():
            yield
    finally:
        policy.set_training_mode(training)
