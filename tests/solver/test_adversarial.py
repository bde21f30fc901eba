"""Best responses where floats lose what decides: chances down to 5e-324, ladders, long circles, near ties, draws.

Everything is compared with exact rational arithmetic that shares no code with the solver; 300 cases here, and 10,000 in
`make slow`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from games import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, GameGraph, Policy, compile_rulebook, make_rulebook
from solver import best_response, scorecard, solve, versus
from solver.bounds import find_faults
from tests.books import FAMILIES
from tests.solver.oracles import best_response_in_fractions, versus_in_fractions
from tests.solver.random_graphs import cruel_policy, endless_graph, graph_of, random_graph, random_policy, rung_ladder

ENDLESS = [graph for graph in map(compile_rulebook, FAMILIES) if graph.has_cycle and graph.next_state.size <= 120]


def case(seed: int) -> tuple[GameGraph, Policy]:
    rng = np.random.default_rng(seed)
    kind = rng.integers(10)
    if kind == 0:
        chance = float(2.0 ** -rng.integers(1, 30))
        rungs = int(rng.integers(1, 6))
        graph, policy = rung_ladder(rungs, chance, float(rng.choice([0, 0.3, 0.5])), chance**rungs / rng.integers(1, 9))
        return permuted(rng, graph, policy)
    if kind < 3:
        graph = ENDLESS[rng.integers(len(ENDLESS))]
    else:
        graph = endless_graph(rng) if kind < 8 else random_graph(rng, int(rng.integers(2, 14)), 3)
    return graph, random_policy(rng, graph) if rng.random() < 0.1 else cruel_policy(rng, graph)


def permuted(rng: np.random.Generator, graph: GameGraph, policy: Policy) -> tuple[GameGraph, Policy]:
    """The same game with its states, but for the start, and its actions in another order."""
    old = np.concatenate([[0], 1 + rng.permutation(graph.num_states - 1)])  # by new number
    new, columns = np.argsort(old), rng.permutation(graph.num_actions)
    to = graph.next_state[old][:, columns]
    other = graph_of(np.where(to >= 0, new[np.maximum(to, 0)], to).tolist())
    return other, Policy(other, policy.probability[old][:, columns])


def check(seed: int) -> bool:
    """Asserts that everything is right; whether the policy could be exploited only by luck."""
    graph, policy = case(seed)
    response, card, value = best_response(graph, policy), scorecard(graph, policy), solve(graph).value.tolist()
    exact, exact_reply = best_response_in_fractions(graph, policy)
    assert find_faults(graph, policy.probability, response.claim) == []
    claim = response.claim
    for shown, low, high, truth in (
        (response.value, claim.lower, claim.upper, exact),
        (response.reply, claim.lower_reply, claim.upper_reply, exact_reply),
    ):
        assert all(Fraction(x) <= y <= Fraction(z) for x, y, z in zip(low, truth, high, strict=True))
        assert shown == pytest.approx([float(x) for x in truth], abs=1e-9)
    first, second = exact[0], exact_reply[0]
    assert abs(Fraction(response.first) - first) <= Fraction(response.error) <= Fraction(1e-9)
    assert abs(Fraction(response.second) - second) <= Fraction(response.error)
    assert card.unexploitable == (first == value[0] and second == -value[0])
    gains = any(x > v for x, v in zip(exact, value, strict=True))
    gains = gains or any(x > -v for x, v in zip(exact_reply, value, strict=True))
    assert card.perfect == (card.blunders == 0 and not gains)
    assert card.exploitability == pytest.approx(float((first + second) / 2), abs=1e-9)
    assert (card.exploitability == 0) <= (card.unexploitable or first + second < 1e-12)
    assert -1 <= card.guaranteed_first <= 1
    assert -1 <= card.guaranteed_second <= 1
    assert "-0.0," not in card.to_json()
    assert (card.accuracy == 1) == (card.blunders == 0)
    return response.claim.upper.dtype == object


def check_versus(seed: int) -> bool:
    """Asserts that two such policies have the exact result against each other; whether play may be endless."""
    graph, first = case(seed)
    second = cruel_policy(np.random.default_rng(seed + 10**6), graph)
    result = versus(graph, first, second)
    win, loss, draw, plies = versus_in_fractions(graph, first, second)
    ending = win + loss + draw
    truth = [float(x) for x in (win, loss, draw, 1 - ending)]
    assert [result.win, result.loss, result.draw, result.endless] == pytest.approx(truth, abs=1e-12)
    assert result.error == 0
    assert (result.plies is None) == (ending == 0)
    if result.plies is not None and plies / ending < 1e300:
        assert result.plies == pytest.approx(float(plies / ending), rel=1e-9)
    return ending < 1


def test_results_agree_with_exact_fractions_on_300_hard_cases() -> None:
    assert sum(check_versus(seed) for seed in range(300)) > 20


def test_best_responses_and_verdicts_agree_with_exact_fractions_on_300_hard_cases() -> None:
    assert sum(check(seed) for seed in range(300)) > 3  # floats alone could not tell


@pytest.mark.slow
@pytest.mark.parametrize("thousand", range(10))
def test_best_responses_and_verdicts_agree_with_exact_fractions_on_10_000_hard_cases(thousand: int) -> None:
    seeds = range(1_000 * (thousand + 1), 1_000 * (thousand + 2))
    assert sum(map(check, seeds)) > 10
    assert sum(map(check_versus, seeds)) > 10


def test_the_order_of_states_and_of_actions_changes_no_number() -> None:
    for seed in range(100):
        graph, policy = case(seed)
        one, other = scorecard(graph, policy), scorecard(*permuted(np.random.default_rng(seed), graph, policy))
        for name in ("exploitability", "guaranteed_first", "guaranteed_second", "accuracy"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-12), (seed, name)
        assert (one.blunders, one.perfect, one.unexploitable) == (other.blunders, other.perfect, other.unexploitable)


def test_a_chance_of_a_millionth_that_a_cycle_repeats_loses_for_certain() -> None:
    graph = compile_rulebook(make_rulebook("seven-is-forbidden", modulus=11, base=3))
    e = 2.0**-20
    policy = Policy(graph, [[x, 1 - x] for x in (1, e, 1 - e, 1, e, e, 1, e, 1, 0, 0)])
    card = scorecard(graph, policy)
    assert (card.exploitability, card.unexploitable) == (1.0, False)
    assert (card.guaranteed_first, card.guaranteed_second) == (-1.0, -1.0)


@pytest.mark.parametrize("chance", [3e-12, 1e-13, 1e-16, 1e-300, 5e-324])
def test_a_blunder_however_rare_loses_a_game_that_the_opponent_can_hold(chance: float) -> None:
    graph = compile_rulebook(make_rulebook("avoid-the-seventh"))
    table = np.zeros(graph.next_state.shape)
    table[:, graph.action(1)] = 1.0
    table[graph.state((6,))] = np.eye(5)[graph.action(2)]
    table[graph.state((3,))] = 0.0
    table[graph.state((3,)), [graph.action(1), graph.action(4)]] = 1.0 - chance, chance
    response = best_response(graph, Policy(graph, table))
    assert (response.first, response.second, response.error) == (1.0, 1.0, 0.0)


def test_a_ladder_of_small_chances_is_climbed_for_certain_where_falling_costs_nothing() -> None:
    for rungs, chance, quitting in ((4, 2.0**-10, 0.0), (4, 2.0**-10, 0.5), (20, 1e-20, 0.9), (300, 1e-3, 0.5)):
        graph, policy = rung_ladder(rungs, chance, quitting)
        response = best_response(graph, policy)
        assert (response.first, response.error) == (1.0, 0.0)


@pytest.mark.parametrize("risk", [2.0**-41, 2.0**-42, 2.0**-43])
def test_a_ladder_is_climbed_where_the_risk_of_each_attempt_pays(risk: float) -> None:
    graph, policy = rung_ladder(4, 2.0**-10, 0.5, risk)
    truth = float(best_response_in_fractions(graph, policy)[0][0])
    response = best_response(graph, policy)
    assert response.first == pytest.approx(truth, abs=1e-15)
    assert response.error < 1e-14
    assert response.action[0] == (1 if risk == 2.0**-41 else 0)  # then it is 0.33, and quitting is 0.5


def test_a_fair_gamble_gives_nothing_away_and_one_a_bit_better_does() -> None:
    # Nobody can force a win: 0 waits or gambles at 1, where the policy wins or loses.
    for odds, gives in ((0.5, False), (np.nextafter(0.5, 0.0), True), (np.nextafter(0.5, 1.0), False)):
        graph = graph_of([[2, 1], [MOVER_WINS, MOVER_LOSES], [0, ILLEGAL]])
        policy = Policy(graph, [[1, 0], [odds, 1 - odds], [1, 0]])
        card = scorecard(graph, policy)
        assert card.blunders == 1
        assert card.unexploitable != gives
        assert (card.exploitability > 0) == gives


def test_where_nothing_is_proved_the_interval_says_so() -> None:
    graph, policy = rung_ladder(500, 0.5, 0.5, 1e-152)
    card, response = scorecard(graph, policy), best_response(graph, policy)
    truth = Fraction(1)  # of the last rung; each one below is p * next + q * ground - risk
    climb, fall, risk = (Fraction(p) for p in policy.probability[1].tolist())
    total = climb + fall + risk
    share, rest = Fraction(1), Fraction(0)  # value of a rung = share * ground + rest
    share, rest = Fraction(0), truth
    for _ in range(500):
        share, rest = (climb * share + fall) / total, (climb * rest - risk) / total
    ground = rest / (1 - share)
    assert Fraction(response.lower[0]) <= max(ground, Fraction(policy.probability[-1, 0]) * 2 - 1)
    assert Fraction(response.upper[0]) >= ground
    assert card.exploitability_error == response.error
    assert DRAW not in graph.next_state
