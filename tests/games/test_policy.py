"""A policy is valid or refused with its state; its file describes itself and is read by numpy alone."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from games import GameGraph, Mistake, Policy, RuleBook, compile_rulebook, make_rulebook


def test_uniform_play_is_one_over_the_number_of_legal_moves(relative: RuleBook) -> None:
    graph = compile_rulebook(relative)
    for row, legal in zip(Policy.uniform(graph).probability, graph.legal, strict=True):
        assert row.tolist() == [pytest.approx(ok / max(legal.sum(), 1)) for ok in legal]


def test_greedy_play_takes_the_best_legal_move_and_the_lowest_of_equals(graph: GameGraph) -> None:
    policy = Policy.greedy(graph, np.zeros(graph.next_state.shape))
    assert (policy.probability.argmax(axis=1) == graph.legal.argmax(axis=1)).all()


def test_preferences_are_taken_as_frameworks_give_them(graph: GameGraph) -> None:
    torch = pytest.importorskip("torch")
    given = np.random.default_rng(0).normal(size=graph.next_state.shape).astype(np.float32)
    wanted = Policy.greedy(graph, given).probability
    masked = np.where(graph.legal, given, -np.inf)
    broken_where_illegal = np.where(graph.legal, given, np.nan)
    for told in (torch.tensor(given, requires_grad=True) * 2, given.tolist(), masked, broken_where_illegal):
        assert (Policy.greedy(graph, told).probability == wanted).all()
    nothing = Policy.greedy(graph, np.full(graph.next_state.shape, -np.inf))
    assert (nothing.probability.argmax(axis=1) == graph.legal.argmax(axis=1)).all()


@pytest.mark.parametrize(
    ("preference", "says"),
    [
        (
            lambda graph: np.full(graph.next_state.shape, np.nan),
            r"state 0 \(.*\) has a preference that is not a number",
        ),
        (lambda graph: np.zeros(graph.num_states), r"preferences have the shape .*, not \(\d+,\)"),
        (lambda graph: None, "the preferences are no array of numbers"),
    ],
)
def test_preferences_that_do_not_do_are_one_line(graph: GameGraph, preference: object, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        Policy.greedy(graph, preference(graph))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda table: table.__setitem__((3, 0), np.nan), "state 3 .* not finite"),
        (lambda table: table.__setitem__((3, 0), -0.1), "state 3 .* negative"),
        (lambda table: table.__setitem__(3, 0.0), "state 3 .* does not sum to 1"),
        (lambda table: table.__setitem__(4, table[4] * 1.001), "state 4 .* does not sum to 1"),
    ],
)
def test_a_bad_row_is_refused_by_name(graph: GameGraph, change: object, says: str) -> None:
    table = Policy.uniform(graph).probability.copy()
    change(table)  # type: ignore[operator]
    with pytest.raises(Mistake, match=says):
        Policy(graph, table)


def test_probability_on_an_illegal_move_is_refused_with_the_position() -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    table = Policy.uniform(graph).probability.copy()
    state = graph.follow([8, 7])
    table[state] = np.eye(10)[graph.action(7)]
    with pytest.raises(Mistake, match=rf"state {state} \(total 15, last 7\) puts probability on an illegal move"):
        Policy(graph, table)


def test_a_wrong_shape_is_refused(graph: GameGraph) -> None:
    with pytest.raises(Mistake, match=r"a policy has the shape .* not \(2, 2\)"):
        Policy(graph, np.ones((2, 2)))


def test_a_row_almost_1_is_renormalised(graph: GameGraph) -> None:
    policy = Policy(graph, Policy.uniform(graph).probability * (1 + 5e-7))
    assert abs(policy.probability.sum(axis=1) - 1).max() < 1e-15


def test_a_policy_cannot_be_changed_from_outside(graph: GameGraph) -> None:
    table = Policy.uniform(graph).probability.copy()
    policy = Policy(graph, table)
    table[:] = 7
    assert policy.probability.max() <= 1
    with pytest.raises(ValueError, match="read-only"):
        policy.probability[0, 0] = 1


def test_a_saved_policy_comes_back_bit_for_bit(relative: RuleBook, tmp_path: Path) -> None:
    graph = compile_rulebook(relative)
    policy = Policy(graph, Policy.uniform(graph).probability, {"stochastic": np.ones(3)})
    policy.save(tmp_path / "policy.npz")
    again = Policy.load(tmp_path / "policy.npz")
    assert again.probability.tobytes() == policy.probability.tobytes()
    assert again.extra["stochastic"].tolist() == [1, 1, 1]
    policy.save(tmp_path / "twice.npz")
    assert (tmp_path / "policy.npz").read_bytes() == (tmp_path / "twice.npz").read_bytes()


def test_a_stranger_reads_the_file_with_numpy_alone(graph: GameGraph, tmp_path: Path) -> None:
    Policy.uniform(graph).save(tmp_path / "policy.npz")
    with np.load(tmp_path / "policy.npz", allow_pickle=False) as file:
        assert file["probability"].dtype == np.float64
        assert str(file["game"]) == graph.game
        assert json.loads(str(file["parameters"])) == dict(graph.parameters)
        assert file["fields"].tolist() == list(graph.fields)
        assert file["positions"].shape == (graph.num_states, len(graph.fields))
        assert file["moves"].tolist() == graph.moves.tolist()
        assert str(file["checksum"]) == graph.checksum


def test_a_policy_of_another_game_is_refused(tmp_path: Path) -> None:
    graph, other = (compile_rulebook(make_rulebook("fifty-wins", target=target)) for target in (50, 60))
    Policy.uniform(graph).save(tmp_path / "policy.npz")
    with pytest.raises(Mistake, match="made for another"):
        Policy.load(tmp_path / "policy.npz", other)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04broken"])
def test_a_damaged_file_is_refused_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "policy.npz").write_bytes(content)
    with pytest.raises(Mistake, match="not a policy file"):
        Policy.load(tmp_path / "policy.npz")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"nothing.npz: cannot be read \(No such file"):
        Policy.load(tmp_path / "nothing.npz")


def test_a_file_without_its_description_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "policy.npz", probability=np.ones((2, 2)))
    with pytest.raises(Mistake, match="it has no moves, game, parameters, checksum"):
        Policy.load(tmp_path / "policy.npz")


def test_a_pickled_object_is_refused(graph: GameGraph, tmp_path: Path) -> None:
    Policy.uniform(graph).save(tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as file:
        arrays = dict(file) | {"probability": np.array([{}], dtype=object)}
    np.savez(tmp_path / "policy.npz", **arrays)
    with pytest.raises(Mistake, match="probability holds object, which is neither numbers nor text"):
        Policy.load(tmp_path / "policy.npz")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    graph = compile_rulebook(make_rulebook("fifty-wins"))
    Policy.uniform(graph).save(tmp_path / "good.npz")
    with zipfile.ZipFile(tmp_path / "good.npz") as good, zipfile.ZipFile(tmp_path / "bomb.npz", "w", 8) as bomb:
        for name in good.namelist():
            bomb.writestr(name, b"\0" * 50_000_000 if name == "probability.npy" else good.read(name))
    with pytest.raises(Mistake, match=r"probability.npy grows 50000000 bytes large"):
        Policy.load(tmp_path / "bomb.npz")


def test_a_small_file_does_not_start_the_work_of_a_large_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = compile_rulebook(make_rulebook("fifty-wins"))
    arrays = Policy.uniform(graph).arrays()
    monkeypatch.setattr("games.graph.WIDE", 0)  # so that the test needs no large game
    for parameters, says in (
        ('{"target": 1000}', "more than 50 states"),
        ('{"largest": 30000}', "30000 columns"),
        ('{"target": 1' + "0" * 17 + "}", "more than 50 states"),
        ('{"name": 3}', "no such parameter: name"),
        ("[" * 9_000, "nested too deeply"),
    ):
        np.savez(tmp_path / "policy.npz", **(arrays | {"parameters": np.array(parameters)}))
        with pytest.raises(Mistake, match=says):
            Policy.load(tmp_path / "policy.npz")


def test_anyones_model_is_measured_from_its_actions_or_its_probabilities(graph: GameGraph) -> None:
    lowest = Policy.from_function(graph, lambda observations, masks: masks.argmax(axis=1))
    assert (lowest.probability.argmax(axis=1) == graph.legal.argmax(axis=1)).all()
    soft = Policy.from_function(graph, lambda observations, masks: masks / masks.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(soft.probability, Policy.uniform(graph).probability)


def test_a_model_that_answers_outside_the_actions_is_refused(graph: GameGraph) -> None:
    with pytest.raises(Mistake, match=r"action 99 at state 0 .*actions are 0 to"):
        Policy.from_function(graph, lambda observations, masks: np.full(len(masks), 99))


def test_acting_is_greedy_without_a_generator_and_drawn_with_one(graph: GameGraph) -> None:
    policy = Policy.uniform(graph)
    assert policy.act(0) == 0
    drawn = {policy.act(0, np.random.default_rng(seed)) for seed in range(200)}
    assert drawn == set(range(graph.num_actions))


def test_acting_where_nothing_is_legal_is_refused() -> None:
    graph = compile_rulebook(make_rulebook("sequence-duel", largest=1))
    with pytest.raises(Mistake, match="no legal move at state 1"):
        Policy.uniform(graph).act(1)


def test_an_unwritable_path_is_refused(graph: GameGraph, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="cannot be written"):
        Policy.uniform(graph).save(tmp_path / "nowhere" / "policy.npz")


def test_tensors_float_actions_and_columns_are_taken_as_what_they_are(graph: GameGraph) -> None:
    torch = pytest.importorskip("torch")
    first = graph.legal.argmax(axis=1)
    wanted = Policy.from_function(graph, lambda observations, masks: first).probability
    shares = torch.tensor(np.where(graph.legal.any(axis=1, keepdims=True), wanted, 0.1), requires_grad=True)
    for answer in (
        first.astype(np.float32),
        first[:, None],
        torch.tensor(first),
        shares,
        shares.float(),
        first.tolist(),
    ):
        policy = Policy.from_function(graph, lambda observations, masks, answer=answer: answer)  # type: ignore[misc]
        assert (policy.probability == wanted).all()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda masks: np.full(len(masks), 0.3), "must be its action, not 0.3; return probabilities as"),
        (lambda masks: np.full(len(masks), np.nan), "must be its action, not nan"),
        (lambda masks: np.full(len(masks), True), "must be its action, not True"),
        (lambda masks: ["5"] * len(masks), "no array of numbers"),
        (lambda masks: [[1], [1, 2]], "no array of numbers"),
        (lambda masks: None, "no array of numbers"),
        (lambda masks: masks * -1.0, "negative probability"),
    ],
)
def test_an_answer_that_is_neither_actions_nor_probabilities_is_one_line(
    graph: GameGraph, answer: object, says: str
) -> None:
    with pytest.raises(Mistake, match=says):
        Policy.from_function(graph, lambda observations, masks: answer(masks))  # type: ignore[operator]
