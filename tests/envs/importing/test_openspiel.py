"""OpenSpiel's games come in with OpenSpiel's own values; ours go out, and its algorithms and bots work on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from envs import export
from envs.importing import Refused, import_game
from envs.openspiel import bot_policy, graph_of, load, policy_from
from games import Mistake, Policy, rulebook_names
from games.rulebook import Verdict
from solver import optimal, scorecard, solve
from tests.books import BOOKS, need_module

RACE = next(book.name for book in BOOKS if {"target", "largest"} <= set(book.parameters))
SMALL = {"target": 9, "largest": 3}


@pytest.fixture(scope="module")
def pyspiel() -> Any:
    return need_module("pyspiel")


def theirs(state: Any, known: dict[str, float]) -> float:
    """The value for the first player by OpenSpiel's own states: a negamax that knows nothing of us."""
    if state.is_terminal():
        return float(state.returns()[0])
    key = str(state)
    if key not in known:
        values = [theirs(state.child(action), known) for action in state.legal_actions()]
        known[key] = max(values) if state.current_player() == 0 else min(values)
    return known[key]


@pytest.mark.parametrize("name", ["tic_tac_toe", "nim", "hex(board_size=3)", "dots_and_boxes(num_rows=1,num_cols=2)"])
def test_an_imported_game_has_openspiels_values_in_every_position(pyspiel: Any, name: str) -> None:
    imported = import_game(f"openspiel:{name}")
    graph, known = imported.game.graph, dict[str, float]()
    solution = solve(graph)
    start = pyspiel.load_game(name).new_initial_state()
    waiting, met = [(0, start)], {0}
    while waiting:
        row, state = waiting.pop()
        sign = 1 if state.current_player() == 0 else -1
        assert solution.value[row] == sign * theirs(state, known)
        legal = np.flatnonzero(graph.legal[row]).tolist()
        assert legal == state.legal_actions()
        for action in legal:
            after, child = int(graph.next_state[row, action]), state.child(action)
            if after >= 0 and imported.game.names[int(graph.legal[after].argmax())] == "pass":
                after = int(graph.next_state[after].max())
            if after < 0:
                assert child.is_terminal()
                assert Verdict(after).worth == sign * child.returns()[0]
            elif after not in met:
                met.add(after)
                waiting.append((after, child))
    assert len(met) == graph.num_states - imported.passes


@pytest.mark.parametrize(
    ("name", "why"),
    [("kuhn_poker", "random"), ("pig", "random"), ("matrix_rps", "same time"), ("phantom_ttt", "hidden")],
)
def test_a_game_of_another_kind_is_refused_for_what_it_is(pyspiel: Any, name: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        import_game(f"openspiel:{name}")


def test_what_is_no_game_is_a_mistake(pyspiel: Any) -> None:
    with pytest.raises(Mistake, match="cannot be made"):
        import_game("openspiel:tic_tac_tow")
    with pytest.raises(Mistake, match=r"envs\.openspiel\.load"):
        graph_of(pyspiel.load_game("tic_tac_toe"))


def test_every_game_of_ours_is_played_by_openspiel_to_the_results_of_the_graph(pyspiel: Any) -> None:
    generator = np.random.default_rng(0)
    for name in rulebook_names():
        game = load(name)
        graph = graph_of(game)
        for _ in range(5):
            state, row, seat = game.new_initial_state(), 0, 0
            while not state.is_terminal():
                assert state.legal_actions() == np.flatnonzero(graph.legal[row]).tolist()
                assert state.current_player() == seat
                action = int(generator.choice(state.legal_actions()))
                row, seat = int(graph.outcome[row, action]), 1 - seat
                state = state.clone() if generator.random() < 0.5 else state
                state.apply_action(action)
            worth = 0 if row >= 0 else Verdict(row).worth * (-1 if seat == 0 else 1)
            assert state.returns() == [worth, -worth]


def test_export_says_the_line_that_loads_the_game(pyspiel: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert export.main([RACE, "--to", "openspiel", "--param", "target=9"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    game = eval(line.removeprefix("game = envs.openspiel."), {"load": load})
    assert graph_of(game).parameters["target"] == 9


def test_openspiels_exploitability_and_value_iteration_find_what_we_find(pyspiel: Any) -> None:
    need_module("cvxpy")
    from open_spiel.python import policy as spiel_policies
    from open_spiel.python.algorithms import exploitability, value_iteration

    game = load(RACE, **SMALL)
    graph = graph_of(game)
    uniform = spiel_policies.UniformRandomPolicy(game)
    card = scorecard(graph, Policy.uniform(graph))
    assert exploitability.nash_conv(game, uniform) / 2 == pytest.approx(card.exploitability, abs=1e-9)
    assert scorecard(graph, policy_from(game, uniform)) == card
    values = value_iteration.value_iteration(game, depth_limit=-1, threshold=1e-9)
    assert values[str(game.new_initial_state())] == pytest.approx(solve(graph).value[0])


def test_openspiels_bots_are_judged_by_our_scorecard(pyspiel: Any) -> None:
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import mcts, tabular_qlearner

    game = load(RACE, **SMALL)
    graph = graph_of(game)
    evaluator = mcts.RandomRolloutEvaluator(5, np.random.RandomState(0))
    bot = mcts.MCTSBot(game, 2.0, 200, evaluator, solve=True, random_state=np.random.RandomState(0))
    card = scorecard(graph, bot_policy(game, bot))
    assert card.blunders < scorecard(graph, Policy.uniform(graph)).blunders
    environment = rl_environment.Environment(game)
    learners = [tabular_qlearner.QLearner(seat, graph.num_actions) for seat in (0, 1)]
    for _ in range(20):
        step = environment.reset()
        while not step.last():
            output = learners[step.observations["current_player"]].step(step)
            step = environment.step([output.action])
        for learner in learners:
            learner.step(step)


def test_the_perfect_policy_is_perfect_through_openspiel_too(pyspiel: Any) -> None:
    game = load(RACE, **SMALL)
    graph = graph_of(game)
    ours = optimal(graph)

    class Ours:
        def action_probabilities(self, state: Any) -> dict[int, float]:
            row = ours.probability[state.position]
            return {int(action): float(row[action]) for action in np.flatnonzero(row)}

    assert scorecard(graph, policy_from(game, Ours())).perfect
