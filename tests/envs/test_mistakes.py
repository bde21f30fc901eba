"""Bad input: one clear error each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from envs import PettingZooEnv, SoloEnv, SoloVectorEnv, TwoPlayerEnv, TwoPlayerVectorEnv
from games import Mistake, Policy, compile_rulebook, rulebook_names
from tests.books import BOOKS, FAMILIES

NAME = rulebook_names()[0]
ALL: list[Any] = [TwoPlayerEnv, SoloEnv, PettingZooEnv, TwoPlayerVectorEnv, SoloVectorEnv]
SINGLE: list[Any] = [TwoPlayerEnv, SoloEnv, PettingZooEnv]
VECTOR: list[Any] = [TwoPlayerVectorEnv, SoloVectorEnv]
START = {SoloEnv: {"seat": 0}, SoloVectorEnv: {"seat": 0}}


@pytest.mark.parametrize("env", ALL)
@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"game": NAME + "x"}, f"no such game: {NAME}x; did you mean {NAME}"),
        ({"game": NAME, "modulu": 3}, "no such parameter: modulu; did you mean modulus"),
        ({"game": NAME, "modulus": -1}, "modulus=-1 makes no game"),
        ({"game": BOOKS[0], "modulus": 5}, "a rule book has its parameters already"),
        ({"game": NAME, "observation": "onehut"}, "no such observation: onehut; did you mean onehot"),
        ({"game": NAME, "illegal_move": "forfiet"}, "no such illegal_move: forfiet; did you mean forfeit"),
        ({"game": NAME, "max_plies": 0}, "max_plies=0 is not a whole number of 1 or more"),
        ({"game": NAME, "max_plies": 2.5}, "max_plies=2.5 is not"),
        ({"game": NAME, "max_plies": True}, "max_plies=True is not"),
    ],
)
def test_a_bad_argument_is_refused(env: Any, arguments: dict[str, Any], match: str) -> None:
    with pytest.raises(Mistake, match=match):
        env(**arguments)


@pytest.mark.parametrize("env", SINGLE)
def test_an_unknown_render_mode_is_refused(env: Any) -> None:
    with pytest.raises(Mistake, match="no such render_mode: ansy; did you mean ansi"):
        env(NAME, render_mode="ansy")


@pytest.mark.parametrize("env", [SoloEnv, SoloVectorEnv])
def test_an_opponent_or_seat_that_does_not_exist_is_refused(env: Any) -> None:
    with pytest.raises(Mistake, match="no such opponent: optimum; did you mean optimal"):
        env(NAME, opponent="optimum")
    with pytest.raises(Mistake, match="no such opponent: 3"):
        env(NAME, opponent=3)
    with pytest.raises(Mistake, match="is not a seat"):
        env(NAME, seat=2)
    with pytest.raises(Mistake, match="is not a seat"):
        env(NAME, seat=True)
    other = Policy.uniform(compile_rulebook(BOOKS[1]))
    with pytest.raises(Mistake, match=f"the opponent plays {BOOKS[1].name}"):
        env(NAME, opponent=other)


@pytest.mark.parametrize("env", [SoloEnv, SoloVectorEnv])
def test_a_seat_that_never_gets_to_move_is_refused_and_a_toss_avoids_it(env: Any) -> None:
    book = next(book for book in FAMILIES if (compile_rulebook(book).next_state[0] < 0).all())
    with pytest.raises(Mistake, match="always ends the game before the learner's first move"):
        env(book, seat=1).reset()
    played = env(book, seat=None)
    for seed in range(10):
        played.reset(seed=seed)


def test_pettingzoos_own_options_are_checked() -> None:
    with pytest.raises(Mistake, match="no such first player: player_2; did you mean player_"):
        PettingZooEnv(NAME, first="player_2")
    with pytest.raises(Mistake, match="no such action_mask: infos; did you mean info"):
        PettingZooEnv(NAME, action_mask="infos")


@pytest.mark.parametrize("env", SINGLE)
@pytest.mark.parametrize("action", [1.0, "1", None, True, np.array([1]), np.float32(1)])
def test_an_action_of_the_wrong_type_is_refused(env: Any, action: Any) -> None:
    played = env(NAME)
    played.reset(seed=0)
    with pytest.raises(Mistake, match="is not a whole number; actions are 0 to"):
        played.step(action)


@pytest.mark.parametrize("env", SINGLE)
@pytest.mark.parametrize("action", [-1, 10**6, 2**70])
def test_an_action_out_of_range_is_refused(env: Any, action: int) -> None:
    played = env(NAME)
    played.reset(seed=0)
    with pytest.raises(Mistake, match="there is no action"):
        played.step(action)


@pytest.mark.parametrize("env", SINGLE)
@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint16, np.array])
def test_any_kind_of_whole_number_is_an_action(env: Any, kind: Any) -> None:
    played = env(NAME)
    played.reset(seed=0)
    played.step(kind(1))


@pytest.mark.parametrize("env", ALL)
def test_a_step_before_the_first_reset_is_refused(env: Any) -> None:
    with pytest.raises(Mistake, match=r"no game has been started; call reset\(\)"):
        env(NAME).step([0] if env in VECTOR else 0)


def test_a_step_after_the_end_is_refused() -> None:
    moves = next(line for line, end in BOOKS[0].examples.items() if end != "goes on").split()
    two, solo, pair = TwoPlayerEnv(NAME), SoloEnv(NAME, seat=(len(moves) - 1) % 2), PettingZooEnv(NAME)
    opening = {"moves": [int(move) for move in moves[:-1]]}
    for env in (two, solo):
        env.reset(options=opening)
        action = env.graph.action(int(moves[-1]))
        assert env.step(action)[2]
        with pytest.raises(Mistake, match=r"the game is over; call reset\(\)"):
            env.step(action)
    pair.reset(options=opening)
    pair.step(pair.graph.action(int(moves[-1])))
    with pytest.raises(Mistake, match=r"must be step\(None\)"):
        pair.step(0)
    pair.step(None)
    pair.step(None)
    with pytest.raises(Mistake, match=r"the game is over; call reset\(\)"):
        pair.step(None)
    stopped = TwoPlayerEnv(NAME, max_plies=1)
    stopped.reset()
    assert stopped.step(0)[3]
    with pytest.raises(Mistake, match=r"the game is over; call reset\(\)"):
        stopped.step(0)


@pytest.mark.parametrize("env", ALL)
@pytest.mark.parametrize(
    ("moves", "match"),
    [
        ("3 4", "is no list of moves"),
        (5, "is no list of moves"),
        ([10**6], "no move 1000000"),
        (["3"], "no move '3'"),
        ([True], "no move True"),
        ([int(move) for move in next(iter(BOOKS[0].examples)).split()], "the game is over after"),
        ([int(move) for move in next(iter(BOOKS[0].examples)).split()] * 2, "the game is over after"),
    ],
)
def test_moves_that_start_no_game_are_refused(env: Any, moves: Any, match: str) -> None:
    with pytest.raises(Mistake, match=match):
        env(NAME, **START.get(env, {})).reset(options={"moves": moves})


@pytest.mark.parametrize("env", VECTOR)
@pytest.mark.parametrize(
    ("actions", "match"),
    [
        ([0, 0], r"int64 of shape \(2,\); they must be 3 whole numbers"),
        ([0.0, 0.0, 0.0], "float64 of shape"),
        ([True, True, True], "bool of shape"),
        (0, r"shape \(\)"),
        ([0, 10**6, 0], "game 1: there is no action 1000000"),
        ([0, 0, -1], "game 2: there is no action -1"),
    ],
)
def test_bad_actions_of_many_games_are_refused_and_change_nothing(env: Any, actions: Any, match: str) -> None:
    played = env(NAME, 3)
    before = played.reset(seed=0)[1]["state"].tolist()
    with pytest.raises(Mistake, match=match):
        played.step(actions)
    assert played._state.tolist() == before


@pytest.mark.parametrize("env", VECTOR)
def test_bad_arguments_of_many_games_are_refused(env: Any) -> None:
    for count in (0, -1, 2.0, True):
        with pytest.raises(Mistake, match="num_envs="):
            env(NAME, count)
    with pytest.raises(Mistake, match="no such autoreset_mode: NextSteps; did you mean NextStep"):
        env(NAME, 2, autoreset_mode="NextSteps")
    with pytest.raises(Mistake, match="2 seeds for 3 games"):
        env(NAME, 3).reset(seed=[1, 2])
    for seed in (-1, [-1, 0, 0], [0.5, 0, 0]):
        with pytest.raises(Mistake, match="is not a whole number of 0 or more"):
            env(NAME, 3).reset(seed=seed)
    played = env(NAME, 3)
    with pytest.raises(Mistake, match="never started"):
        played.reset(options={"reset_mask": np.array([True, False, False])})
    played.reset()
    for mask in ([True, False, False], np.ones(2, dtype=bool), np.ones(3)):
        with pytest.raises(Mistake, match="reset_mask must be an array of 3 bools"):
            played.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("odd", [np.zeros((3, 3)), np.array(["uniform"]), [], {}, b"optimal"], ids=repr)
def test_an_array_or_a_list_is_no_name(odd: Any) -> None:
    for arguments in ({"opponent": odd}, {"observation": odd}, {"illegal_move": odd}, {"max_plies": odd}):
        for env in (SoloEnv, SoloVectorEnv):
            with pytest.raises(Mistake) as caught:
                env(NAME, **arguments)
            assert "\n" not in str(caught.value)
    with pytest.raises(Mistake):
        PettingZooEnv(odd)


@pytest.mark.parametrize("env", VECTOR)
def test_lists_of_unequal_lengths_are_no_actions(env: Any) -> None:
    games = env(NAME, num_envs=3, **START.get(env, {}))
    games.reset(seed=0)
    for ragged in ([[1], [2, 3], [1]], [1, [2], 3]):
        with pytest.raises(Mistake, match="actions are no array"):
            games.step(ragged)
    with pytest.raises(Mistake, match=r"seed 1\.5 is neither a whole number nor a list of them"):
        games.reset(seed=1.5)


@pytest.mark.parametrize("env", ALL)
def test_options_that_are_no_dictionary_or_have_no_end_are_refused(env: Any) -> None:
    one = env(NAME)
    for options in ([1], 5, "x"):
        with pytest.raises(Mistake, match="is no dictionary"):
            one.reset(options=options)
    with pytest.raises(Mistake, match="more than 100,000 moves"):
        one.reset(options={"moves": range(10**12)})


def test_nothing_is_last_before_the_first_game_or_after_the_end() -> None:
    env = PettingZooEnv(NAME)
    with pytest.raises(Mistake, match=r"no game has been started; call reset\(\) before last\(\)"):
        env.last()
    env.reset(seed=0)
    for agent in env.agent_iter():
        _, _, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else env.action_space(agent).sample(info["action_mask"]))
    with pytest.raises(Mistake, match=r"the game is over; call reset\(\) before last\(\)"):
        env.last()
