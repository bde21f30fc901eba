"""The compiler: both engines agree, the arrays mean what the rules say, and a wrong book is refused with its place."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from games import DRAW, ILLEGAL, MOVER_LOSES, GameGraph, Mistake, RuleBook, compile_rulebook, grid, make_rulebook
from games.ints import outcome_of
from games.rulebook import Outcome


def test_ints_and_columns_give_the_same_arrays(relative: RuleBook) -> None:
    ints, columns = (compile_rulebook(relative, engine=engine) for engine in ("ints", "columns"))
    np.testing.assert_array_equal(ints.positions, columns.positions)
    np.testing.assert_array_equal(ints.next_state, columns.next_state)
    assert ints.checksum == columns.checksum


@pytest.mark.parametrize("few", [1, 30, 100])
def test_columns_in_many_small_pieces_give_the_same_arrays(
    few: int, relative: RuleBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = compile_rulebook(relative, engine="columns")
    monkeypatch.setattr(grid, "GRID", few)
    monkeypatch.setattr(grid, "BLOCK", few)
    assert compile_rulebook(relative, engine="columns").checksum == whole.checksum


def test_every_entry_is_what_the_rule_says(relative: RuleBook) -> None:
    graph = compile_rulebook(relative)
    for state, action in itertools.product(range(graph.num_states), range(graph.num_actions)):
        outcome = outcome_of(relative, int(graph.moves[action]), tuple(graph.positions[state].tolist()))
        after = int(graph.next_state[state, action])
        assert outcome == (after if after < 0 else tuple(graph.positions[after].tolist()))


def test_state_0_is_the_start_and_states_are_sorted_by_their_fields(relative: RuleBook) -> None:
    rows = compile_rulebook(relative).positions.tolist()
    assert not any(rows[0])
    assert rows == sorted(rows)


def test_every_state_is_reached_from_the_start(relative: RuleBook) -> None:
    graph = compile_rulebook(relative, engine="columns")
    seen, queue = {0}, [0]
    for state in queue:
        fresh = {int(after) for after in graph.next_state[state] if after >= 0} - seen
        seen |= fresh
        queue += sorted(fresh)
    assert len(seen) == graph.num_states


def test_only_a_game_that_can_come_back_has_a_cycle(relative: RuleBook) -> None:
    graph = compile_rulebook(relative)
    ancestors: dict[int, bool] = {}  # a state: whether it is still on the path

    def loops(state: int) -> bool:
        if state in ancestors:
            return ancestors[state]
        ancestors[state] = True
        found = any(loops(int(after)) for after in graph.next_state[state] if after >= 0)
        ancestors[state] = False
        return found

    assert graph.has_cycle == loops(0)


def test_cycles_are_found_without_an_order() -> None:
    def graph(*edges: Sequence[int]) -> GameGraph:
        count = len(edges)
        positions = np.arange(count, dtype=np.int32)[:, None]
        return GameGraph("g", {}, {"n": count}, positions, np.arange(2), np.array(edges, dtype=np.int32))

    backward = graph([2, -3], [-3, -3], [1, -3])  # 0 -> 2 -> 1: not in order, and no cycle
    assert (backward.ordered, backward.has_cycle) == (False, False)
    assert graph([1, -3], [1, -3]).has_cycle  # a move that leads back to where it was


def test_the_arrays_cannot_be_written_to(graph: GameGraph) -> None:
    for array in (graph.next_state, graph.positions, graph.moves, graph.legal):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_checksum_sees_one_changed_edge(graph: GameGraph) -> None:
    changed = graph.next_state.copy()
    changed[-1, -1] = DRAW
    other = GameGraph(graph.game, graph.parameters, graph.fields, graph.positions, graph.moves, changed)
    assert other.checksum != graph.checksum


def test_a_large_family_goes_through_columns_and_is_right_at_both_ends() -> None:
    book = make_rulebook("number-flip", target=20_000)
    graph = compile_rulebook(book)
    assert graph.ordered
    assert graph.follow([8, 7]) == graph.state((15, 7))
    assert (graph.next_state[graph.state((19_999, 3))] != ILLEGAL).sum() == 9


@pytest.mark.parametrize(
    ("moves", "says"), [([7, 7], "against the rules after '7'"), ([11], "no move 11"), ([True], "no")]
)
def test_a_line_that_breaks_the_rules_is_refused(moves: list[int], says: str) -> None:
    with pytest.raises(Mistake, match=says):
        compile_rulebook(make_rulebook("number-flip")).follow(moves)


def test_a_line_past_the_end_is_refused() -> None:
    with pytest.raises(Mistake, match="the game is over after '3 4'"):
        compile_rulebook(make_rulebook("avoid-the-seventh")).follow([3, 4, 1])


@dataclass(frozen=True)
class Broken(RuleBook):
    """A book whose rule is given from outside, to be wrong in one way at a time."""

    size: int = 5

    def moves(self) -> Sequence[int]:
        return [1, 2]

    def fields(self) -> Mapping[str, int]:
        return {"total": self.size}


def broken(rule: Callable[[int, int], Outcome]) -> RuleBook:
    return type("Broken", (Broken,), {"play": lambda self, number, total: rule(number, total)})()  # type: ignore[no-any-return]


@pytest.mark.parametrize("engine", ["ints", "columns", None])
def test_a_field_outside_its_size_is_refused_with_the_place(engine: str | None) -> None:
    with pytest.raises(Mistake, match=r"broken: play\(2, 3\) makes total 5, outside 0 to 4; end the game there"):
        compile_rulebook(broken(lambda number, total: total + number), engine=engine)


def test_a_rule_that_answers_nothing_is_refused_with_the_place() -> None:
    with pytest.raises(Mistake, match=r"play\(1, 0\) gave \(None,\); it must give a verdict or the 1 fields total"):
        compile_rulebook(broken(lambda number, total: None))  # type: ignore[arg-type, return-value]


def test_a_rule_that_raises_is_refused_with_the_place() -> None:
    with pytest.raises(Mistake, match=r"play\(1, 0\) raised ZeroDivisionError"):
        compile_rulebook(broken(lambda number, total: total // 0))


def test_an_impure_rule_is_refused() -> None:
    calls: list[int] = []

    def rule(number: int, total: int) -> Outcome:
        calls.append(number)
        return MOVER_LOSES if len(calls) > 7 or total + number >= 5 else total + number

    with pytest.raises(Mistake, match="a rule must be pure"):
        compile_rulebook(broken(rule))


def test_more_states_than_allowed_are_refused_by_both_engines() -> None:
    for engine in ("ints", "columns"):
        with pytest.raises(Mistake, match="more than 100 states; take smaller parameters"):
            compile_rulebook(make_rulebook("number-flip"), max_states=100, engine=engine)


def test_a_book_without_moves_or_fields_is_refused() -> None:
    for attribute, value, says in (("moves", [], "moves"), ("moves", [2, 1], "ascending"), ("fields", {}, "fields")):
        book = type("Broken", (Broken,), {attribute: lambda self, value=value: value})()
        with pytest.raises(Mistake, match=says):
            compile_rulebook(book)


def test_more_states_than_ints_can_walk_are_refused_without_being_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.graph.MAX_STATES_ON_INTS", 500)
    with pytest.raises(Mistake, match="more than 500 states"):
        compile_rulebook(make_rulebook("number-flip", target=10**12))
