"""The network of PPO: SB3's masked actor and critic, asked about states by their numbers, each state once."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from agents.weights import Tensors, read
from games import GameGraph, Mistake, Policy, observe

FORBIDDEN = -1e8  # the logit of an illegal move, as in sb3-contrib
ROUNDING = 1e-4  # by which a preference may differ from one processor to another


class Adam(torch.optim.Adam):
    """torch's Adam without torch's compiler: the stock methods import it, which takes longer than a game is learned.

    `inspect.unwrap` takes off the decorators that do, and that are of use only to those who compile.
    """

    add_param_group = inspect.unwrap(torch.optim.Optimizer.add_param_group)
    zero_grad = inspect.unwrap(torch.optim.Optimizer.zero_grad)
    state_dict = inspect.unwrap(torch.optim.Optimizer.state_dict)
    load_state_dict = inspect.unwrap(torch.optim.Optimizer.load_state_dict)
    step = torch.no_grad()(inspect.unwrap(torch.optim.Adam.step))


class StatePolicy(MaskableActorCriticPolicy):
    """SB3's masked actor and critic, told the number of a state: it looks up what is seen and what is legal there.

    Its parameters, and its numbers to rounding, are those of the stock policy with the same mask.
    """

    seen: Tensor  # [S, width]
    legal: Tensor  # [S, A]

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Callable[[float], float],
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
        self.register_buffer("seen", torch.as_tensor(seen), persistent=False)
        self.register_buffer("legal", torch.as_tensor(np.array(allowed)), persistent=False)
        self.floor = floor
        rows, inputs = np.nonzero(seen)
        begins = np.searchsorted(rows, np.arange(len(seen) + 1))
        # Of each state the inputs that are not 0: where its own begin [S + 1], which they are [K], and how much [K].
        self.inputs = begins.astype(np.uint64), inputs.astype(np.uint64), np.asarray(seen[rows, inputs], np.float32)

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

    # What SB3 asks of every policy.

    def forward(self, obs: Any, deterministic: bool = False, action_masks: Any = None) -> tuple[Tensor, Tensor, Tensor]:
        distribution = self.get_distribution(obs)
        actions: Tensor = distribution.get_actions(deterministic=deterministic)
        return actions, self.predict_values(obs), distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Any, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        table = self.log_probabilities(_numbers(obs))
        entropy = -(table.exp() * table).sum(dim=1)
        return self.predict_values(obs), table.gather(1, actions[:, None])[:, 0], entropy

    def predict_values(self, obs: Any) -> Tensor:
        return self.values(_numbers(obs))

    def get_distribution(self, obs: Any, action_masks: Any = None) -> Any:
        return self.action_dist.proba_distribution(action_logits=self.log_probabilities(_numbers(obs)))

    def _through(self, hidden: nn.Module, last: nn.Module, states: Tensor | None) -> Tensor:
        seen: Tensor = self.seen if states is None else self.seen[states]
        for layer in (*hidden.children(), last):
            seen = layer(seen)
        return seen


def load_network(run: str | os.PathLike[str], graph: GameGraph | None = None) -> StatePolicy:
    """The network of a finished run, or of its .safetensors file; refused where it is for another game than `graph`,
    was changed, or does not play as the policy.npz beside it.
    """
    path = Path(run) / "network.safetensors" if Path(run).is_dir() else Path(run)
    tensors, graph, view = read(path, graph)
    layers = _layers(tensors, observe(graph, view).shape[1], path)
    states, actions = spaces.Box(0, graph.num_states - 1, (1,), np.int64), spaces.Discrete(graph.num_actions)
    network = StatePolicy(states, actions, lambda left: 0.0, graph, view, net_arch=layers, activation_fn=nn.Tanh)
    try:
        network.load_state_dict({name: torch.tensor(tensor) for name, tensor in tensors.items()})
    except RuntimeError as error:
        raise Mistake(f"{path}: its tensors make no network of ours ({str(error).splitlines()[0]})") from error
    network.set_training_mode(False)
    _compare_policy(network, graph, path)
    return network


def _layers(tensors: Tensors, width: int, path: Path) -> list[int]:
    """How wide its hidden layers are: checked before a network of that size is made."""
    named = {
        int(match[1]): name for name in tensors if (match := re.fullmatch(r".*policy_net\.(\d{1,4})\.weight", name))
    }
    sizes = [width]
    for _, name in sorted(named.items()):
        if tensors[name].ndim != 2 or tensors[name].shape[1] != sizes[-1] or not len(tensors[name]):
            raise Mistake(f"{path}: its tensors make no network of ours ({name} has the shape {tensors[name].shape})")
        sizes.append(len(tensors[name]))
    return sizes[1:]


def _compare_policy(network: StatePolicy, graph: GameGraph, path: Path) -> None:
    """The policy that was judged is what this network prefers, up to the rounding of another processor."""
    file = path.with_name("policy.npz")
    if not file.is_file():
        return
    policy = Policy.load(file, graph)
    with torch.no_grad():
        logits = network.logits().double().numpy()
    best = np.where(graph.legal, logits, -np.inf).max(axis=1)
    played = np.where(policy.probability > 0, logits, np.inf).min(axis=1)  # infinite where there is no move
    if not (best - played <= ROUNDING * (1 + abs(logits).max(axis=1)))[graph.legal.any(axis=1)].all():
        raise Mistake(f"{path}: does not play as policy.npz beside it; train the run anew")


def _numbers(obs: Any) -> Tensor:
    """The states in an observation of SB3's."""
    return torch.as_tensor(obs).long().reshape(-1)
