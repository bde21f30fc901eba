"""One network on other members: its curve is what judging each member by itself says, and what cannot be is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.elsewhere import Network
from games import Mistake, compile_rulebook, make_rulebook
from report.members import told, write_curve
from solver import grade
from training.ladders.members import Board, Member, horizon, judge_members, members_in
from training.loop import train
from training.resolve import resolve
from training.run import Run

PACE = {"steps": 600, "warm_up": 0, "games": 64, "evaluations": 1, "width": 16}


def trained(place: Path, agent: str, **changes: object) -> Path:
    settings = resolve(env="fifty-wins", agent=agent, parameters={"target": 12}, changes={**PACE, **changes})
    train(settings, Run(place))
    return place


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("runs") / "dqn", "dqn", observation="scalar")


def test_on_its_own_member_a_network_plays_what_was_judged(run: Path) -> None:
    from agents.saved import load

    network, policy = Network.of(run), load(run)
    assert (network.policy(policy.graph).probability == policy.probability).all()


@pytest.mark.parametrize("agent", ["ppo", "expert-iteration"])
def test_the_networks_of_other_learners_are_read_too(agent: str, tmp_path: Path) -> None:
    from agents.saved import load

    few = {"games": 16, "plies": 4, "steps": 64, "evaluations": 1, "observation": "scalar"}
    settings = {**few, "batch": 64} if agent == "ppo" else {**few, "simulations": 5, "updates": 2}
    train(resolve(env="fifty-wins", agent=agent, changes=settings), Run(tmp_path / agent))
    policy = load(tmp_path / agent)
    assert (Network.of(tmp_path / agent).policy(policy.graph).probability == policy.probability).mean() > 0.99


def test_the_curve_is_what_each_member_says_by_itself(run: Path, tmp_path: Path) -> None:
    curve = list(judge_members(str(run), "target", range(9, 30, 5)))
    for member in curve:
        graph = compile_rulebook(make_rulebook("fifty-wins", target=member.size))
        policy = Network.of(run).policy(graph)
        assert member.blunders == grade(graph, policy).blunders
        assert member == Board.of(graph, member.size).judge(policy)
    file = write_curve(tmp_path, str(run), "target", curve)
    assert file.read_text().splitlines()[0] == "target,states,critical,blunders"
    table = json.loads((tmp_path / "members.json").read_text())
    assert [row["blunders"] for row in table["members"]] == [member.blunders for member in curve]


def test_a_horizon_ends_before_the_first_member_with_a_blunder() -> None:
    curve = [Member(size, 10, 8, blunders) for size, blunders in ((5, 0), (6, 0), (7, 2), (8, 0))]
    assert horizon(curve) == 6
    assert horizon(curve[2:]) is None
    assert "target=6: none has a blunder from target=5 on" in list(told("run", "target", curve))[-1]
    many = list(told("run", "target", [Member(size, 10, 8, 1) for size in range(900)]))
    assert len(many) <= 26
    assert sum(int(line.split(" of ")[0].split()[-1]) for line in many[1:-1]) == 900


def test_a_view_whose_width_follows_the_size_is_refused_in_a_line(tmp_path: Path) -> None:
    run = trained(tmp_path / "run", "dqn")
    graph = compile_rulebook(make_rulebook("fifty-wins", target=13))
    with pytest.raises(Mistake, match=r"sees a position as 12 numbers \(observation=onehot\), and .*target=13") as told:
        Network.of(run).policy(graph)
    assert "\n" not in str(told.value)


def test_other_moves_other_parameters_and_no_network_are_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="chooses among 10 moves"):
        list(judge_members(str(run), "largest", [3]))
    with pytest.raises(Mistake, match="no such parameter: targt; did you mean target"):
        list(judge_members(str(run), "targt", [3]))
    with pytest.raises(Mistake, match="a table plays only"):
        list(judge_members(str(tmp_path), "target", [3]))


@pytest.mark.parametrize("word", ["target", "target=", "target=9-3", "target=1-999999999", "=3", "target=1..3"])
def test_what_names_no_members_is_refused(word: str) -> None:
    with pytest.raises(Mistake, match="--on"):
        members_in(word)
    assert members_in("target=7-9") == ("target", [7, 8, 9])


def test_the_view_digit_by_digit_shows_a_place_alike_whatever_the_size() -> None:
    from games import observe
    from games.observation import numbers, places

    small, large = (compile_rulebook(make_rulebook("fifty-wins", target=size)) for size in (47, 1047))
    rows = [
        observe(graph, "sequence").reshape(graph.num_states, places(graph), numbers(graph), 10)
        for graph in (small, large)
    ]
    assert rows[0].shape[2:] == rows[1].shape[2:]
    assert np.argmax(rows[1], axis=3)[1034].tolist() == [[4, 7, 0], [3, 4, 1], [0, 0, 0], [1, 1, 0]]
    assert (rows[0][35] == rows[1][35, : places(small)])[:, 0].all()
