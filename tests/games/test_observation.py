"""What a player sees tells positions apart and tells nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from games import Mistake, RuleBook, compile_rulebook, make_rulebook, observe
from games.observation import VIEWS, width


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_tells_all_positions_apart(relative: RuleBook, view: str) -> None:
    graph = compile_rulebook(relative)
    seen = observe(graph, view)
    assert len(np.unique(seen, axis=0)) == graph.num_states
    if view != "index":
        assert seen.shape == (graph.num_states, width(graph, view))
        assert seen.dtype == np.float32
        assert seen.min() >= 0
        assert seen.max() <= 1


def test_one_bit_a_field_is_set_and_none_yet_has_a_bit() -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    seen = observe(graph)
    assert (seen.sum(axis=1) == 2).all()
    assert np.flatnonzero(seen[0]).tolist() == [0, 50]
    assert np.flatnonzero(seen[graph.state((15, 7))]).tolist() == [15, 57]


def test_some_states_are_seen_as_they_are_among_all(relative: RuleBook) -> None:
    compiled = compile_rulebook(relative)
    states = np.arange(compiled.num_states)[::2]
    for view in VIEWS:
        np.testing.assert_array_equal(observe(compiled, view, states), observe(compiled, view)[states])


def test_an_unknown_view_is_refused_with_the_nearest() -> None:
    with pytest.raises(Mistake, match="no such observation: one-hot; did you mean onehot"):
        observe(compile_rulebook(make_rulebook("fifty-wins")), "one-hot")
