"""How much a game asks of PPO, and what is left as somebody set it."""

from __future__ import annotations

import numpy as np
import pytest

from agents.settings import make_options
from agents.size import LARGEST, SMALLEST, length_of, rollout_of
from games import Mistake, RuleBook, compile_rulebook, make_rulebook
from tests.books import FAMILIES, label
from training.resolve import resolve


@pytest.mark.parametrize("book", FAMILIES, ids=label)
def test_what_follows_the_size_is_a_rollout_in_whole_games_and_a_budget_in_whole_rollouts(
    book: RuleBook,
) -> None:
    settings = resolve(env=book, agent="ppo")
    options = dict(settings.options)
    rollout = options["games"] * options["plies"]
    assert rollout == rollout_of(compile_rulebook(book))
    assert SMALLEST <= rollout <= LARGEST
    assert options["steps"] % rollout == 0
    assert options["batch"] * 4 == rollout
    assert settings.path("").parts[1] == "ppo"


def test_the_length_of_a_game_is_that_of_random_games() -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    rng, plies = np.random.default_rng(0), []
    for _ in range(2000):
        state, played = 0, 0
        while state >= 0:
            state, played = int(graph.next_state[state, rng.choice(np.flatnonzero(graph.legal[state]))]), played + 1
        plies.append(played)
    assert length_of(graph) == pytest.approx(np.mean(plies), rel=0.02)


def test_what_somebody_sets_is_kept() -> None:
    options = dict(resolve(env="number-flip", changes={"games": 8, "steps": "1e5"}).options)
    assert (options["games"], options["steps"], options["batch"]) == (8, 100_000, 8 * options["plies"] // 4)
    with pytest.raises(Mistake, match="batch=1000000 is more than games × plies"):
        resolve(env="number-flip", changes={"batch": "1e6"})
    given = make_options("ppo", {"games": 8, "steps": 10, "batch": 4})
    assert given.sized(lambda: pytest.fail("nobody asked for the game")) is given
