"""The document: every number in it is the solver's, and it says what docs/formats/report.md says."""

from __future__ import annotations

import re
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import player
from games import GameGraph, Policy, compile_rulebook, make_rulebook
from report.compare import compare
from report.document import Curve, PartialExam, Report, as_json
from report.page import page
from report.players import SIGNS
from report.runs import Entry
from solver import certify, scorecard, solve, versus
from tests.report.made import as_read, baselines, entries, report_on, trained

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        trained(out, "number-flip", seed=seed)
        trained(out, "number-flip", seed=seed, agent="sarsa")
    return out


@pytest.fixture(scope="module")
def read(runs: Path) -> list[Entry]:
    return entries(runs)


@pytest.fixture(scope="module")
def whole(read: list[Entry]) -> Report:
    return report_on(read, comparison=compare(read, "sarsa", "q-learning"))


@pytest.fixture(scope="module")
def document(whole: Report) -> dict[str, Any]:
    return as_read(whole)


def probability(player: dict[str, Any]) -> np.ndarray:
    return np.array([player["policy"]["rows"][row] for row in player["policy"]["row"]], dtype=np.float64)


def test_every_scorecard_is_the_solvers(book: Any) -> None:
    game = next(game for game in as_read(baselines())["games"] if game["game"] == book.name)
    graph = compile_rulebook(book)
    for shown in game["players"]:
        policy = player(shown["name"], graph)
        assert (probability(shown) == policy.probability).all()
        assert shown["card"] == asdict(replace(scorecard(graph, policy), agent=shown["name"]))


def test_every_fact_of_a_game_is_the_solvers(graph: GameGraph) -> None:
    game = next(game for game in as_read(baselines())["games"] if game["game"] == graph.game)
    solution = solve(graph)
    assert game["arrays"]["value"] == solution.value.tolist()
    assert game["arrays"]["remoteness"] == solution.remoteness.tolist()
    assert game["arrays"]["next_state"] == graph.next_state.tolist()
    assert (game["won"] + game["held"] + game["lost"], game["checksum"]) == (graph.num_states, graph.checksum)
    assert game["faults"] == certify(graph, solution) == []
    assert game["critical_states"] == int(solution.critical.sum())
    end = graph.follow(game["line"])
    assert (end < 0) == (game["value"] != 0) == (not game["line_endless"])
    if game["value"]:
        assert len(game["line"]) == game["remoteness"]


def test_the_matrix_is_exact_play_of_row_against_column(graph: GameGraph) -> None:
    game = next(game for game in as_read(baselines())["games"] if game["game"] == graph.game)
    names = [game["players"][k]["name"] for k in game["crossplay"]["players"]]
    assert set(names) >= {"uniform", "optimal", "mcts-10", "mcts-100", "mcts-1000"}
    policies = [player(name, graph) for name in names]
    for i, first in enumerate(policies):
        for j, second in enumerate(policies):
            expected = asdict(versus(graph, first, second))
            assert game["crossplay"]["results"][i][j] == pytest.approx(expected)


def test_a_snapshot_is_read_back_as_the_run_wrote_it(read: list[Entry], document: dict[str, Any]) -> None:
    for entry, shown in zip(read, document["games"][0]["players"], strict=False):
        assert entry.snapshots is not None
        steps, action = entry.snapshots
        snapshots, text = shown["snapshots"], None
        assert snapshots["steps"] == steps
        for k, written in enumerate(snapshots["actions"]):
            text = written if written is not None else text
            assert [SIGNS.find(sign) for sign in str(text)] == action[k].tolist()


def test_many_moves_take_more_signs() -> None:
    from report.players import _snapshots

    action = np.array([[0, 63, 64, 4095, -1]], dtype=np.int16)
    snapshots = _snapshots([0], action, 4096, 1.0)
    assert (snapshots.width, snapshots.actions) == (2, ["AAA_BA__.."])


def test_every_blunder_is_one_and_its_refutation_wins(document: dict[str, Any]) -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    solution = solve(graph)
    seen = 0
    for shown in document["games"][0]["players"]:
        table = probability(shown)
        wrong = (table > 0) & graph.legal & ~solution.keeps
        assert len(shown["blunders"]) == min(50, int(wrong.any(axis=1).sum())) == min(50, shown["card"]["blunders"])
        assert [b["met"] for b in shown["blunders"]] == sorted((b["met"] for b in shown["blunders"]), reverse=True)
        for blunder in shown["blunders"]:
            state, action = blunder["state"], graph.action(blunder["move"])
            assert wrong[state, action]
            assert blunder["keeps"] == graph.moves[solution.keeps[state]].tolist()
            assert blunder["after"] < blunder["value"] == solution.value[state]
            after = int(graph.next_state[state, action])
            if after >= 0:
                assert len(blunder["line"]) == solution.remoteness[after]
                assert graph.follow(blunder["line"], after) < 0
            seen += 1
    assert seen > 100


def test_groups_are_runs_that_differ_by_their_seed(document: dict[str, Any]) -> None:
    groups = document["games"][0]["groups"]
    assert [(group["name"], group["runs"]) for group in groups] == [("q-learning", 2), ("sarsa", 2)]
    for group in groups:
        cards = [p["card"] for p in document["games"][0]["players"] if p["group"] == group["name"]]
        assert group["blunders"]["iqm"] == np.mean([card["blunders"] for card in cards])
        assert group["perfect"] == sum(card["perfect"] for card in cards)


