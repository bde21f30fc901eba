"""What a game does in each env: worked games, rewards, ends, illegal moves, truncation, starts, copies, words."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv

from envs import PettingZooEnv, SoloEnv, SoloVectorEnv, TwoPlayerEnv, TwoPlayerVectorEnv
from games import DRAW, ILLEGAL, MOVER_WINS, GameGraph, Policy, RuleBook, compile_rulebook, make_rulebook, observe
from games.rulebook import Outcome
from tests.books import BOOKS, FAMILIES, label

ALL = [TwoPlayerEnv, SoloEnv, PettingZooEnv, TwoPlayerVectorEnv, SoloVectorEnv]
EXAMPLES = [(book, line, end) for book in BOOKS for line, end in book.examples.items()]
WORKED = pytest.mark.parametrize(("book", "line", "end"), EXAMPLES, ids=[f"{b.name} {line}" for b, line, _ in EXAMPLES])


@dataclass(frozen=True)
class Odd(RuleBook):
    """Say 1, 2 or 3; a 3 draws, a second 2 is illegal, and the total 4 leaves no legal move."""

    def moves(self) -> range:
        return range(1, 4)

    def fields(self) -> dict[str, int]:
        return {"total": 5, "last": 4}

    def play(self, number: int, total: int, last: int) -> Outcome:
        if total == 4 or total + number > 4 or (number == 2 and last == 2):
            return ILLEGAL
        if number == 3:
            return DRAW
        return total + number, number


def script(graph: GameGraph, moves: list[int]) -> Policy:
    """Plays these moves where they lead, and anything legal elsewhere."""
    table, state = Policy.uniform(graph).probability.copy(), 0
    for move in moves:
        table[state] = 0.0
        table[state, graph.action(move)] = 1.0
        state = int(graph.next_state[state, graph.action(move)])
        if state < 0:
            break
    return Policy(graph, table)


def winner_of(end: str) -> int | None:
    return {"first wins": 0, "second wins": 1}.get(end)


@WORKED
def test_a_worked_game_ends_as_stated_with_both_seats(book: RuleBook, line: str, end: str) -> None:
    env = TwoPlayerEnv(book)
    vector = TwoPlayerVectorEnv(book, 2)
    env.reset()
    vector.reset()
    moves = [int(word) for word in line.split()]
    for ply, move in enumerate(moves):
        action = env.graph.action(move)
        _, reward, terminated, _, _ = env.step(action)
        _, rewards, terminations, _, _ = vector.step(np.array([action, action]))
        assert terminated == (ply == len(moves) - 1 and end != "goes on")
        won = 0.0 if not terminated else 1.0 if winner_of(end) == ply % 2 else -1.0
        assert reward == won
        assert rewards.tolist() == [won, won]
        assert terminations.tolist() == [terminated, terminated]


@WORKED
def test_a_worked_game_ends_as_stated_through_pettingzoo(book: RuleBook, line: str, end: str) -> None:
    for first, seats in (("player_0", ("player_0", "player_1")), ("player_1", ("player_1", "player_0"))):
        env = PettingZooEnv(book, first=first)
        env.reset()
        for move in line.split():
            env.step(env.graph.action(int(move)))
        winner = winner_of(end)
        assert any(env.terminations.values()) == (winner is not None)
        if winner is not None:
            assert env.rewards == {seats[winner]: 1.0, seats[1 - winner]: -1.0}


@pytest.mark.parametrize("seat", [0, 1])
@WORKED
def test_a_worked_game_ends_as_stated_in_either_seat(book: RuleBook, line: str, end: str, seat: int) -> None:
    graph, moves = compile_rulebook(book), [int(word) for word in line.split()]
    env = SoloEnv(book, seat=seat, opponent=script(graph, moves))
    vector = SoloVectorEnv(book, 1, seat=seat, opponent=script(graph, moves))
    env.reset(seed=1)
    vector.reset(seed=1)
    reward, terminated = 0.0, False
    for move in moves[seat::2]:
        _, reward, terminated, _, _ = env.step(graph.action(move))
        _, rewards, terminations, _, _ = vector.step(np.array([graph.action(move)]))
        assert (rewards[0], terminations[0]) == (reward, terminated)
    if end != "goes on":
        assert terminated
        assert reward == (1.0 if winner_of(end) == seat else -1.0)
    else:
        assert not terminated or len(moves) % 2 != seat  # the opponent's next move is its own


@pytest.mark.parametrize("book", FAMILIES, ids=label)
@pytest.mark.parametrize("illegal_move", ["forfeit", "retry"])
def test_pettingzoo_is_zero_sum_whatever_is_played(book: RuleBook, illegal_move: str) -> None:
    env, generator = PettingZooEnv(book, illegal_move=illegal_move, first=None), np.random.default_rng(0)
    for game in range(20):
        env.reset(seed=game)
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            env.step(int(generator.integers(env.graph.num_actions)))
            assert sum(env.rewards.values()) == 0.0
        if any(env.terminations.values()):
            assert sorted(env.rewards.values()) in ([-1.0, 1.0], [0.0, 0.0])


def test_after_the_end_one_sees_the_position_moved_from_and_may_say_anything(book: RuleBook) -> None:
    env = TwoPlayerEnv(book)
    _, info = env.reset(seed=0)
    generator, terminated = np.random.default_rng(1), False
    for _ in range(10_000):
        before = info["state"]
        seen, _, terminated, truncated, info = env.step(generator.choice(np.flatnonzero(info["action_mask"])))
        if terminated:
            break
        if truncated:
            _, info = env.reset()
    assert terminated
    assert info["state"] == before
    assert seen.tolist() == np.asarray(observe(env.graph, "onehot", np.array([before])))[0].tolist()
    assert info["action_mask"].tolist() == [1] * env.graph.num_actions
    assert env.action_masks().all()


@pytest.mark.parametrize("env", [TwoPlayerEnv, SoloEnv])
def test_every_mask_says_what_the_rules_allow(relative: RuleBook, env: Any) -> None:
    played = env(relative)
    generator = np.random.default_rng(0)
    for game in range(20):
        _, info = played.reset(seed=game)
        over = False
        while not over:
            position = tuple(played.graph.positions[info["state"]].tolist())
            allowed = [relative.step(move, position) != ILLEGAL for move in relative.moves()]
            assert info["action_mask"].dtype == np.int8
            assert info["action_mask"].tolist() == played.action_masks().tolist() == allowed
            action = played.action_space.sample(info["action_mask"])
            _, _, terminated, truncated, info = played.step(action)
            over = terminated or truncated or generator.random() < 0.01


def test_an_illegal_move_forfeits_or_is_taken_back() -> None:
    book = Odd()
    env = TwoPlayerEnv(book)
    env.reset(options={"moves": [2]})
    _, reward, terminated, _, info = env.step(env.graph.action(2))
    assert (reward, terminated) == (-1.0, True)
    env = TwoPlayerEnv(book, illegal_move="retry", max_plies=3)
    before, _ = env.reset(options={"moves": [2]})
    for attempt in range(3):
        seen, reward, terminated, truncated, info = env.step(env.graph.action(2))
        assert (reward, terminated, truncated) == (0.0, False, attempt == 2)
        assert seen.tolist() == before.tolist()
        assert info["action_mask"].tolist() == [1, 0, 0]
    env = SoloEnv(book, illegal_move="retry", seat=1)
    env.reset(options={"moves": [2]})
    assert env.step(env.graph.action(2))[2:4] == (False, False)
    pair = PettingZooEnv(book, illegal_move="retry")
    pair.reset(options={"moves": [2]})
    pair.step(pair.graph.action(2))
    assert pair.agent_selection == "player_1"
    assert pair.infos["player_1"]["action_mask"].tolist() == [1, 0, 0]


def test_a_draw_is_worth_nothing_to_either() -> None:
    for env in (TwoPlayerEnv(Odd()), SoloEnv(Odd(), seat=0)):
        env.reset(seed=0)
        assert env.step(env.graph.action(3))[1:4] == (0.0, True, False)
    pair = PettingZooEnv(Odd())
    pair.reset()
    pair.step(pair.graph.action(3))
    assert pair.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert all(pair.terminations.values())


def test_a_move_that_leaves_no_legal_move_wins() -> None:
    env = TwoPlayerEnv(Odd(), render_mode="ansi")
    env.reset(options={"moves": [1, 2]})
    _, reward, terminated, _, _ = env.step(env.graph.action(1))
    assert (reward, terminated) == (1.0, True)
    assert str(env.render()).endswith("first player wins: second player has no legal move")
    solo = SoloEnv(Odd(), seat=1, opponent=script(solo_graph := compile_rulebook(Odd()), [1, 2, 1]))
    solo.reset(seed=0)
    assert solo.step(solo_graph.action(2))[1:3] == (-1.0, True)


def test_play_that_may_never_end_is_stopped_after_a_hundred_plies(relative: RuleBook) -> None:
    graph = compile_rulebook(relative)
    assert TwoPlayerEnv(relative).core.max_plies == (100 if graph.has_cycle else None)
    assert TwoPlayerEnv(relative, illegal_move="retry").core.max_plies == 100
    assert TwoPlayerEnv(relative, max_plies=None).core.max_plies is None


def test_a_stopped_game_has_no_winner_and_shows_the_position_reached() -> None:
    book = next(book for book in BOOKS if compile_rulebook(book).has_cycle)
    graph = compile_rulebook(book)
    safe = Policy.uniform(graph).probability * (graph.next_state >= 0)
    quiet = Policy(graph, safe / safe.sum(axis=1, keepdims=True))
    two, solo = TwoPlayerEnv(book), SoloEnv(book, opponent=quiet, seat=1, max_plies=4)
    for env, steps in ((two, 100), (solo, 2)):  # solo: a move of the opponent, then twice two
        _, info = env.reset(seed=0)
        for step in range(steps):
            _, reward, terminated, truncated, info = env.step(int(safe[info["state"]].argmax()))
            assert (reward, terminated, truncated) == (0.0, False, step == steps - 1)
        assert info["action_mask"].tolist() == graph.legal[info["state"]].tolist()


def test_a_learner_is_to_move_whenever_it_is_asked() -> None:
    for book in FAMILIES:
        env = SoloEnv(book, max_plies=3, render_mode="ansi")
        for game in range(10):
            env.reset(seed=game)
            assert "(you) to move" in str(env.render())


def test_the_seat_is_tossed_fairly_and_by_the_seed(book: RuleBook) -> None:
    env, seats = SoloEnv(book), []
    for seed in range(400):
        env.reset(seed=seed)
        seats.append(env.learner)
        env.reset(seed=seed)
        assert env.learner == seats[-1]
    assert 150 < sum(seats) < 250
    pair, firsts = PettingZooEnv(book, first=None), []
    for seed in range(400):
        pair.reset(seed=seed)
        firsts.append(pair.agent_selection)
    assert 150 < firsts.count("player_0") < 250


def test_the_uniform_opponent_plays_every_legal_move_alike(book: RuleBook) -> None:
    env = SoloEnv(book, seat=1)
    if (env.core.outcome[0] < 0).any():
        pytest.skip("an opening move ends the game, and such a game is no episode")
    count = np.zeros(env.graph.num_states)
    env.reset(seed=0)
    for _ in range(3000):
        _, info = env.reset()
        count[info["state"]] += 1
    expected = 3000 / env.graph.num_actions
    reached = count[env.graph.next_state[0]]
    assert (abs(reached - expected) < 6 * np.sqrt(expected)).all()


def test_a_policy_is_sampled_by_its_probabilities(book: RuleBook) -> None:
    graph = compile_rulebook(book)
    weights = graph.legal * np.arange(1.0, graph.num_actions + 1)
    policy = Policy(graph, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1.0))
    env = SoloVectorEnv(book, 20_000, seat=1, opponent=policy, observation="index")
    assert not env._replies.flat
    states, _ = env.reset(seed=0)
    goes_on = graph.next_state[0] >= 0
    chance = np.bincount(graph.next_state[0][goes_on], policy.probability[0][goes_on], graph.num_states)  # [S]
    expected = chance / chance.sum() * 20_000
    assert (abs(np.bincount(states, minlength=graph.num_states) - expected) <= 6 * np.sqrt(expected)).all()


def test_the_optimal_opponent_never_loses_a_won_game(book: RuleBook) -> None:
    from solver import solve

    graph = compile_rulebook(book)
    value = solve(graph).value
    env = SoloEnv(book, opponent="optimal")
    generator = np.random.default_rng(0)
    for game in range(200):
        _, info = env.reset(seed=game)
        lost, over, reward = value[info["state"]] < 0, False, 0.0
        while not over:
            _, reward, terminated, truncated, info = env.step(generator.choice(np.flatnonzero(info["action_mask"])))
            over = terminated or truncated
        assert not (lost and reward > 0)


@pytest.mark.parametrize("env", [TwoPlayerEnv, SoloEnv])
def test_a_game_may_start_after_given_moves(book: RuleBook, env: Any) -> None:
    opening = next(line for line in book.examples if len(line.split()) > 1).split()[:1]
    played = env(book, **({"seat": 1} if env is SoloEnv else {}))
    _, info = played.reset(options={"moves": [int(opening[0])], "nonsense": 1})
    assert info["state"] == played.graph.follow([int(opening[0])])
    _, info = played.reset(seed=0)
    if env is TwoPlayerEnv:
        assert info["state"] == 0


def play_on(env: Any, generator: np.random.Generator) -> list[Any]:
    """A few steps of a Gymnasium env."""
    told = []
    for _ in range(30):
        told.append(env.step(int(generator.integers(env.graph.num_actions))))
        if told[-1][2] or told[-1][3]:
            told.append(env.reset())
    return told


@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("env", [TwoPlayerEnv, SoloEnv])
def test_a_copy_plays_on_as_the_original_does(book: RuleBook, env: Any, again: Any) -> None:
    original = env(book)
    original.reset(seed=4)
    other = again(original)
    generators = np.random.default_rng(0), np.random.default_rng(0)
    assert data_equivalence(play_on(original, generators[0]), play_on(other, generators[1]), exact=True)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copied_vector_or_pettingzoo_env_plays_on_as_the_original_does(book: RuleBook, again: Any) -> None:
    original = SoloVectorEnv(book, 5)
    original.reset(seed=4)
    other = again(original)
    for _ in range(30):
        actions = original.sample_legal()
        assert actions.tolist() == other.sample_legal().tolist()
        assert data_equivalence(original.step(actions), other.step(actions), exact=True)
    pair = PettingZooEnv(book, first=None)
    pair.reset(seed=1)
    twin = again(pair)
    pair.step(0)
    twin.step(0)
    assert (pair.rewards, pair.agent_selection) == (twin.rewards, twin.agent_selection)


def test_the_envs_work_in_processes_of_their_own() -> None:
    book = BOOKS[0]
    envs = AsyncVectorEnv([partial(SoloEnv, book)] * 2)
    same = SoloVectorEnv(book, 2)
    try:
        assert data_equivalence(envs.reset(seed=3), same.reset(seed=3), exact=True)
        for _ in range(20):
            actions = same.sample_legal()
            assert data_equivalence(envs.step(actions), same.step(actions), exact=True)
    finally:
        envs.close()


def test_the_words_tell_the_moves_who_is_to_move_and_how_it_ended(book: RuleBook) -> None:
    line, end = next((line, end) for line, end in book.examples.items() if end != "goes on")
    moves = [int(word) for word in line.split()]
    env = TwoPlayerEnv(book, render_mode="ansi")
    env.reset()
    assert "moves so far: none\nfirst player to move" in str(env.render())
    for move in moves:
        env.step(env.graph.action(move))
    text = str(env.render())
    assert text.startswith(f"{book.title}: {book.table(moves)}\nmoves so far: {line}\n")
    assert f"{'first' if winner_of(end) == 0 else 'second'} player wins: " in text
    pair = PettingZooEnv(book, render_mode="ansi", first="player_1")
    pair.reset()
    assert str(pair.render()).endswith("player_1 to move")


def test_a_forfeit_and_a_stop_are_told_in_words() -> None:
    env = TwoPlayerEnv(Odd(), render_mode="ansi", max_plies=2)
    env.reset(options={"moves": [2]})
    env.step(env.graph.action(2))
    assert str(env.render()).endswith("first player wins: second player said 2, and the move is against the rules")
    env.reset()
    env.step(0)
    env.step(0)
    assert str(env.render()).endswith("stopped by max_plies, without a winner")


@pytest.mark.parametrize("env", [TwoPlayerEnv, SoloEnv, PettingZooEnv])
def test_human_rendering_prints_each_position(book: RuleBook, env: Any, capsys: pytest.CaptureFixture[str]) -> None:
    played = env(book, render_mode="human")
    played.reset(seed=0)
    printed = capsys.readouterr().out
    assert book.title in printed
    assert played.render() is None
    assert capsys.readouterr().out == printed
    played.step(0)
    assert "moves so far" in capsys.readouterr().out


@pytest.mark.parametrize("env", [TwoPlayerEnv, SoloEnv, PettingZooEnv])
def test_rendering_without_a_mode_warns(env: Any) -> None:
    played = env(BOOKS[0])
    played.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode='ansi'"):
        assert played.render() is None


def test_a_large_game_plays_without_a_table_of_observations(monkeypatch: pytest.MonkeyPatch) -> None:
    import envs.core

    book = make_rulebook(BOOKS[0].name)
    small = [TwoPlayerEnv(book, observation=view).reset()[0] for view in ("onehot", "binary", "scalar")]
    monkeypatch.setattr(envs.core, "LARGEST_TABLE", 0)
    envs.core._table.cache_clear()
    large = [TwoPlayerEnv(book, observation=view) for view in ("onehot", "binary", "scalar")]
    assert all(env.core.table is None for env in large)
    assert data_equivalence([env.reset()[0] for env in large], small, exact=True)
    envs.core._table.cache_clear()


def test_family_parameters_pass_through_an_id(book: RuleBook) -> None:
    from envs import env_id

    key, value = next((key, value) for key, value in book.parameters.items() if isinstance(value, int))
    made = gymnasium.make(env_id(book.name), **{key: value + 1})  # type: ignore[arg-type]
    assert made.get_wrapper_attr("graph").parameters[key] == value + 1
    assert made.reset()[0].shape == made.observation_space.shape
    assert made.get_wrapper_attr("action_masks")().dtype == np.bool_


def test_a_game_won_by_a_verdict_is_told_apart_from_one_lost() -> None:
    graphs = [(book, compile_rulebook(book)) for book in FAMILIES]
    book, graph = next((book, graph) for book, graph in graphs if (graph.next_state == MOVER_WINS).any())
    state, action = np.argwhere(graph.next_state == MOVER_WINS)[0]
    env = TwoPlayerEnv(book)
    env.reset()
    env._state = int(state)
    assert env.step(int(action))[1:3] == (1.0, True)
