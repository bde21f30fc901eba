"""A trained network on another member of its family: what it prefers there, computed from its weights alone.

It is possible where what a player sees has the same width whatever the size (the view `scalar`), or where the network
reads digit by digit (the view `sequence`). Without torch, so that judging a thousand members starts at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.weights import Tensors, read
from base.mistake import Mistake
from base.text import named
from games import GameGraph, Policy, RuleBook, observe
from games.observation import numbers, places, whole_numbers, width

Floats = NDArray[np.float32]
ACTORS = ("mlp_extractor.policy_net.", "actor.", "")  # how the names of the layers begin that choose a move
FINE = 0.1  # a frequency is so much of what is learned for it: a small error of one grows with the number
GRU = ("gru.weight_ih_l0", "gru.weight_hh_l0", "gru.bias_ih_l0", "gru.bias_hh_l0")


@dataclass(frozen=True, eq=False)
class Network:
    """The weights of a run, and the game that they were trained on."""

    where: str
    tensors: Tensors
    graph: GameGraph
    view: str

    @staticmethod
    def of(run: str | Path) -> Network:
        file = Path(run) / "network.safetensors"
        if not file.is_file():
            raise Mistake(f"{run}: has no network.safetensors; a table plays only the game that it was learned on")
        return Network(str(run), *read(file))

    def book(self) -> RuleBook:
        """The rule book of its family, from which other members are made."""
        book = self.graph.book
        if book is None or book.arrays is not None:
            raise Mistake(
                f"{self.where}: carries one game from elsewhere, and no rule book to make others of its family"
            )
        return book

    def policy(self, graph: GameGraph) -> Policy:
        """Greedy, the lowest of equals, on any member that looks and moves alike."""
        if graph.moves.tolist() != self.graph.moves.tolist():
            raise Mistake(
                f"{self.where}: chooses among {self.graph.num_actions} moves; {_name(graph)} has {graph.num_actions}"
            )
        if self.view == "sequence" and numbers(graph) != numbers(self.graph):
            raise Mistake(f"{self.where}: sees {numbers(self.graph)} numbers; {_name(graph)} shows {numbers(graph)}")
        if GRU[0] in self.tensors:
            return Policy.greedy(graph, self._last(self._read_digits(graph)))
        if "frequency" in self.tensors:
            waves = np.cos(whole_numbers(graph) @ (FINE * self.tensors["frequency"]).T + self.tensors["phase"])
            return Policy.greedy(graph, self._last(waves))
        shown, known = width(graph, self.view), width(self.graph, self.view)
        if shown != known:
            raise Mistake(
                f"{self.where}: sees a position as {known} numbers (observation={self.view}), and {_name(graph)} is "
                f"seen as {shown}; train with observation=scalar, or with --agent family, which reads digit by digit"
            )
        seen = np.asarray(observe(graph, self.view), dtype=np.float32)
        for weight, bias in self._hidden():
            seen = np.tanh(seen @ weight.T + bias)
        return Policy.greedy(graph, self._last(seen))

    def _hidden(self) -> list[tuple[Floats, Floats]]:
        for start in ACTORS:
            name = re.compile(re.escape(start) + (r"(\d+)" if "policy" in start else r"hidden\.(\d+)") + r"\.weight")
            numbered = sorted((int(found[1]), key) for key in self.tensors if (found := name.fullmatch(key)))
            if numbered:
                return [(self.tensors[key], self.tensors[key.replace(".weight", ".bias")]) for _, key in numbered]
        return []

    def _last(self, seen: Floats) -> Floats:
        for name in ("action_net", "actor.last", "last"):
            if f"{name}.weight" in self.tensors:
                return np.asarray(seen @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"])
        raise Mistake(f"{self.where}: its tensors make no network of ours")

    def _read_digits(self, graph: GameGraph) -> Floats:
        """[S, H]: what a GRU remembers after the last place."""
        into, over, bias_in, bias_over = (self.tensors[name] for name in GRU)
        seen = np.asarray(observe(graph, "sequence"), dtype=np.float32).reshape(graph.num_states, places(graph), -1)
        held = np.zeros((len(seen), over.shape[1]), dtype=np.float32)
        for place in range(seen.shape[1]):
            new_r, new_z, new_n = np.split(seen[:, place] @ into.T + bias_in, 3, axis=1)
            old_r, old_z, old_n = np.split(held @ over.T + bias_over, 3, axis=1)
            reset, keep = _sigmoid(new_r + old_r), _sigmoid(new_z + old_z)
            held = (1 - keep) * np.tanh(new_n + reset * old_n) + keep * held
        return held


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)), dtype=np.float32)


def _name(graph: GameGraph) -> str:
    return named(graph.game, graph.parameters)