def test_settings_that_differ_are_named(runs: Path, tmp_path: Path) -> None:
    other = trained(tmp_path, "number-flip", steps=500)
    report = report_on(entries(*(runs / "number-flip").glob("q-learning*"), other))
    assert {group.name for group in report.games[0].groups} == {
        "q-learning (steps=20000)",
        "q-learning (steps=500)",
    }


def test_a_comparison_pairs_the_same_seeds(document: dict[str, Any]) -> None:
    (game,) = document["comparison"]["games"]
    players = {p["name"]: p["card"] for p in document["games"][0]["players"]}
    assert [pair["seed"] for pair in game["pairs"]] == [0, 1]
    for pair in game["pairs"]:
        for side, agent in (("a", "sarsa"), ("b", "q-learning")):
            assert pair[side]["blunders"] == players[f"{agent} seed {pair['seed']}"]["blunders"]
    mean = np.mean([pair["a"]["blunders"] - pair["b"]["blunders"] for pair in game["pairs"]])
    assert game["measures"]["blunders"]["mean"] == mean
    assert game["measures"]["steps_to_perfect"]["mean"] is None
    assert game["measures"]["steps_to_perfect"]["ties"] == 2


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        (("sarsa", "q-lerning"), "did you mean q-learning"),
        (("sarsa", "sarsa"), "on both sides"),
    ],
)
def test_what_cannot_be_compared_is_said(sides: tuple[str, str], words: str, read: list[Entry]) -> None:
    from games import Mistake

    with pytest.raises(Mistake, match=words):
        compare(read, *sides)


def documented(title: str) -> set[str]:
    text = (ROOT / "docs" / "formats" / "report.md").read_text(encoding="utf-8")
    section = text.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


def test_the_documented_keys_are_the_keys(document: dict[str, Any]) -> None:
    game = document["games"][0]
    assert documented("The document") == set(document)
    assert documented("A game") == set(game)
    for shown in game["players"]:
        assert documented("A player") == set(shown)
    assert documented("An exam in part") == {field.name for field in fields(PartialExam)}
    assert documented("A group") == set(game["groups"][0])
    assert documented("A comparison") == set(document["comparison"])


def test_a_large_game_keeps_its_numbers_and_leaves_the_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("report.game.MOST_DRAWN", 10)
    monkeypatch.setattr("report.game.MOST_SEARCHED", 6_000)
    graph = compile_rulebook(make_rulebook("fifty-wins"))
    policy = Policy.uniform(graph)
    report = report_on([Entry(Path("mine.npz"), "policy", policy, replace(scorecard(graph, policy), agent="mine"))])
    game = report.games[0]
    assert (game.arrays, game.map, game.left_out) == (None, None, ["mcts-1000"])
    assert game.players[0].card.blunders == 46
    assert "too large to be drawn" in page(report)


def test_five_games_with_ten_runs_each_stay_below_five_megabytes() -> None:
    """Runs at their worst: 100 evaluations, every one of them with other moves everywhere."""
    generator, runs = np.random.default_rng(0), []
    for game in baselines().games:
        graph = compile_rulebook(make_rulebook(game.game))
        card = replace(scorecard(graph, player("mcts-10", graph)), agent="ppo", steps=10**7)
        moves = np.where(graph.legal, generator.random((1010, *graph.legal.shape)), -1).argmax(axis=2).astype(np.int16)
        for seed in range(10):
            policy = Policy.greedy(graph, generator.random(graph.legal.shape))
            steps = sorted(generator.choice(10**7, 101, replace=False).tolist())
            columns = {key: generator.random(101).tolist() for key in ("accuracy", "exploitability")}
            curve = Curve(steps, [card.critical_states] * 101, **columns)
            action = moves[101 * seed : 101 * (seed + 1)]
            settings = {"env": graph.game, "settings": {f"setting_{k}": k for k in range(20)}}
            runs.append(
                Entry(Path(f"runs/{graph.game}/ppo/seed-{seed}"), "run", policy, replace(card, seed=seed),
                      settings=settings, provenance=settings, curve=curve, snapshots=(steps, action))
            )  # fmt: skip
    report = report_on(runs)
    kept = {len(p.snapshots.steps) for game in report.games for p in game.players if p.snapshots}
    assert kept == {101}
    assert len(page(report).encode()) < 5_000_000
    assert len(as_json(report).encode()) < 5_000_000


def test_a_page_with_no_room_keeps_fewer_snapshots_and_says_how_many(read: list[Entry], monkeypatch: Any) -> None:
    monkeypatch.setattr("report.build.SNAPSHOT_CELLS", 444 * 4 * 5)
    snapshots = as_read(report_on(read))["games"][0]["players"][0]["snapshots"]
    assert read[0].snapshots is not None
    steps = read[0].snapshots[0]
    assert len(snapshots["steps"]) == 5 < snapshots["evaluations"] == len(steps)
    assert (snapshots["steps"][0], snapshots["steps"][-1]) == (steps[0], steps[-1])
