"""PPO by self-play: sb3-contrib's MaskablePPO, one network for both seats, every ply a step.

The value of a position to its mover is minus the value of the next one to its mover, so the return changes sign at
every ply: in SB3 that is gamma = -1 with the usual GAE.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger
from torch import nn

from agents.learner import MOST_STEPS, Learner, within
from agents.network import Adam, StatePolicy, load_network
from agents.players import seated
from agents.settings import PPOSettings
from agents.size import length_of
from agents.state_network import bring_back, remembered
from agents.table_ppo import TablePPO
from agents.weights import packed
from envs.selfplay import Duel, SelfPlay
from games import GameGraph, Policy

EACH_PLY = -1.0  # what a value is multiplied with from one ply to the next


class PPOLearner(Learner):
    """MaskablePPO, one rollout at a time."""

    def __init__(self, settings: PPOSettings, graph: GameGraph, seed: int) -> None:
        torch.set_num_threads(1)
        torch.distributions.Distribution.set_default_validate_args(False)  # a fifth of the time, and masks are ours
        settings = settings.sized(lambda: graph)
        self.settings, self.graph = settings, graph
        # Long games would pass their last positions much more often than their first.
        self.anew = settings.start == "anywhere" and length_of(graph) > settings.plies
        table = (graph, settings.games, settings.start, settings.max_plies, seed)
        if settings.opponent == "self":
            self.env = SelfPlay(*table)
        elif settings.opponent == "pool":
            self.env = Duel(*table, [Policy.uniform(graph)], room=settings.pool)
        else:
            self.env = Duel(*table, [seated(settings.opponent, graph)])
        each_step = EACH_PLY if settings.opponent == "self" and settings.sign_flip else 1.0
        self.model = TablePPO(
            StatePolicy,
            self.env,
            learning_rate=lambda left: _between(settings.learning_rate, settings.learning_rate_end, left),
            n_steps=settings.plies,
            batch_size=settings.batch,
            n_epochs=settings.epochs,
            gamma=each_step,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            normalize_advantage=settings.normalize,
            policy_kwargs={
                "graph": graph,
                "view": settings.observation,
                "masked": settings.mask,
                "floor": settings.floor,
                "net_arch": [settings.width] * settings.layers,
                "activation_fn": nn.Tanh,
                "optimizer_class": Adam,
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
            },
            seed=seed % 2**32,
            device="cpu",
        )
        self.network = self.model.policy
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        _, self.callback = self.model._setup_learn(settings.steps, None)
        self.callback.on_training_start({}, {})

    def advance(self, steps: int) -> int:
        """One rollout and what is learned from it, whatever is asked for."""
        model, budget = self.model, self.settings.steps
        before = model.num_timesteps
        if isinstance(self.env, Duel) and self._pool_is_due():
            self.env.join(self._stochastic())
        if self.anew:
            self.env.reset()
        model.collect_rollouts(self.env, self.callback, model.rollout_buffer, model.n_steps)
        model._update_current_progress_remaining(min(model.num_timesteps, budget), budget)
        left = model._current_progress_remaining
        model.ent_coef = _in_ratios(
            self.settings.entropy, self.settings.entropy_end, left
        )  # SB3 has no schedule for it
        model.train()
        return model.num_timesteps - before

    def policy(self) -> Policy:
        """Greedy, the lowest of equals; the file carries along how it plays in training.

        stochastic [S, A]: with which probabilities; illegal [S]: what the bare network would put on illegal moves.
        """
        with torch.no_grad():
            logits = self.network.logits().double()
        illegal = logits.softmax(dim=1).numpy() * ~self.graph.legal
        extra = {"stochastic": self._stochastic(), "illegal": illegal.sum(axis=1)}
        return Policy(self.graph, Policy.greedy(self.graph, logits.numpy()).probability, extra)

    def _stochastic(self) -> NDArray[np.float64]:
        """[S, A]: its probabilities of legal moves."""
        with torch.no_grad():
            weight = self.network.log_probabilities().double().exp().numpy() * self.graph.legal
        return np.asarray(weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300))

    def _pool_is_due(self) -> bool:
        """At the end of the budget the pool holds selves from its whole second half."""
        rollout = self.settings.games * self.settings.plies
        every = max(self.settings.steps // rollout // (2 * self.settings.pool), 1)
        return self.settings.opponent == "pool" and self.model.num_timesteps // rollout % every == 0

    def state(self) -> dict[str, Any]:
        model = self.model
        _, keys, place, has_gauss, gauss = np.random.get_state()  # noqa: NPY002  (SB3 shuffles with it)
        return remembered(self.network, self.network.optimizer) | {
            "numpy_random": np.array(keys),
            "numpy_random_rest": np.array([place, has_gauss, gauss]),
            **{f"games.{name}": array.copy() for name, array in self.env.memory().items()},
            "steps": model.num_timesteps,
            "updates": model._n_updates,
        }

    def artifacts(self) -> tuple[dict[str, bytes], dict[str, float]]:
        """The network's weights, and what its bare preferences put on illegal moves where somebody has to move."""
        weights = {name: tensor.numpy() for name, tensor in self.network.state_dict().items()}
        share = self.policy().extra["illegal"][self.graph.legal.any(axis=1)].mean()
        network = packed(weights, self.graph, self.settings.observation)
        return {"network.safetensors": network}, {"illegal_share": float(share)}

    def metrics(self) -> dict[str, float]:
        return {name: float(value) for name, value in self.model.logger.name_to_value.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        model = self.model
        within({"place": state["numpy_random_rest"][:2]}, "place", 0, 624)
        bring_back(self.network, self.network.optimizer, state)
        self.env.remember({k.removeprefix("games."): v for k, v in state.items() if k.startswith("games.")})
        model.num_timesteps = int(within(state, "steps", 0, MOST_STEPS))
        model._n_updates = int(within(state, "updates", 0, MOST_STEPS))
        place, has_gauss, gauss = state["numpy_random_rest"].tolist()
        np.random.set_state(("MT19937", state["numpy_random"], int(place), int(has_gauss), gauss))  # noqa: NPY002


def _between(first: float, last: float, left: float) -> float:
    """A setting that goes from first to last in a straight line; `left` is the share of the budget still to come."""
    return last + (first - last) * left


def _in_ratios(first: float, last: float, left: float) -> float:
    """The same in equal ratios; from or to 0, where there are none, in a straight line."""
    return last * (first / last) ** left if first and last else _between(first, last, left)


__all__ = ["PPOLearner", "StatePolicy", "load_network"]
