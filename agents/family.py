"""DQN on many members of a family at once, with a network to which positions of all sizes look alike.

It looks one move ahead: a position that is remembered is learned from with all its legal moves.
All members together are one graph, each beside the others: a game starts at any position of any of them, so each draws
its member. The policy is that of the member which the run is of; `evaluate.py RUN --on target=101-1000` judges others.
"""

from __future__ import annotations

import re

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.digit_networks import DigitReader, Waves
from agents.dqn import DQNLearner
from agents.settings import FamilySettings
from agents.state_network import seeded
from agents.weights import packed
from base.mistake import Mistake
from games import GameGraph, Policy
from games.find import with_parameters
from games.graph import compile_rulebook
from games.observation import look


class FamilyLearner(DQNLearner):
    """The games are those of all members; what is judged along the way is one of them."""

    settings: FamilySettings

    def __init__(self, settings: FamilySettings, graph: GameGraph, seed: int) -> None:
        self.member = graph
        super().__init__(settings, side_by_side(members(graph, settings.members)), seed)
        with seeded(seed):
            self.here = self._network(graph)

    def _network(self, graph: GameGraph) -> DigitReader | Waves:
        kind = DigitReader if self.settings.network == "gru" else Waves
        return kind(graph, self.settings.width, graph.num_actions)

    def _loss(self, states: NDArray[np.int64], actions: NDArray[np.int64], outcomes: NDArray[np.int64]) -> Tensor:
        """Of every legal move in the positions drawn: the rules say where each leads."""
        after, legal = self.graph.outcome[states], torch.as_tensor(self.graph.legal[states])
        goals = self.goals(after.reshape(-1).astype(np.int64)).reshape(after.shape)
        if self.settings.discount == 1.0:  # then a move wins, loses or neither, and nothing in between
            goals = np.rint(goals)
        error = (self.network(torch.as_tensor(states)) - torch.as_tensor(goals, dtype=torch.float32))[legal]
        loss: Tensor = error.square().mean() + self.settings.penalty * self.network.penalty()
        return loss

    def policy(self) -> Policy:
        self.here.load_state_dict(self.network.state_dict())
        with torch.no_grad():
            return Policy.greedy(self.member, self.here().double().numpy())

    def artifacts(self) -> tuple[dict[str, bytes], dict[str, float]]:
        weights = {name: tensor.numpy() for name, tensor in self.network.state_dict().items()}
        return {"network.safetensors": packed(weights, self.member, "sequence")}, {}


def members(graph: GameGraph, word: str) -> list[GameGraph]:
    """The members that a text such as target=1-100 names, each compiled; this one alone where it names none."""
    book = graph.book
    if not word:
        return [graph]
    if book is None or book.arrays is not None:
        raise Mistake(f"{graph.game}: one game from elsewhere; members={word} needs the rule book of its family")
    found = re.fullmatch(r"([a-z_]+)=(\d{1,6})-(\d{1,6})", word)
    if found is None or not int(found[2]) <= int(found[3]):
        raise Mistake(
            f"{book.name}: members={word} names no members of a family; write members=target=1-100, for example"
        )
    sizes = range(int(found[2]), int(found[3]) + 1)
    graphs = [compile_rulebook(with_parameters(type(book), **{**book.parameters, found[1]: size})) for size in sizes]
    if any(one.moves.tolist() != graph.moves.tolist() for one in graphs):
        raise Mistake(f"{book.name}: members={word} have different moves; one network chooses among the same moves")
    return graphs


def side_by_side(graphs: list[GameGraph]) -> GameGraph:
    """One graph of several games that never meet: their parameters are fields, so each position tells its member."""
    given = [key for key, value in graphs[0].parameters.items() if isinstance(value, int)]
    largest = {key: max(int(graph.parameters[key]) for graph in graphs) + 1 for key in given}
    fields = {key: max(graph.fields[key] for graph in graphs) for key in graphs[0].fields} | largest
    positions, tables, first = [], [], 0
    for graph in graphs:
        own = np.broadcast_to([int(graph.parameters[key]) for key in given], (graph.num_states, len(given)))
        positions.append(np.concatenate([look(graph), own], axis=1))
        tables.append(np.where(graph.next_state >= 0, graph.next_state + first, graph.next_state))
        first += graph.num_states
    whole = np.concatenate(positions).astype(np.int32), graphs[0].moves.copy(), np.concatenate(tables).astype(np.int32)
    return GameGraph(f"{graphs[0].game} side by side", {}, fields, *whole)
