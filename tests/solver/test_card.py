"""A scorecard says what was planted, survives its JSON, and takes milliseconds."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

import numpy as np
import pytest

from games import GameGraph, Mistake, Policy
from solver import Scorecard, best_response, grade, optimal, scorecard, solve, tremble, versus
from tests.solver.random_graphs import random_graph, random_policy


def test_planted_blunders_are_counted(graph: GameGraph) -> None:
    rng, solution = np.random.default_rng(0), solve(graph)
    critical = np.flatnonzero(solution.critical)
    for k in sorted({0, 1, 2, len(critical) // 2, len(critical)}):
        table = optimal(graph).probability.copy()
        for s in rng.permutation(critical)[:k].tolist():
            table[s] = 0
            table[s, rng.choice(np.flatnonzero(graph.legal[s] & ~solution.keeps[s]))] = 1
        card = scorecard(graph, Policy(graph, table))
        assert card.blunders == k
        assert card.accuracy == pytest.approx(1 - k / len(critical))
        assert card.perfect == (k == 0)


def test_a_trace_of_a_blunder_is_a_blunder(graph: GameGraph) -> None:
    solution, table = solve(graph), optimal(graph).probability.copy()
    s = int(np.flatnonzero(solution.critical)[0])
    table[s] *= 1 - 1e-12
    table[s, np.flatnonzero(graph.legal[s] & ~solution.keeps[s])[0]] = 1e-12
    marks = grade(graph, Policy(graph, table))
    assert marks.blunders == 1
    assert not marks.perfect


def test_a_scorecard_agrees_with_its_parts(graph: GameGraph) -> None:
    rng = np.random.default_rng(1)
    policy = random_policy(rng, graph)
    card, marks = scorecard(graph, policy, agent="me", seed=3, steps=10), grade(graph, policy)
    response = best_response(graph, policy)
    assert (card.guaranteed_first, card.guaranteed_second) == (-response.second, -response.first)
    assert card.exploitability == pytest.approx(-(card.guaranteed_first + card.guaranteed_second) / 2)
    assert all(getattr(card, key) == value for key, value in asdict(marks).items())
    for name, other in (("uniform", Policy.uniform(graph)), ("optimal", optimal(graph)), ("self", policy)):
        assert card.versus[name]["first"] == versus(graph, policy, other)
        assert card.versus[name]["second"] == versus(graph, other, policy).other_side()
    assert card.tremble_regret == tremble(graph).regret(graph, policy)
    assert (card.agent, card.seed, card.steps, card.steps_to_perfect) == ("me", 3, 10, None)


def test_the_blunder_rate_is_what_played_games_show() -> None:
    rng, compared = np.random.default_rng(2), 0
    while compared < 5:
        graph = random_graph(rng, 10, 3)
        policy, solution = Policy.uniform(graph), solve(graph)
        card = scorecard(graph, policy)
        rate, result = card.blunder_rate["self"]["first"], card.versus["self"]["first"]
        if rate is None or rate == 0 or result.endless > 0 or (result.plies or 0) > 50:
            continue
        moves = blunders = 0
        for _ in range(2_000):
            state, seat = 0, 0
            while state >= 0 and graph.legal[state].any():
                action = policy.act(state, rng)
                moves += seat == 0
                blunders += seat == 0 and not solution.keeps[state, action]
                state, seat = int(graph.next_state[state, action]), 1 - seat
        assert blunders / moves == pytest.approx(rate, abs=0.06)
        compared += 1


def test_a_scorecard_survives_its_json(graph: GameGraph) -> None:
    for policy in (Policy.uniform(graph), optimal(graph)):
        card = scorecard(graph, policy)
        assert Scorecard.from_json(card.to_json()) == card


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda card: card.pop("blunders"), "blunders"),
        (lambda card: card.update(extra=1), "extra"),
        (lambda card: card.update(blunders="2"), "blunders is '2'"),
        (lambda card: card.update(perfect=1), "perfect is 1"),
        (lambda card: card.update(accuracy=float("nan")), "accuracy is nan"),
        (lambda card: card.update(versus={}), "versus must have"),
        (lambda card: card["versus"]["self"].update(first={}), r"versus.self.first is \{\}"),
        (lambda card: card["versus"]["self"]["first"].update(win=None), "versus.self.first.win is None"),
        (lambda card: card["blunder_rate"]["self"].update(first="x"), "blunder_rate.self.first is 'x'"),
        (lambda card: card.update(parameters=[]), "parameters is"),
    ],
)
def test_a_damaged_scorecard_is_refused(damage: object, message: str, graph: GameGraph) -> None:
    card = json.loads(scorecard(graph, Policy.uniform(graph)).to_json())
    damage(card)  # type: ignore[operator]
    with pytest.raises(Mistake, match=message):
        Scorecard.from_json(json.dumps(card))


def test_what_is_no_json_is_refused() -> None:
    for text in ("{", "[1]"):
        with pytest.raises(Mistake, match=r"^run/scorecard.json: not"):
            Scorecard.from_json(text, "run/scorecard.json")


def test_a_scorecard_takes_less_than_ten_milliseconds_and_a_grade_less_than_one(graph: GameGraph) -> None:
    policy = Policy.uniform(graph)
    times = {}
    for function in (scorecard, grade):
        function(graph, policy)  # warm-up
        taken = []
        for _ in range(7):
            begin = time.process_time()
            function(graph, policy)
            taken.append(time.process_time() - begin)
        times[function] = min(taken)
    assert times[scorecard] < 0.010
    assert times[grade] < 0.001


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda graph, table: table[1:], "shape"),
        (lambda graph, table: table * np.where(np.arange(len(table)) == 2, 0.9, 1.0)[:, None], r"state 2 .*sum to 1"),
        (lambda graph, table: np.where(np.arange(len(table))[:, None] == 3, np.nan, table), r"state 3 .*not finite"),
    ],
)
def test_a_policy_that_is_none_is_refused_with_the_state_named(change: object, message: str, graph: GameGraph) -> None:
    with pytest.raises(Mistake, match=message):
        Policy(graph, change(graph, Policy.uniform(graph).probability))  # type: ignore[operator]


def test_probability_on_an_illegal_move_is_refused_with_the_state_named(graph: GameGraph) -> None:
    illegal = np.argwhere(~graph.legal)
    if len(illegal) == 0:
        assert graph.legal.all()
        return
    s, a = illegal[0].tolist()
    table = Policy.uniform(graph).probability.copy()
    table[s], table[s, a] = 0, 1
    with pytest.raises(Mistake, match=rf"state {s} .*illegal"):
        Policy(graph, table)
