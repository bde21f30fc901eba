"""An upper bound for the ladder of horizons: waves that are told the period, so that they know the remainder.

python ladder.py horizon --agent examples/told_the_period.py --set members=target=1-100
"""

import math
from typing import Any

import torch
from pydantic import Field

from agents.digit_networks import FINE
from agents.family import FamilyLearner
from agents.settings import FamilySettings
from games import GameGraph


class ToldSettings(FamilySettings):
    steps: int = Field(60_000, description="The budget: how many moves are made.", ge=1)
    penalty: float = Field(0.0, description="The weight of how much the waves say.", ge=0)


class ToldLearner(FamilyLearner):
    """As the family's learner, but its frequencies are those of the remainder by one more than the largest move."""

    def __init__(self, settings: ToldSettings, graph: GameGraph, seed: int) -> None:
        super().__init__(settings, graph, seed)

    def _network(self, graph: GameGraph) -> Any:
        network: Any = super()._network(graph)
        period = graph.num_actions + 1
        harmonic = torch.arange(len(network.frequency)) % period
        with torch.no_grad():
            network.frequency[:] = 0.0
            network.frequency[:, 0] = -2 * math.pi * harmonic / period / FINE  # of the total
            network.frequency[:, 1] = 2 * math.pi * harmonic / period / FINE  # of the target
        network.frequency.requires_grad_(False)
        return network
