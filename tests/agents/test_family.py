"""Learning on many members at once: the members stay apart, and the network reads positions of any size alike."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.elsewhere import Network
from agents.family import FamilyLearner, members, side_by_side
from agents.settings import make_options
from base.arrays import packed
from games import GameGraph, Mistake, compile_rulebook, make_rulebook, observe
from games.observation import whole_numbers
from solver import solve

FEW = {"games": 16, "warm_up": 0, "width": 8, "batch": 64, "memory": 1000, "members": "target=3-9"}


def graph_of(target: int) -> GameGraph:
    return compile_rulebook(make_rulebook("fifty-wins", target=target))


def learner(network: str, seed: int = 0) -> FamilyLearner:
    return FamilyLearner(make_options("family", FEW | {"network": network}), graph_of(9), seed)  # type: ignore[arg-type]


def test_members_lie_side_by_side_and_are_worth_what_they_are_alone() -> None:
    alone = [graph_of(target) for target in range(3, 10)]
    whole = side_by_side(members(graph_of(9), "target=3-9"))
    first = 0
    for graph in alone:
        rows = slice(first, first + graph.num_states)
        inside = whole.next_state[rows]
        assert (np.where(inside >= 0, inside - first, inside) == graph.next_state).all()
        assert (solve(whole).value[rows] == solve(graph).value).all()
        assert (whole_numbers(whole)[rows] == whole_numbers(graph)).all()
        first += graph.num_states
    assert first == whole.num_states


@pytest.mark.parametrize("network", ["waves", "gru"])
def test_weights_say_on_disk_what_they_say_in_training(network: str, tmp_path: object) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    one = learner(network)
    for _ in range(5):
        one.advance(1)
    files, _ = one.artifacts()
    (tmp_path / "network.safetensors").write_bytes(files["network.safetensors"])
    stored = Network.of(tmp_path)
    assert (stored.policy(graph_of(9)).probability == one.policy().probability).all()
    large = graph_of(1234)
    with torch.no_grad():
        expected = one._network(large)
        expected.load_state_dict(one.network.state_dict())
        best = np.where(large.legal, expected().numpy(), -np.inf)
    chosen = stored.policy(large).probability.argmax(axis=1)
    assert (best.max(axis=1) - best[np.arange(len(best)), chosen] < 1e-4).all()


@pytest.mark.parametrize("network", ["waves", "gru"])
def test_stopping_anywhere_changes_nothing(network: str) -> None:
    whole, pieces = learner(network, seed=3), learner(network, seed=3)
    for _ in range(6):
        whole.advance(1)
    for _ in range(6):
        saved = pieces.state()
        pieces = learner(network, seed=3)
        pieces.restore(saved)
        pieces.advance(1)
    assert packed(whole.state()) == packed(pieces.state())


@pytest.mark.parametrize(
    ("word", "told"),
    [("target", "names no members"), ("target=9-3", "names no members"), ("largest=2-3", "different moves")],
)
def test_what_is_no_family_is_refused(word: str, told: str) -> None:
    with pytest.raises(Mistake, match=told):
        members(graph_of(9), word)
    assert observe(graph_of(9), "sequence").shape[1] == 60
