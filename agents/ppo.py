"""PPO by self-play: sb3-contrib's MaskablePPO, one network for both seats, every ply a step.

The value of a position to its mover is minus the value of the next one to its mover, so the return changes sign at
every ply: in SB3 that is gamma = -1 with the usual GAE.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn

from agents.sb3 import SelfPlay
from agents.settings import PPO
from games import GameGraph, Mistake, Policy, observe

EACH_PLY = -1.0  # what a value is multiplied with from one ply to the next


class StatePolicy(MaskableActorCriticPolicy):
    """SB3's masked actor and critic, told the number of a state: it looks up what is seen there.

    Each distinct state goes through the network once, and its row is gathered wherever it occurs; while nothing is
    learned, all rows are kept. The numbers are those of the stock policy.
    """

    def __init__(
        self, observation_space: Any, action_space: Any, lr_schedule: Any, seen: NDArray[Any], **kw: Any
    ) -> None:
        super().__init__(spaces.Box(0.0, 1.0, seen.shape[1:], np.float32), action_space, lr_schedule, **kw)
        self.observation_space = observation_space
        self.seen: Tensor
        self.register_buffer("seen", torch.as_tensor(seen), persistent=False)  # [S, width]
        self.kept: tuple[Tensor, Tensor] | None = None

    def set_training_mode(self, mode: bool) -> None:
        self.kept = None
        super().set_training_mode(mode)

    def tables(self, states: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """logits [S, A] and values [S, 1] of these states, or of all."""
        latent_pi, latent_vf = self.mlp_extractor(self.seen if states is None else self.seen[states])
        return self.action_net(latent_pi), self.value_net(latent_vf)

    def rows(self, observation: Any) -> tuple[Tensor, Tensor]:
        """logits [B, A] and values [B, 1]."""
        states = torch.as_tensor(observation).long().reshape(-1)
        if not torch.is_grad_enabled() and not self.training:
            if self.kept is None:
                self.kept = self.tables()
            logits, values = self.kept
        elif len(self.seen) <= 2 * len(states):
            logits, values = self.tables()
        else:
            distinct, states = torch.unique(states, return_inverse=True)
            logits, values = self.tables(distinct)
        return logits[states], values[states]

    def forward(self, obs: Any, deterministic: bool = False, action_masks: Any = None) -> tuple[Tensor, Tensor, Tensor]:
        logits, values = self.rows(obs)
        distribution = self._distribution(logits, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, values, distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Any, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        logits, values = self.rows(obs)
        distribution = self._distribution(logits, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def predict_values(self, obs: Any) -> Tensor:
        return self.rows(obs)[1]

    def get_distribution(self, obs: Any, action_masks: Any = None) -> Any:
        return self._distribution(self.rows(obs)[0], action_masks)

    def _distribution(self, logits: Tensor, action_masks: Any) -> Any:
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution


class PPOLearner:
    """MaskablePPO, one rollout at a time."""

    def __init__(self, settings: PPO, graph: GameGraph, seed: int) -> None:
        if settings.batch > settings.games * settings.plies:
            raise Mistake(f"ppo: batch={settings.batch} is more than games × plies; make it smaller")
        torch.set_num_threads(1)
        torch.distributions.Distribution.set_default_validate_args(False)  # a fifth of the time, and masks are ours
        self.settings, self.graph = settings, graph
        self.env = SelfPlay(graph, settings.games, settings.start, settings.max_plies, seed)
        self.model = MaskablePPO(
            StatePolicy,
            self.env,
            learning_rate=lambda left: _between(settings.learning_rate, settings.learning_rate_end, left),
            n_steps=settings.plies,
            batch_size=settings.batch,
            n_epochs=settings.epochs,
            gamma=EACH_PLY if settings.sign_flip else 1.0,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            policy_kwargs={
                "seen": observe(graph, settings.observation),
                "net_arch": [settings.width] * settings.layers,
                "activation_fn": nn.Tanh,
            },
            seed=seed % 2**32,
            device="cpu",
        )
        self.network: StatePolicy = self.model.policy  # type: ignore[assignment]
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        _, self.callback = self.model._setup_learn(settings.steps, None)
        self.callback.on_training_start({}, {})

    def advance(self, steps: int) -> int:
        """One rollout and what is learned from it, whatever is asked for."""
        model, budget = self.model, self.settings.steps
        before = model.num_timesteps
        model.collect_rollouts(
            self.env, self.callback, model.rollout_buffer, model.n_steps, use_masking=self.settings.mask
        )
        model._update_current_progress_remaining(min(model.num_timesteps, budget), budget)
        left = model._current_progress_remaining
        model.ent_coef = _between(self.settings.entropy, self.settings.entropy_end, left)  # SB3 has no schedule for it
        model.train()
        return model.num_timesteps - before

    def policy(self) -> Policy:
        """Greedy, the lowest of equals; the file carries the stochastic policy along."""
        with torch.no_grad():
            logits = self.network.tables()[0].double().numpy()  # [S, A]
        legal = np.where(self.graph.legal, logits, -np.inf)
        highest = np.where(np.isfinite(legal.max(axis=1)), legal.max(axis=1), 0.0)
        weight = np.exp(legal - highest[:, None])
        stochastic = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
        return Policy(self.graph, Policy.greedy(self.graph, logits).probability, {"stochastic": stochastic})

    def state(self) -> dict[str, Any]:
        model = self.model
        found: dict[str, Any] = {f"network.{k}": v.numpy().copy() for k, v in self.network.state_dict().items()}
        for number, moments in self.network.optimizer.state_dict()["state"].items():
            found |= {f"adam.{number}.{k}": v.numpy().copy() for k, v in moments.items()}
        _, keys, place, has_gauss, gauss = np.random.get_state()  # noqa: NPY002  (SB3 shuffles with it)
        return found | {
            "torch_random": torch.get_rng_state().numpy().copy(),
            "numpy_random": np.array(keys),
            "numpy_random_rest": np.array([place, has_gauss, gauss]),
            "games_state": self.env.state.copy(),
            "games_plies": self.env.plies.copy(),
            "games_luck": self.env.luck.copy(),
            "last_observation": np.array(model._last_obs),
            "last_starts": np.array(model._last_episode_starts),
            "steps": model.num_timesteps,
            "updates": model._n_updates,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        model = self.model
        network = {k.removeprefix("network."): torch.tensor(v) for k, v in state.items() if k.startswith("network.")}
        self.network.load_state_dict(network)
        self.network.kept = None
        moments: dict[int, dict[str, Tensor]] = {}
        for key, value in state.items():
            if key.startswith("adam."):
                _, number, name = key.split(".")
                moments.setdefault(int(number), {})[name] = torch.tensor(value)
        groups = self.network.optimizer.state_dict()["param_groups"]
        self.network.optimizer.load_state_dict({"state": moments, "param_groups": groups})
        self.env.state[:], self.env.plies[:] = state["games_state"], state["games_plies"]
        self.env.luck[:] = state["games_luck"]
        model._last_obs = np.array(state["last_observation"])
        model._last_episode_starts = np.array(state["last_starts"])
        model.num_timesteps, model._n_updates = int(state["steps"]), int(state["updates"])
        torch.set_rng_state(torch.tensor(state["torch_random"]))
        place, has_gauss, gauss = state["numpy_random_rest"].tolist()
        np.random.set_state(("MT19937", state["numpy_random"], int(place), int(has_gauss), gauss))  # noqa: NPY002


def _between(first: float, last: float, left: float) -> float:
    """A setting that goes from first to last in a straight line; `left` is the share of the budget still to come."""
    return last + (first - last) * left
