"""Players that need no training."""

from __future__ import annotations

import numpy as np
import pytest

from agents import baseline_names, mcts, optimal, player, safe_uniform, trembling
from agents.tips import TIPS, follower
from games import MOVER_LOSES, GameGraph, Mistake, compile_rulebook, make_rulebook, rulebook_names
from solver import grade


def test_every_baseline_is_a_policy_of_its_game(graph: GameGraph) -> None:
    for name in baseline_names(graph):
        if name != "mcts-1000":  # seconds, and no different
            assert player(name, graph).graph is graph


def test_optimal_and_trembling_are_perfect(graph: GameGraph) -> None:
    assert grade(graph, optimal(graph)).perfect
    assert grade(graph, trembling(graph)).perfect


def test_safe_uniform_loses_at_once_only_where_every_move_does(graph: GameGraph) -> None:
    played = safe_uniform(graph).probability > 0
    loses = graph.legal & (graph.next_state == MOVER_LOSES)
    wrong = (played & loses).any(axis=1)
    assert (loses == graph.legal)[wrong].all()
    assert (played.sum(axis=1) == np.where(wrong, graph.legal.sum(axis=1), (graph.legal & ~loses).sum(axis=1))).all()


def test_a_search_with_one_seed_is_one_policy(graph: GameGraph) -> None:
    one, same, other = (mcts(graph, 20, seed=seed).probability for seed in (1, 1, 2))
    assert (one == same).all()
    assert graph.num_states < 10 or (one != other).any()


def test_a_long_search_is_perfect_where_a_short_one_is_not() -> None:
    race = next(name for name in rulebook_names() if {"target", "largest"} <= set(make_rulebook(name).parameters))
    graph = compile_rulebook(make_rulebook(race, target=12, largest=3))
    marks = [grade(graph, mcts(graph, n)).blunders for n in (3, 2000)]
    assert marks[0] > marks[1] == 0


def test_a_search_sees_a_win_in_one() -> None:
    for name in rulebook_names():
        graph = compile_rulebook(make_rulebook(name))
        wins = (graph.next_state == -2) & graph.legal
        chosen = mcts(graph, 200).probability
        assert (chosen[wins.any(axis=1)] * wins[wins.any(axis=1)]).sum() == wins.any(axis=1).sum()


@pytest.mark.parametrize(("game", "tip"), [(game, tip) for game, names in TIPS.items() for tip in names])
def test_a_follower_does_what_the_tip_says_wherever_it_can(game: str, tip: str) -> None:
    graph = compile_rulebook(make_rulebook(game))
    table, safe = follower(tip, graph).probability, safe_uniform(graph).probability
    wanted = {"tip-one-below": (6,), "tip-key-numbers": (10, 21, 32, 43), "tip-elevens": (11, 22, 33, 44)}[tip]
    for state, (total,) in enumerate(graph.positions.tolist()):
        made = [a for a, move in enumerate(graph.moves.tolist()) if total + move in wanted]
        if not made and tip == "tip-one-below":  # the next six lies beyond the seven
            made = [a for a, move in enumerate(graph.moves.tolist()) if total + move == 13]
        expected = np.isin(np.arange(graph.num_actions), made) / len(made) if made else safe[state]
        assert table[state] == pytest.approx(expected), total


def test_the_nearest_player_is_named() -> None:
    graph = compile_rulebook(make_rulebook(rulebook_names()[0]))
    with pytest.raises(Mistake, match="did you mean optimal"):
        player("optimale", graph)
    with pytest.raises(Mistake, match="mcts-0: a search has 1 to"):
        player("mcts-0", graph)
