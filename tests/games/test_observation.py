"""What a player sees tells positions apart and tells nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from games import Mistake, RuleBook, check_rulebook, compile_rulebook, make_rulebook, observe
from games.observation import VIEWS, width

NIM = Path(__file__).parents[2] / "examples" / "books" / "nim.py"


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


def test_a_row_of_nim_is_seen_as_what_is_left_of_it_bit_by_bit() -> None:
    book = make_rulebook(str(NIM), rows=3)
    graph = compile_rulebook(book)
    state = graph.follow([301, 201])  # one of five, one of three
    assert book.words(graph.positions[state]) == "rows of 1, 2, 4"
    assert observe(graph, "binary", np.array([state]))[0].tolist() == [1, 0, 1, 0, 0, 1]
    assert np.flatnonzero(observe(graph, "onehot", np.array([state]))[0]).tolist() == [1, 2 + 2, 2 + 4 + 4]
    for view in VIEWS:
        assert len(np.unique(observe(graph, view), axis=0)) == graph.num_states


@pytest.mark.parametrize(("shown", "fault"), [("stones % 2,", "two positions alike"), ("stones - 1,", "outside")])
def test_a_book_that_hides_or_invents_is_found_out(tmp_path: Path, shown: str, fault: str) -> None:
    file = tmp_path / "hidden.py"
    file.write_text(f"""
from dataclasses import dataclass
from games.rulebook import MOVER_WINS, RuleBook

@dataclass(frozen=True)
class Hidden(RuleBook):
    def moves(self): return [1, 2]
    def fields(self): return {{"stones": 5}}
    def play(self, move, stones): return MOVER_WINS if stones + move > 4 else stones + move
    def look(self, stones): return ({shown})
""")
    assert any(fault in line for line in check_rulebook(make_rulebook(str(file))).faults)


def test_an_unknown_view_is_refused_with_the_nearest() -> None:
    with pytest.raises(Mistake, match="no such observation: one-hot; did you mean onehot"):
        observe(compile_rulebook(make_rulebook("fifty-wins")), "one-hot")
