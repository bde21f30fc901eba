"""A row of the vector envs is a single env, and the whole is Gymnasium's SyncVectorEnv, only faster."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from envs import SoloEnv, SoloVectorEnv, TwoPlayerEnv, TwoPlayerVectorEnv, env_id
from envs import stream as splitmix
from games import Policy, RuleBook, compile_rulebook
from games.observation import VIEWS

MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"illegal_move": "retry", "max_plies": 7},
    {"seat": 0, "max_plies": 5},
    {"seat": None, "opponent": "optimal"},
    {"seat": None, "opponent": "skewed", "illegal_move": "retry"},
]


def skewed(book: RuleBook) -> Policy:
    """Likes large moves: its rows are not flat."""
    graph = compile_rulebook(book)
    weights = graph.legal * np.arange(1.0, graph.num_actions + 1)
    return Policy(graph, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1.0))


def kinds(book: RuleBook, settings: dict[str, Any]) -> list[tuple[Any, Any, dict[str, Any]]]:
    settings = {**settings, **({"opponent": skewed(book)} if settings.get("opponent") == "skewed" else {})}
    both = {key: value for key, value in settings.items() if key not in ("seat", "opponent")}
    return [
        (SoloEnv, SoloVectorEnv, settings),
        *([] if both != settings else [(TwoPlayerEnv, TwoPlayerVectorEnv, both)]),
    ]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_vector_env_is_a_sync_vector_env_step_for_step(
    relative: RuleBook, settings: dict[str, Any], mode: AutoresetMode
) -> None:
    for single, vector, options in kinds(relative, settings):
        fast = vector(relative, 6, autoreset_mode=mode, **options)
        slow = SyncVectorEnv([lambda s=single, o=options: s(relative, **o)] * 6, autoreset_mode=mode)
        assert fast.metadata["autoreset_mode"] is mode
        assert fast.observation_space == slow.observation_space
        assert fast.action_space == slow.action_space
        generator = np.random.default_rng(0)
        for seed in (3, None, [1, None, 5, 5, None, 0]):
            assert data_equivalence(fast.reset(seed=seed), slow.reset(seed=seed), exact=True)
            for _ in range(40):
                legal = generator.random() < 0.8
                actions = fast.sample_legal() if legal else generator.integers(fast.graph.num_actions, size=6)
                assert data_equivalence(fast.step(actions), slow.step(actions), exact=True)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_every_view_of_the_vector_env_is_that_of_the_single_env(book: RuleBook, view: str, mode: AutoresetMode) -> None:
    fast = SoloVectorEnv(book, 5, observation=view, autoreset_mode=mode)
    slow = SyncVectorEnv([lambda: SoloEnv(book, observation=view)] * 5, autoreset_mode=mode)
    assert data_equivalence(fast.reset(seed=1), slow.reset(seed=1), exact=True)
    for _ in range(60):
        actions = fast.sample_legal()
        assert data_equivalence(fast.step(actions), slow.step(actions), exact=True)


@pytest.mark.parametrize("seat", [0, 1, None])
def test_row_i_of_the_vector_env_is_a_solo_env_over_thousands_of_plies(book: RuleBook, seat: int | None) -> None:
    rows, seed = 3, 11
    fast = SoloVectorEnv(book, rows, seat=seat, copy=False, autoreset_mode="NextStep")
    alone = [SoloEnv(book, seat=seat) for _ in range(rows)]
    seen, info = fast.reset(seed=seed)
    for row, env in enumerate(alone):
        assert seen[row].tolist() == env.reset(seed=seed + row)[0].tolist()
    ended = [False] * rows
    for _ in range(1500):
        actions = fast.sample_legal()
        seen, rewards, terminations, truncations, info = fast.step(actions)
        for row, env in enumerate(alone):
            if ended[row]:
                (one, told), reward, terminated, truncated = env.reset(), 0.0, False, False
            else:
                one, reward, terminated, truncated, told = env.step(actions[row])
            ended[row] = terminated or truncated
            assert (rewards[row], terminations[row], truncations[row]) == (reward, terminated, truncated)
            assert info["state"][row] == told["state"]
            assert (info["action_mask"][row] == told["action_mask"]).all()
            assert (seen[row] == one).all()


def test_a_start_after_given_moves_holds_until_the_next_end(book: RuleBook) -> None:
    move = int(next(iter(book.examples)).split()[0])
    for single, vector in ((SoloEnv, SoloVectorEnv), (TwoPlayerEnv, TwoPlayerVectorEnv)):
        fast: Any = vector(book, 4)
        slow = SyncVectorEnv([lambda s=single: s(book)] * 4)  # type: ignore[misc]
        options = {"moves": [move], "nonsense": True}
        assert data_equivalence(fast.reset(seed=1, options=options), slow.reset(seed=1, options=options), exact=True)
        for _ in range(40):
            actions = fast.sample_legal()
            assert data_equivalence(fast.step(actions), slow.step(actions), exact=True)


def test_a_reset_mask_starts_only_the_chosen_games(book: RuleBook) -> None:
    fast = SoloVectorEnv(book, 4)
    slow = SyncVectorEnv([lambda: SoloEnv(book)] * 4)
    fast.reset(seed=1)
    slow.reset(seed=1)
    for _ in range(5):
        actions = fast.sample_legal()
        fast.step(actions)
        slow.step(actions)
    chosen = np.array([True, False, False, True])
    options = [{"reset_mask": chosen.copy()} for _ in range(2)]
    told = fast.reset(seed=9, options=options[0]), slow.reset(seed=9, options=options[1])
    assert data_equivalence(told[0], told[1], exact=True)
    assert "reset_mask" in options[0]  # what a caller passes stays the caller's
    for _ in range(20):
        actions = fast.sample_legal()
        assert data_equivalence(fast.step(actions), slow.step(actions), exact=True)


def test_copies_stay_as_they_were_and_reused_buffers_do_not(book: RuleBook) -> None:
    for copy in (True, False):
        env = TwoPlayerVectorEnv(book, 8, copy=copy)
        env.reset(seed=0)
        first = env.step(env.sample_legal())
        second = env.step(env.sample_legal())
        for one, other in zip(first[:4], second[:4], strict=True):
            assert np.shares_memory(one, other) is not copy
        for key in ("state", "action_mask"):
            assert np.shares_memory(first[4][key], second[4][key]) is not copy


def test_the_sampler_draws_every_legal_move_alike_and_no_other(book: RuleBook) -> None:
    env = SoloVectorEnv(book, 4000, observation="index")
    _, info = env.reset(seed=0)
    for _ in range(20):
        actions = env.sample_legal()
        assert env.graph.legal[info["state"], actions].all()
        _, _, _, _, info = env.step(actions)
    still = TwoPlayerVectorEnv(book, 10_000)
    still.reset(seed=0)
    count = np.bincount(still.sample_legal(), minlength=still.graph.num_actions)
    legal = still.graph.legal[0]
    expected = 10_000 / legal.sum()
    assert (abs(count[legal] - expected) < 6 * np.sqrt(expected)).all()
    assert (count[~legal] == 0).all()
    actions = still.sample_legal()
    still.reset(seed=0)
    still.sample_legal()
    assert still.sample_legal().tolist() == actions.tolist()


def test_masks_of_all_games_come_as_sb3_contrib_asks(book: RuleBook) -> None:
    env = TwoPlayerVectorEnv(book, 3)
    _, info = env.reset(seed=0)
    assert env.action_masks().dtype == np.bool_
    assert (env.action_masks() == info["action_mask"]).all()


@pytest.mark.parametrize("solo", [False, True])
def test_make_vec_gives_the_fast_class(book: RuleBook, solo: bool) -> None:
    env = gymnasium.make_vec(env_id(book.name, solo=solo), num_envs=3, autoreset_mode="SameStep")
    assert type(env) is (SoloVectorEnv if solo else TwoPlayerVectorEnv)
    assert env.reset(seed=0)[0].shape[0] == 3


def test_the_stream_is_splitmix64() -> None:
    # The first words of the reference implementation for the seed 1234567.
    stream, words = 1234567, []
    for _ in range(3):
        stream = splitmix.advance(stream)
        words.append(splitmix.word(stream))
    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_machine_code_and_python_draw_the_same_words() -> None:
    from envs import kernel

    for seed in range(50):
        stream = splitmix.seeded(seed)
        assert int(kernel.advance(np.uint64(stream))) == splitmix.advance(stream)
        word = splitmix.word(stream)
        assert int(kernel.word(np.uint64(stream))) == word
        assert int(kernel.below(np.uint64(word), np.uint64(10))) == splitmix.below(word, 10)
        assert kernel.fraction(np.uint64(word)) == splitmix.fraction(word)
