"""The tabular learners: perfect, sustained, and the same bytes however they are stopped."""

from __future__ import annotations

import numpy as np
import pytest

from agents.settings import AGENTS
from base.arrays import packed
from games import GameGraph, Mistake, RuleBook, compile_rulebook, rulebook_names
from solver import grade
from training.loop import learn, make_learner
from training.resolve import resolve

LEARNERS = sorted(name for name, kind in AGENTS.items() if kind.learner.startswith("agents.tabular:"))


@pytest.mark.parametrize("agent", LEARNERS)
@pytest.mark.parametrize("game", rulebook_names())
def test_two_seeds_become_and_stay_perfect_with_the_defaults(game: str, agent: str) -> None:
    _stays_perfect(game, agent, range(2), evaluations=30)


@pytest.mark.slow
@pytest.mark.parametrize("agent", LEARNERS)
@pytest.mark.parametrize("game", rulebook_names())
def test_thirty_seeds_become_and_stay_perfect_with_the_defaults(game: str, agent: str) -> None:
    _stays_perfect(game, agent, range(30), evaluations=100)


def _stays_perfect(game: str, agent: str, seeds: range, evaluations: int) -> None:
    for seed in seeds:
        settings = resolve(env=game, agent=agent, seed=seed, changes={"evaluations": evaluations})
        record = learn(settings, compile_rulebook(settings.book))
        since = record.sustained("perfect")
        assert since is not None, (seed, record.grades[-1])
        assert since < settings.options.steps, seed


@pytest.mark.parametrize("agent", LEARNERS)
def test_advancing_in_pieces_or_through_a_checkpoint_changes_nothing(graph: GameGraph, agent: str) -> None:
    settings = resolve(env=graph.game, agent=agent, seed=3, changes={"steps": 5000})
    whole, pieces = make_learner(settings, graph), make_learner(settings, graph)
    whole.advance(5000)
    for steps in (1, 2, 7, 490, 1500, 3000):
        saved = pieces.state()
        pieces = make_learner(settings, graph)
        pieces.restore(saved)
        assert pieces.advance(steps) == steps
    assert packed(whole.state()) == packed(pieces.state())
    assert (whole.policy().probability == pieces.policy().probability).all()


@pytest.mark.parametrize("agent", ["q-learning", "sarsa", "monte-carlo"])
def test_every_relative_of_a_game_can_be_learned_or_says_why_not(relative: RuleBook, agent: str) -> None:
    graph = compile_rulebook(relative)
    given = {key: str(value) for key, value in relative.parameters.items()}
    settings = resolve(env=relative.name, agent=agent, parameters=given, changes={"steps": 2000})
    if not graph.legal[0].any():
        with pytest.raises(Mistake, match="nothing to learn"):
            make_learner(settings, graph)
        return
    learner = make_learner(settings, graph)
    learner.advance(2000)
    assert 0 <= grade(graph, learner.policy()).accuracy <= 1


def test_what_q_learning_calls_won_or_lost_is_so_at_every_moment(graph: GameGraph) -> None:
    from solver import solve

    solution = solve(graph)
    learner = make_learner(resolve(env=graph.game, agent="q-learning"), graph)
    after = np.where(graph.next_state >= 0, graph.next_state, 0)
    truth = np.where(graph.next_state >= 0, -solution.value[after], 0)
    truth = np.where(graph.next_state == -2, 1, np.where(graph.next_state == -3, -1, truth))
    for _ in range(20):
        learner.advance(300)
        claimed = np.sign(learner.state()["q"])
        assert ((claimed == 0) | (claimed == truth))[graph.legal].all()


@pytest.mark.parametrize("agent", ["q-learning", "sarsa", "monte-carlo"])
def test_a_fixed_opponent_is_beaten_more_often_than_before(graph: GameGraph, agent: str) -> None:
    from solver import scorecard

    changes = {"opponent": "uniform", "steps": 400_000, "epsilon": 0.3, "step_size": 0.05, "step_size_end": 0.01}
    learner = make_learner(resolve(env=graph.game, agent=agent, changes=changes), graph)
    learner.advance(400_000)
    won = [result.win for result in scorecard(graph, learner.policy()).versus["uniform"].values()]
    assert sum(won) / 2 > 0.7, won


def test_the_greedy_move_of_a_tie_is_the_lowest(graph: GameGraph) -> None:
    learner = make_learner(resolve(env=graph.game, agent="q-learning"), graph)
    can_move = graph.legal.any(axis=1)
    assert (learner.policy().probability.argmax(axis=1) == graph.legal.argmax(axis=1))[can_move].all()
