"""PPO by self-play: sb3-contrib's MaskablePPO, one network for both seats, every ply a step.

The value of a position to its mover is minus the value of the next one to its mover, so the return changes sign at
every ply: in SB3 that is gamma = -1 with the usual GAE.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn
from torch.nn import functional

from agents.learner import Learner
from agents.players import seated
from agents.settings import PPOSettings
from agents.weights import packed, read
from envs.selfplay import Duel, SelfPlay
from games import GameGraph, Mistake, Policy, observe

EACH_PLY = -1.0  # what a value is multiplied with from one ply to the next
FORBIDDEN = -1e8  # the logit of an illegal move, as in sb3-contrib


class StatePolicy(MaskableActorCriticPolicy):
    """SB3's masked actor and critic, told the number of a state: it looks up what is seen and what is legal there.

    Each distinct state goes through the network once, and its row is gathered wherever it occurs; while nothing is
    learned, all rows are kept. The numbers are those of the stock policy with the same mask.
    """

    seen: Tensor  # [S, width]
    legal: Tensor  # [S, A]
    columns: Tensor | None  # [S, F]: which inputs are 1, where the view is one-hot

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Any,
        graph: GameGraph,
        view: str,
        masked: bool = True,
        floor: float = 0.0,
        **kw: Any,
    ) -> None:
        seen = observe(graph, view)
        super().__init__(spaces.Box(0.0, 1.0, seen.shape[1:], np.float32), action_space, lr_schedule, **kw)
        self.observation_space = observation_space
        allowed = graph.legal if masked else np.ones_like(graph.legal)
        columns = graph.positions + np.cumsum([0, *graph.fields.values()])[:-1] if view == "onehot" else None
        self.register_buffer("seen", torch.as_tensor(seen), persistent=False)
        self.register_buffer("legal", torch.as_tensor(np.array(allowed)), persistent=False)
        self.register_buffer("columns", None if columns is None else torch.as_tensor(columns), persistent=False)
        self.floor = floor
        self.kept: tuple[Tensor, Tensor, Tensor] | None = None

    def set_training_mode(self, mode: bool) -> None:
        self.kept = None
        super().set_training_mode(mode)

    def logits(self, states: Tensor | None = None) -> Tensor:
        """[S, A]: what the network prefers in these states, or in all, whatever is legal."""
        return self._through(self.mlp_extractor.policy_net, self.action_net, states)

    def values(self, states: Tensor | None = None) -> Tensor:
        """[S, 1]"""
        return self._through(self.mlp_extractor.value_net, self.value_net, states)

    def log_probabilities(self, states: Tensor | None = None) -> Tensor:
        """[S, A]: of what is played there, the floor of uniform play included."""
        legal = self.legal if states is None else self.legal[states]
        log_probability = self.logits(states).masked_fill(~legal, FORBIDDEN).log_softmax(dim=1)
        if self.floor:
            alike = legal / legal.sum(dim=1, keepdim=True).clamp(min=1)
            mixed = (1.0 - self.floor) * log_probability.exp() + self.floor * alike
            log_probability = torch.where(legal, mixed, 1.0).log().masked_fill(~legal, FORBIDDEN)
        return log_probability

    def forward(self, obs: Any, deterministic: bool = False, action_masks: Any = None) -> tuple[Tensor, Tensor, Tensor]:
        """For rollouts, so nothing is learned meanwhile and the tables are kept."""
        if self.kept is None:
            table = self.log_probabilities()
            sums = table.exp().cumsum(dim=1)
            self.kept = table, sums / sums[:, -1:], self.values()
        (table, sums, values), states = self.kept, _numbers(obs)
        if deterministic:
            actions = table[states].argmax(dim=1)
        else:  # the first action whose running sum is above the draw; the last sum is 1, and no draw is
            actions = (sums[states] <= torch.rand(len(states), 1)).sum(dim=1)
        return actions, values[states], table[states, actions]

    def evaluate_actions(
        self, obs: Any, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        states, distinct = _numbers(obs), None
        if len(self.seen) > 2 * len(states):
            distinct, states = torch.unique(states, return_inverse=True)
        table = self.log_probabilities(distinct)
        entropy = -(table.exp() * table).sum(dim=1)
        chosen = table.reshape(-1).index_select(0, states * table.shape[1] + actions)
        return self.values(distinct).index_select(0, states), chosen, entropy.index_select(0, states)

    def predict_values(self, obs: Any) -> Tensor:
        return (self.values() if self.kept is None else self.kept[2])[_numbers(obs)]

    def get_distribution(self, obs: Any, action_masks: Any = None) -> Any:
        return self.action_dist.proba_distribution(action_logits=self.log_probabilities()[_numbers(obs)])

    def _through(self, hidden: nn.Module, last: nn.Module, states: Tensor | None) -> Tensor:
        first, *rest = *hidden.children(), last
        assert isinstance(first, nn.Linear)
        if self.columns is None:
            out: Tensor = first(self.seen if states is None else self.seen[states])
        else:  # a one-hot row times a matrix is a sum of its columns
            columns = self.columns if states is None else self.columns[states]
            out = functional.embedding_bag(columns, first.weight.t().contiguous(), mode="sum") + first.bias
        for layer in rest:
            out = layer(out)
        return out


def _numbers(obs: Any) -> Tensor:
    """The states in an observation of SB3's."""
    return torch.as_tensor(obs).long().reshape(-1)


