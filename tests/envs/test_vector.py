"""A row of the vector envs is a single env, and the whole is Gymnasium's SyncVectorEnv, only faster."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from envs import SoloEnv, SoloVectorEnv, TwoPlayerEnv, TwoPlayerVectorEnv, env_id, sample_legal
from envs import stream as splitmix
from games import Mistake, Policy, RuleBook, compile_rulebook
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


@pytest.mark.parametrize("kind", [np.int8, np.bool_, np.int64])
def test_a_move_drawn_from_a_mask_is_any_that_the_mask_allows_and_no_other(kind: Any) -> None:
    generator = np.random.default_rng(0)
    for actions in (1, 2, 9, 10, 17, 70):
        row = generator.random(actions) < 0.5
        row[generator.integers(actions)] = True
        mask = np.tile(row, (20_000, 1)).astype(kind)
        count = np.bincount(sample_legal(mask, generator), minlength=actions)
        expected = len(mask) / row.sum()
        assert (abs(count[row] - expected) < 6 * np.sqrt(expected)).all()
        assert (count[~row] == 0).all()
        mask = generator.random((500, actions)) < 0.3
        mask[np.arange(500), generator.integers(actions, size=500)] = True
        drawn = sample_legal(mask.astype(kind), generator)
        assert mask[np.arange(500), drawn].all()


def test_moves_drawn_from_the_masks_of_a_vector_env_are_legal_and_come_again_with_the_seed(book: RuleBook) -> None:
    drawn = []
    for _ in range(2):
        env, generator = TwoPlayerVectorEnv(book, 50, copy=False, autoreset_mode="SameStep"), np.random.default_rng(3)
        _, info = env.reset(seed=0)
        for _ in range(30):
            actions = sample_legal(info["action_mask"], generator)
            assert env.graph.legal[info["state"], actions].all()
            drawn.append(actions.tolist())
            _, _, _, _, info = env.step(actions)
    assert drawn[:30] == drawn[30:]


def test_a_mask_that_allows_nothing_or_is_none_is_refused() -> None:
    generator = np.random.default_rng(0)
    with pytest.raises(Mistake, match="row 1 of the mask allows nothing"):
        sample_legal(np.array([[1, 0], [0, 0]], dtype=np.int8), generator)
    for wrong, says in (
        (np.ones(3, dtype=np.int8), r"int8 of shape \(3,\)"),
        (np.ones((2, 2)), "float64"),
        ([[1]], "list"),
    ):
        with pytest.raises(Mistake, match=says):
            sample_legal(wrong, generator)  # type: ignore[arg-type]


def test_a_copy_of_a_vector_env_goes_on_as_the_original_and_apart_from_it(book: RuleBook) -> None:
    env = SoloVectorEnv(book, 5, copy=False)
    env.reset(seed=1)
    for other in (deepcopy(env), pickle.loads(pickle.dumps(env))):
        for _ in range(20):
            actions = env.sample_legal().copy()
            assert (other.sample_legal() == actions).all()
            assert data_equivalence(env.step(actions), other.step(actions), exact=True)
        env.reset(seed=1)


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
