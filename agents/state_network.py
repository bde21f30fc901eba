"""A small network that is told the numbers of states, and looks up what is seen there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from games import GameGraph, observe
from games.observation import bits


class StateNetwork(nn.Module):
    """Tanh layers from a view of a position to `outputs` numbers; each distinct state goes through once."""

    seen: Tensor  # [S, width]
    columns: Tensor | None  # [S, F]: which inputs are 1, where the view is one-hot

    def __init__(self, graph: GameGraph, view: str, width: int, layers: int, outputs: int) -> None:
        super().__init__()
        seen = observe(graph, view)
        sizes = [seen.shape[1], *[width] * layers]
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.last = nn.Linear(sizes[-1], outputs)
        columns = bits(graph) if view == "onehot" else None
        self.register_buffer("seen", torch.as_tensor(seen), persistent=False)
        self.register_buffer("columns", None if columns is None else torch.as_tensor(columns), persistent=False)

    def forward(self, states: Tensor | None = None) -> Tensor:
        """[B, outputs]: of these states, or of all."""
        first, *rest = *self.hidden, self.last
        assert isinstance(first, nn.Linear)
        if self.columns is None:
            out: Tensor = first(self.seen if states is None else self.seen[states])
        else:  # a one-hot row times a matrix is a sum of its columns
            columns = self.columns if states is None else self.columns[states]
            out = functional.embedding_bag(columns, first.weight.t().contiguous(), mode="sum") + first.bias
        for layer in rest:
            out = layer(torch.tanh(out))
        return out


def rows(network: StateNetwork, states: NDArray[np.int64]) -> Tensor:
    """[B, outputs]: of these states; where they are many of all there are, each goes through only once."""
    wanted = torch.as_tensor(states)
    answers: Tensor = network()[wanted] if len(network.seen) <= 2 * len(states) else network(wanted)
    return answers


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """What torch draws inside comes from this seed, and nothing outside notices."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed % 2**63)
        yield


def remembered(network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """The tensors of a network and of its Adam, as arrays by name."""
    state: dict[str, Any] = {f"network.{k}": v.numpy().copy() for k, v in network.state_dict().items()}
    for number, parameter in enumerate(network.parameters()):
        moments = optimizer.state.get(parameter) or _unmoved(parameter)
        state |= {f"adam.{number}.{k}": v.numpy().copy() for k, v in moments.items()}
    return state


def _unmoved(parameter: Tensor) -> dict[str, Tensor]:
    """What Adam remembers of a parameter before its first step."""
    zeros = torch.zeros_like(parameter)
    return {"step": torch.tensor(0.0), "exp_avg": zeros, "exp_avg_sq": zeros}


def bring_back(network: nn.Module, optimizer: torch.optim.Optimizer, state: Mapping[str, Any]) -> None:
    """Make them what `remembered` wrote down."""
    tensors = {k.removeprefix("network."): torch.tensor(v) for k, v in state.items() if k.startswith("network.")}
    network.load_state_dict(tensors)
    moments: dict[int, dict[str, Tensor]] = {}
    for key, value in state.items():
        if key.startswith("adam."):
            _, number, name = key.split(".")
            moments.setdefault(int(number), {})[name] = torch.tensor(value)
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
