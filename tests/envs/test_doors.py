"""The doors as each library's users open them: registries, limits, words that other libraries look for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.vector import SyncVectorEnv

from envs import ANY_GAME, PettingZooEnv, SoloEnv, SoloVectorEnv, TwoPlayerEnv, TwoPlayerVectorEnv, env_id
from envs.__main__ import CHECKS, outcome_of
from games import Mistake, RuleBook, make_rulebook, rulebook_names

NAME = rulebook_names()[0]
NIM = str(Path(__file__).parents[2] / "examples" / "books" / "nim.py")


def test_pettingzoo_makes_every_game_by_its_id(book: RuleBook) -> None:
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    env = pettingzoo.make("aec", env_id(book.name), max_cycles=2, **book.parameters)
    assert isinstance(env, PettingZooEnv)
    assert env.graph.game == book.name
    assert env.core.max_plies == 4
    assert pettingzoo.make("aec", env_id(ANY_GAME), game=NIM, rows=2).graph.num_actions == 4
    assert pettingzoo.make("aec", env_id(book.name)).core.max_plies == PettingZooEnv(book).core.max_plies


def test_after_max_cycles_each_agent_has_moved_as_often(book: RuleBook) -> None:
    env = PettingZooEnv(book, max_cycles=1)
    env.reset(seed=0)
    moved = []
    while not all(env.truncations.values()):
        moved.append(env.agent_selection)
        state = env.infos[env.agent_selection]["state"]
        env.step(int((env.graph.next_state[state] >= 0).argmax()))
    assert sorted(moved) == env.possible_agents
    for wrong in (0, -3, 1.5, True):
        with pytest.raises(Mistake, match="max_cycles="):
            PettingZooEnv(book, max_cycles=wrong)  # type: ignore[arg-type]
    with pytest.raises(Mistake, match="are one limit"):
        PettingZooEnv(book, max_cycles=3, max_plies=6)


def test_gymnasium_makes_any_game_by_a_path_a_rule_book_or_a_name() -> None:
    for given in ({"game": NIM, "rows": 2}, {"game": make_rulebook(NIM, rows=2)}):
        single = gymnasium.make(env_id(ANY_GAME), **given)
        assert single.action_space == gymnasium.spaces.Discrete(4)
        many = gymnasium.make_vec(env_id(ANY_GAME, solo=True), num_envs=2, **given)
        assert many.single_action_space == single.action_space
    assert gymnasium.make(env_id(ANY_GAME), game=NAME).unwrapped.graph.game == NAME  # type: ignore[attr-defined]


@pytest.mark.parametrize("check", CHECKS)
def test_a_book_from_elsewhere_passes_every_check(check: str) -> None:
    assert outcome_of(check, make_rulebook(NIM, rows=2)) == ""


@pytest.mark.parametrize("make", [TwoPlayerEnv, SoloEnv, PettingZooEnv, TwoPlayerVectorEnv, SoloVectorEnv])
def test_an_unknown_keyword_is_a_type_error_that_names_it(make: Any) -> None:
    for game in (NAME, NIM, make_rulebook(NAME)):
        with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'") as error:
            make(game, frameskip=4)
        assert isinstance(error.value, Mistake)
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make(env_id(NAME), frameskip=4)


@pytest.mark.parametrize(("many", "one"), [(TwoPlayerVectorEnv, TwoPlayerEnv), (SoloVectorEnv, SoloEnv)])
def test_a_vector_env_answers_about_its_games_as_gymnasiums_do(many: Any, one: Any, book: RuleBook) -> None:
    fast, slow = many(book, 3), SyncVectorEnv([lambda: one(book)] * 3)
    for env in (fast, slow):
        env.reset(seed=0)
    names = ["action_space", "observation_space", "render_mode", "spec", *(["seat"] if one is SoloEnv else [])]
    for step in range(20):
        assert np.array_equal(fast.call("action_masks"), slow.call("action_masks")), step
        actions = np.arange(3) % fast.graph.num_actions
        for env in (fast, slow):
            env.step(actions)
    for name in names:
        assert fast.get_attr(name) == slow.get_attr(name), name
    assert [graph.checksum for graph in fast.get_attr("graph")] == [graph.checksum for graph in slow.get_attr("graph")]
    for env in (fast, slow):
        env.set_attr("level", [1, 2, 3])
        assert env.get_attr("level") == (1, 2, 3)
        env.set_attr("level", "easy")
        assert env.get_attr("level") == ("easy",) * 3
        with pytest.raises(AttributeError, match="grph"):
            env.get_attr("grph")
        with pytest.raises(ValueError, match="2"):
            env.set_attr("level", [1, 2])
    with pytest.raises(AttributeError, match="not set from outside"):
        fast.set_attr("graph", None)


def test_make_vec_takes_a_render_mode_of_none_and_no_other(book: RuleBook) -> None:
    for solo in (False, True):
        name = env_id(book.name, solo=solo)
        assert gymnasium.make_vec(name, num_envs=2, render_mode=None).render_mode is None
        with pytest.raises(TypeError, match="many games are not shown"):
            gymnasium.make_vec(name, num_envs=2, render_mode="human")


def test_the_moves_so_far_are_told_by_their_names() -> None:
    env = TwoPlayerEnv(NIM, render_mode="ansi")
    env.reset(options={"moves": [301, 203]})
    assert "moves so far: take 1 from row 3, take 3 from row 2" in (env.render() or "")


def test_torchrl_plays_with_our_masks() -> None:
    envs_of = pytest.importorskip("torchrl.envs")
    env = envs_of.GymEnv(f"envs:{env_id(NAME)}", frame_skip=1, categorical_action_encoding=True)
    envs_of.check_env_specs(env)
    env.auto_register_info_dict()
    masked = envs_of.TransformedEnv(env, envs_of.ActionMask())
    for _ in range(5):
        played = masked.rollout(50)
        assert played["action_mask"].bool().gather(-1, played["action"].unsqueeze(-1)).all()
