"""A scorecard says what was planted, survives its JSON, and takes milliseconds."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

import numpy as np
import pytest

from games import GameGraph, Mistake, Policy, compile_rulebook, make_rulebook
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
    card, marks = scorecard(graph, policy), grade(graph, policy)
    response = best_response(graph, policy)
    assert (card.guaranteed_first, card.guaranteed_second) == (-response.second, -response.first)
    assert card.exploitability == pytest.approx(-(card.guaranteed_first + card.guaranteed_second) / 2)
    assert all(getattr(card, key) == value for key, value in asdict(marks).items())
    for name, other in (("uniform", Policy.uniform(graph)), ("optimal", optimal(graph)), ("self", policy)):
        assert card.versus[name]["first"] == versus(graph, policy, other)
        assert card.versus[name]["second"] == versus(graph, other, policy).other_side()
    assert card.tremble_regret == tremble(graph).regret(graph, policy)
    assert (card.agent, card.seed, card.steps, card.steps_to_perfect) == (None, None, None, None)


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


DAMAGES = [
    (lambda card: card.pop("blunders"), r"blunders"),
    (lambda card: card.update(extra=1), r"extra is 1: "),
    (lambda card: card.update({"\x1b[31m": 1}), r"\\x1b\[31m"),
    (lambda card: card.update(blunders="2"), r"blunders is '2': "),
    (lambda card: card.update(blunders=-1), r"blunders is -1; it lies between 0 and"),
    (lambda card: card.update(steps=-1), r"steps is -1; "),
    (lambda card: card.update(steps_to_perfect=10**30), r"steps_to_perfect is 10+; "),
    (lambda card: card.update(states=10**4000), r"states is 10+"),
    (lambda card: card.update(seed=1.5), r"seed is 1.5: "),
    (lambda card: card.update(perfect=1), r"perfect is 1: "),
    (lambda card: card.update(accuracy=float("nan")), r"accuracy is nan: "),
    (lambda card: card.update(accuracy=1.5), r"accuracy is 1.5; it lies between 0 and 1"),
    (lambda card: card.update(guaranteed_first=-2), r"guaranteed_first is -2.0; "),
    (lambda card: card.update(agent="a" * 10**6, game=None), r"game is None: "),
    (lambda card: card.update(game=["a" * 10**6]), r"game is \['a+\.\.\.: "),
    (lambda card: card.update(versus={}), r"versus must have"),
    (lambda card: card["versus"]["self"].update(first={}), r"versus.self.first.win is \{\}: "),
    (lambda card: card["versus"]["self"]["first"].update(win=None), r"versus.self.first.win is None: "),
    (lambda card: card["versus"]["self"]["first"].update(win=-0.5), r"versus.self.first.win is -0.5; "),
    (lambda card: card["blunder_rate"]["self"].update(first="x"), r"blunder_rate.self.first is 'x': "),
    (lambda card: card["blunder_rate"].pop("self"), r"blunder_rate must have"),
    (lambda card: card.update(parameters=[]), r"parameters is \[\]: "),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES, ids=[message for _, message in DAMAGES])
def test_a_damaged_scorecard_is_refused_in_one_short_line(damage: object, message: str) -> None:
    flip = compile_rulebook(make_rulebook("number-flip"))
    card = json.loads(scorecard(flip, Policy.uniform(flip)).to_json())
    damage(card)  # type: ignore[operator]
    assert_refused(json.dumps(card), message)


def assert_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(Mistake, match=message) as mistake:
        Scorecard.from_json(text, "run/scorecard.json")
    line = str(mistake.value)
    assert line.startswith("run/scorecard.json: ")
    assert line.isprintable()
    assert len(line) < 300


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", "{}", "null", "[" * 100_000, '{"a":' * 100_000, b"\xff\xfe", '"\ud800"', "9" * 10_000, "\0" * 9],
    ids=range(11),
)
def test_what_is_no_scorecard_at_all_is_refused_in_one_short_line(text: str | bytes) -> None:
    assert_refused(text, "run/scorecard.json: ")


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
