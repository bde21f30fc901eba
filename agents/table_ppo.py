"""sb3-contrib's MaskablePPO for a learner whose states are few: the same numbers, computed once per state.

While a rollout is played, and while a minibatch is learned from, the policy is a table. So a kernel plays several plies
of all games under one table, and a minibatch is added up by state and action before the network is asked: samples of
the same state and action share their probability, old and new, and differ in nothing but the advantage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import explained_variance
from torch import nn

from agents.network import StatePolicy
from envs.selfplay import Plies, SelfPlay

Floats = NDArray[np.float32]
MARKS = ("policy_gradient_loss", "entropy_loss", "value_loss", "approx_kl", "clip_fraction")  # SB3's names


@dataclass(frozen=True)
class Rollout:
    """What was played under one table, and what it says about it; what is flat is in SB3's order, game by game."""

    plies: Plies
    probability: Floats  # [S, A]: the table
    values: Floats  # [S]
    advantages: Floats  # [N × T]
    returns: Floats  # [N × T]


class TablePPO(MaskablePPO):
    """MaskablePPO on `SelfPlay` with a `StatePolicy`: its hyperparameters, schedules, losses, callbacks and files.

    What SB3 leaves off unless asked, `clip_range_vf` and `target_kl`, is not here. The activation is tanh.
    """

    policy: StatePolicy
    rollout: Rollout

    def collect_rollouts(
        self, env: Any, callback: Any, rollout_buffer: Any, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        assert isinstance(env, SelfPlay)
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        with torch.no_grad():
            probability = self.policy.log_probabilities().exp()
            values = self.policy.values()[:, 0].numpy()
            sums = probability.double().cumsum(dim=1)
        plies = env.play((sums / sums[:, -1:]).numpy(), n_rollout_steps)
        advantages = gae(plies, env.state, values, self.gamma, self.gae_lambda)
        returns = advantages + values[plies.states]
        self.rollout = Rollout(plies, probability.numpy(), values, advantages.reshape(-1), returns.reshape(-1))
        for _ in range(n_rollout_steps):
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        callback.on_rollout_end()
        return True

    def train(self) -> None:
        policy, rollout = self.policy, self.rollout
        assert self.batch_size is not None
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip: float = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        backward = Backward(policy, rollout, (clip, self.ent_coef, self.vf_coef, self.max_grad_norm))
        epochs = []
        for _ in range(self.n_epochs):
            marks = []
            order = np.random.permutation(len(rollout.returns))  # noqa: NPY002  (as SB3 shuffles)
            for first in range(0, len(order), self.batch_size):
                chosen = order[first : first + self.batch_size]
                advantage = rollout.advantages[chosen]
                if self.normalize_advantage:
                    advantage = (advantage - advantage.mean()) / (advantage.std(ddof=1) + np.float32(1e-8))
                marks.append(backward(chosen, advantage))
                policy.optimizer.step()
            epochs.append(np.mean(marks, axis=0))
            self._n_updates += 1
        self._log(np.mean(epochs, axis=0).tolist(), clip)
        self.logger.record("train/approx_kl", float(epochs[-1][MARKS.index("approx_kl")]))  # SB3's is the last epoch's

    def _log(self, means: list[float], clip: float) -> None:
        record, rollout = self.logger.record, self.rollout
        for name, mean in zip(MARKS, means, strict=True):
            record(f"train/{name}", mean)
        record("train/loss", means[0] + self.ent_coef * means[1] + self.vf_coef * means[2])
        values = rollout.values[rollout.plies.states].reshape(-1)
        record("train/explained_variance", explained_variance(values, rollout.returns))
        record("train/n_updates", self._n_updates, exclude="tensorboard")
        record("train/clip_range", clip)


class Backward:
    """Fills the gradients of a policy's parameters from minibatches of a rollout, by one kernel."""

    def __init__(self, policy: StatePolicy, rollout: Rollout, knobs: tuple[float, float, float, float]) -> None:
        self.rollout, self.parameters = rollout, list(policy.parameters())
        self.knobs = tuple(map(np.float32, (*knobs, policy.floor)))
        self.legal = policy.legal.numpy()
        self.inputs = policy.inputs
        self.actor = self._layers(policy.mlp_extractor.policy_net, policy.action_net)
        self.critic = self._layers(policy.mlp_extractor.value_net, policy.value_net)
        states, actions = self.legal.shape
        self.pairs = (rollout.plies.states * actions + rollout.plies.actions).reshape(-1)
        self.counts, self.gains, self.shortfalls = (np.zeros((states, actions), np.float32) for _ in range(3))
        self.targets = np.zeros(states, np.float32)
        gradient = torch.zeros(sum(parameter.numel() for parameter in self.parameters))
        for parameter, place in zip(self.parameters, self._places(), strict=True):
            parameter.grad = gradient[place : place + parameter.numel()].view_as(parameter)
        self.gradient = gradient.numpy()

    def __call__(self, chosen: NDArray[np.int64], advantage: Floats) -> NDArray[np.float64]:
        """The gradient of this minibatch's loss, clipped, into the parameters; returns what is in MARKS."""
        from agents import ppo_kernels as kernels

        sums = self.counts, self.gains, self.shortfalls, self.targets
        squares = kernels.add_up(chosen, self.pairs, self.rollout.returns, advantage, *sums)
        marks = np.zeros(len(MARKS))
        with torch.no_grad():
            flat = nn.utils.parameters_to_vector(self.parameters).numpy()
        kernels.update(
            *(flat, self.gradient, self.actor, self.critic, self.inputs, self.legal, self.rollout.probability),
            *(sums, squares, len(chosen), self.knobs, marks),
        )
        return marks

    def _places(self) -> list[int]:
        """Where each parameter begins in the flat vector."""
        return [0, *np.cumsum([parameter.numel() for parameter in self.parameters])[:-1].tolist()]

    def _layers(self, hidden: nn.Module, last: nn.Module) -> NDArray[np.uint64]:
        """[L, 4]: a network as the kernel knows it."""
        places = {id(parameter): place for parameter, place in zip(self.parameters, self._places(), strict=True)}
        layers = [layer for layer in (*hidden.children(), last) if isinstance(layer, nn.Linear)]
        return np.array(
            [[places[id(one.weight)], places[id(one.bias)], *one.weight.shape] for one in layers], dtype=np.uint64
        )


def gae(plies: Plies, last: NDArray[np.int64], values: Floats, gamma: float, trace: float) -> Floats:
    """[N, T]: the advantages of what was played, in one pass; `last` [N] are the states after it."""
    from agents.ppo_kernels import advantages

    out = np.empty(plies.states.shape, dtype=np.float32)
    played = plies.states, plies.rewards, plies.ends, plies.cuts, plies.lasts
    advantages(*played, last, values, np.float32(gamma), np.float32(trace), out)
    return out