class Quiet(MaskablePPO):
    """MaskablePPO without statistics of episodes: no game here tells any, and the policy is scored exactly."""

    def _update_info_buffer(self, infos: Any, dones: Any = None) -> None:
        pass


class PPOLearner(Learner):
    """MaskablePPO, one rollout at a time."""

    def __init__(self, settings: PPOSettings, graph: GameGraph, seed: int) -> None:
        torch.set_num_threads(1)
        torch.distributions.Distribution.set_default_validate_args(False)  # a fifth of the time, and masks are ours
        self.settings, self.graph = settings, graph
        table = (graph, settings.games, settings.start, settings.max_plies, seed)
        if settings.opponent == "self":
            self.env = SelfPlay(*table)
        elif settings.opponent == "pool":
            self.env = Duel(*table, [Policy.uniform(graph)], room=settings.pool)
        else:
            self.env = Duel(*table, [seated(settings.opponent, graph)])
        each_step = EACH_PLY if settings.opponent == "self" and settings.sign_flip else 1.0
        self.model = Quiet(
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
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
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
        if isinstance(self.env, Duel) and self._pool_is_due():
            self.env.join(self._stochastic())
        model.collect_rollouts(
            self.env, self.callback, model.rollout_buffer, model.n_steps, use_masking=self.settings.mask
        )
        model._update_current_progress_remaining(min(model.num_timesteps, budget), budget)
        left = model._current_progress_remaining
        model.ent_coef = _between(self.settings.entropy, self.settings.entropy_end, left)  # SB3 has no schedule for it
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
        found: dict[str, Any] = {f"network.{k}": v.numpy().copy() for k, v in self.network.state_dict().items()}
        for number, moments in self.network.optimizer.state_dict()["state"].items():
            found |= {f"adam.{number}.{k}": v.numpy().copy() for k, v in moments.items()}
        _, keys, place, has_gauss, gauss = np.random.get_state()  # noqa: NPY002  (SB3 shuffles with it)
        return found | {
            "torch_random": torch.get_rng_state().numpy().copy(),
            "numpy_random": np.array(keys),
            "numpy_random_rest": np.array([place, has_gauss, gauss]),
            **{f"games.{name}": getattr(self.env, name).copy() for name in self.env.remembered},
            "last_observation": np.array(model._last_obs),
            "last_starts": np.array(model._last_episode_starts),
            "steps": model.num_timesteps,
            "updates": model._n_updates,
        }

    def artifacts(self) -> tuple[dict[str, bytes], dict[str, float]]:
        """The network's weights, and what its bare preferences put on illegal moves where somebody has to move."""
        weights = {name: tensor.numpy() for name, tensor in self.network.state_dict().items()}
        share = self.policy().extra["illegal"][self.graph.legal.any(axis=1)].mean()
        network = packed(weights, self.graph, self.settings.observation)
        return {"network.safetensors": network}, {"illegal_share": float(share)}

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
        for name in self.env.remembered:
            setattr(self.env, name, np.array(state[f"games.{name}"]))
        model._last_obs = np.array(state["last_observation"])
        model._last_episode_starts = np.array(state["last_starts"])
        model.num_timesteps, model._n_updates = int(state["steps"]), int(state["updates"])
        torch.set_rng_state(torch.tensor(state["torch_random"]))
        place, has_gauss, gauss = state["numpy_random_rest"].tolist()
        np.random.set_state(("MT19937", state["numpy_random"], int(place), int(has_gauss), gauss))  # noqa: NPY002


def load_network(run: str | os.PathLike[str], graph: GameGraph | None = None) -> StatePolicy:
    """The network of a finished run, or of its .safetensors file; refused where it is for another game than `graph`."""
    path = Path(run) / "network.safetensors" if Path(run).is_dir() else Path(run)
    tensors, graph, view = read(path, graph)
    layers = [len(tensors[name]) for name in sorted(tensors) if re.fullmatch(r".*policy_net\.\d+\.weight", name)]
    states, actions = spaces.Box(0, graph.num_states - 1, (1,), np.int64), spaces.Discrete(graph.num_actions)
    network = StatePolicy(states, actions, lambda left: 0.0, graph, view, net_arch=layers, activation_fn=nn.Tanh)
    try:
        network.load_state_dict({name: torch.tensor(tensor) for name, tensor in tensors.items()})
    except RuntimeError as error:
        raise Mistake(f"{path}: its tensors make no network of ours ({str(error).splitlines()[0]})") from error
    network.set_training_mode(False)
    return network


def _between(first: float, last: float, left: float) -> float:
    """A setting that goes from first to last in a straight line; `left` is the share of the budget still to come."""
    return last + (first - last) * left
