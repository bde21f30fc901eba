"""Networks that see positions of any size: they read the view `sequence`, digit after digit or as whole numbers.

A GRU reads the places, the lowest first, with the same weights at each. Waves look at whole numbers x (fields and
parameters) through cosines, cos(w x + b), whose frequencies w are learned: what repeats itself with the size of the
numbers is the same wave for small and for large ones.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from agents.elsewhere import FINE
from games import GameGraph, observe
from games.observation import numbers, places, whole_numbers


class DigitReader(nn.Module):
    """A GRU over the places, and `outputs` numbers from what it remembers at the end."""

    seen: Tensor  # [S, places, inputs]

    def __init__(self, graph: GameGraph, width: int, outputs: int) -> None:
        super().__init__()
        seen = torch.as_tensor(observe(graph, "sequence")).reshape(graph.num_states, places(graph), -1)
        self.gru = nn.GRU(seen.shape[2], width, batch_first=True)
        self.last = nn.Linear(width, outputs)
        self.register_buffer("seen", seen, persistent=False)

    def forward(self, states: Tensor | None = None) -> Tensor:
        """[B, outputs]: of these states, or of all."""
        _, held = self.gru(self.seen if states is None else self.seen[states])
        out: Tensor = self.last(held[0])
        return out

    def penalty(self) -> Tensor:
        return torch.zeros(())


class Waves(nn.Module):
    """Cosines with learned frequencies of sums and differences of the numbers, and `outputs` sums of them."""

    seen: Tensor  # [S, numbers]

    def __init__(self, graph: GameGraph, width: int, outputs: int) -> None:
        super().__init__()
        signs = torch.randint(-1, 2, (width, numbers(graph)))
        self.frequency = nn.Parameter(signs * torch.rand(width, 1) * math.pi / FINE)
        self.phase = nn.Parameter(torch.rand(width) * 2 * math.pi)
        self.last = nn.Linear(width, outputs)
        nn.init.zeros_(self.last.weight)
        self.register_buffer("seen", torch.as_tensor(whole_numbers(graph)), persistent=False)

    def forward(self, states: Tensor | None = None) -> Tensor:
        """[B, outputs]: of these states, or of all."""
        seen = self.seen if states is None else self.seen[states]
        out: Tensor = self.last(torch.cos(seen @ (FINE * self.frequency).T + self.phase))
        return out

    def penalty(self) -> Tensor:
        """How much its waves say, on average: few waves that explain all are better than many that explain it too."""
        return self.last.weight.abs().sum(dim=0).mean()
