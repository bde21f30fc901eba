"""The exact judge of any SB3 or sb3-contrib model: the card is that of the moves which the model itself says."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.wrappers import (
    FrameStackObservation,
    NormalizeObservation,
    NormalizeReward,
    StickyAction,
    TimeLimit,
    TransformAction,
    TransformObservation,
)
from sb3_contrib import ARS, QRDQN, TQC, TRPO, MaskablePPO, RecurrentPPO
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.callbacks import EvalCallback, EveryNTimesteps
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecFrameStack, VecMonitor, VecNormalize

import envs
from agents.forfeits import judge_as_played
from agents.sb3 import ExactEvalCallback, as_played, greedy
from agents.sb3_model import chances, scores
from games import GameGraph, Mistake, Policy, compile_rulebook, make_rulebook
from solver import scorecard

ALGORITHMS: dict[Any, dict[str, Any]] = {
    PPO: {"n_steps": 32, "batch_size": 32},
    A2C: {},
    DQN: {"learning_starts": 10},
    QRDQN: {"learning_starts": 10},
    TRPO: {"n_steps": 32, "batch_size": 32},
    MaskablePPO: {"n_steps": 32, "batch_size": 32},
    ARS: {"n_delta": 2},
}
torch.set_num_threads(1)
FLIP = "perfectplay/NumberFlipSolo-v0"


def make(**options: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(FLIP, **options)


@pytest.mark.filterwarnings("ignore:You are using a multidimensional:UserWarning")
@pytest.mark.parametrize("normalized", [False, True], ids=["plain", "VecNormalize"])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.__name__)
def test_the_judged_move_is_the_one_that_the_model_says_at_every_position(algorithm: Any, normalized: bool) -> None:
    games: Any = DummyVecEnv([make, make])
    if normalized:
        games = VecMonitor(VecNormalize(games, gamma=0.9))
    model = algorithm("MlpPolicy", games, seed=0, **ALGORITHMS[algorithm])
    callback = ExactEvalCallback(every=50)
    model.learn(100, callback)
    graph = callback.cards[0][1] and make().unwrapped.graph  # type: ignore[attr-defined]
    judged = greedy(model)
    compared = 0
    for state in np.flatnonzero(graph.legal.any(axis=1))[::7].tolist():
        seen = make_core_observation(graph, state)
        if normalized:
            seen = games.venv.normalize_obs(seen)
        masks = {"action_masks": graph.legal[state].copy()} if algorithm is MaskablePPO else {}
        move = int(model.predict(seen, deterministic=True, **masks)[0])
        preferences = scores(model, seen[None])[0]
        expected = (
            move if graph.legal[state, move] else int(np.where(graph.legal[state], preferences, -np.inf).argmax())
        )
        near = abs(preferences[expected] - preferences[judged.act(state)]) < 1e-5  # one row and a batch differ by bits
        assert judged.act(state) == expected or near, state
        compared += graph.legal[state, move]
    assert compared > 10
    steps, card = callback.cards[-1]
    assert card == replace(scorecard(judged.graph, judged), steps=steps)


def make_core_observation(graph: GameGraph, state: int) -> Any:
    """A position one-hot, written down once more."""
    parts = [np.eye(size)[value] for size, value in zip(graph.fields.values(), graph.positions[state], strict=True)]
    return np.concatenate(parts).astype(np.float32)


def test_anyones_masked_ppo_is_scored_as_it_learns(graph: GameGraph) -> None:
    env = gymnasium.make(envs.env_id(graph.game, solo=True))
    told: list[int] = []
    callback = ExactEvalCallback(graph, every=64, tell=lambda steps, card: told.append(steps))
    MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, seed=0).learn(192, callback)
    assert [steps for steps, _ in callback.cards] == told == [1, 64, 128, 192, 192]
    final = callback.cards[-1][1]
    assert final == replace(scorecard(graph, greedy(callback.model, graph)), steps=192)


@pytest.mark.parametrize("view", ["binary", "digits", "scalar", "index"])
def test_game_and_view_are_found_in_the_env(graph: GameGraph, view: str) -> None:
    env = ActionMasker(
        gymnasium.make(envs.env_id(graph.game, solo=True), observation=view), lambda env: env.unwrapped.action_masks()
    )
    callback = ExactEvalCallback(as_played=True)
    MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64).learn(64, callback)
    assert len(callback.cards) == 2
    assert callback.cards[0][1].game == graph.game
    assert callback.played[-1][1].illegal == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # fork, in a process with threads
def test_game_and_wrappers_are_found_in_other_processes() -> None:
    games = SubprocVecEnv([make, make], start_method="fork")
    model = PPO("MlpPolicy", VecNormalize(games), n_steps=32, batch_size=32)
    callback = ExactEvalCallback()
    model.learn(64, callback)
    assert len(callback.cards) == 2
    games.close()
    games = SubprocVecEnv([lambda: NormalizeObservation(make())], start_method="fork")
    with pytest.raises(Mistake, match=r"NormalizeObservation.* changes what the model sees"):
        greedy(PPO("MlpPolicy", games))
    games.close()


class Plus(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Changes what is seen, and says so nowhere."""

    def reset(self, **options: Any) -> Any:
        seen, info = self.env.reset(**options)
        return seen * 0.5, info


class Flicker(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Changes what is seen now and then."""

    steps = 0

    def step(self, action: Any) -> Any:
        seen, *rest = self.env.step(action)
        self.steps += 1
        return (seen[::-1].copy() if self.steps % 7 == 0 else seen), *rest


class Mirror(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Plays another move than it is told, and says so nowhere."""

    def step(self, action: Any) -> Any:
        return self.env.step(9 - int(action))


class Silent(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Keeps the info to itself, so that nobody can say what is shown."""

    def reset(self, **options: Any) -> Any:
        return self.env.reset(**options)[0][::-1].copy(), {}

    def step(self, action: Any) -> Any:
        seen, reward, terminated, truncated, _ = self.env.step(action)
        return seen[::-1].copy(), reward, terminated, truncated, {}


class Continuous(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Takes a number from -1 to 1 for an action."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)

    def step(self, action: Any) -> Any:
        return self.env.step(min(int((action[0] + 1) * 5), 9))


def stacked() -> VecFrameStack:
    return VecFrameStack(DummyVecEnv([make]), 2)


@pytest.mark.parametrize(
    ("env", "says"),
    [
        (lambda: NormalizeObservation(make()), "NormalizeObservation changes what the model sees.*use|VecNormalize"),
        (lambda: TransformObservation(make(), np.negative, None), "TransformObservation changes what the model sees"),
        (
            lambda: TransformAction(make(), lambda action: 9 - action, None),
            "TransformAction changes what its actions do",
        ),
        (stacked, "VecFrameStack changes what the model sees"),
        (lambda: FrameStackObservation(make(), 2), "FrameStackObservation changes what the model sees"),
        (lambda: StickyAction(make(), 0.5), "StickyAction changes what its actions do.*leave it away$"),
        (lambda: Plus(make()), "a wrapper of the model's env changes what it sees"),
        (lambda: Flicker(make()), "a wrapper of the model's env changes what it sees"),
        (lambda: Silent(make()), "a wrapper of the model's env hides info"),
        (lambda: Mirror(make()), "a wrapper of the model's env changes what its actions do"),
        (lambda: gymnasium.make("CartPole-v1"), "none of our games is found"),
        (lambda: DummyVecEnv([make, lambda: make(repeats="allowed")]), "different games"),
    ],
    ids=[
        *("normalize", "transform", "action", "stack", "frames", "sticky"),
        *("unnamed", "flicker", "silent", "mirror", "foreign", "two games"),
    ],
)
def test_what_cannot_be_followed_is_refused_by_name_before_anything_is_learned(env: Any, says: str) -> None:
    model = PPO("MlpPolicy", env(), n_steps=32, batch_size=32)
    before = {name: tensor.clone() for name, tensor in model.policy.state_dict().items()}
    with pytest.raises(Mistake, match=says):
        model.learn(64, ExactEvalCallback())
    assert model.num_timesteps < 32  # before the first update
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.policy.state_dict().items())


def test_what_has_no_table_of_moves_is_refused_before_training() -> None:
    model = RecurrentPPO("MlpLstmPolicy", make(), n_steps=32)
    with pytest.raises(Mistake, match="RecurrentPPO: what it plays depends on what it saw before"):
        model.learn(64, ExactEvalCallback())
    assert model.num_timesteps == 0
    for algorithm in (TQC, PPO):
        with pytest.raises(Mistake, match=rf"{algorithm.__name__}: its actions are Box.*Discrete"):
            algorithm("MlpPolicy", Continuous(make())).learn(64, ExactEvalCallback())


@pytest.mark.parametrize(
    "env",
    [
        lambda: NormalizeReward(make()),
        lambda: TimeLimit(make(), 3),
        lambda: make(illegal_move="retry"),
        lambda: make(opponent="optimal", seat=1),
        lambda: gymnasium.make("perfectplay/NumberFlip-v0"),
        lambda: gymnasium.make("perfectplay/AvoidTheSeventhSolo-v0"),
        lambda: VecMonitor(DummyVecEnv([make] * 3)),
    ],
    ids=["reward", "limit", "retry", "second", "two seats", "endless", "three"],
)
def test_what_changes_nothing_that_is_seen_or_done_is_followed(env: Any) -> None:
    callback = ExactEvalCallback(every=100)
    DQN("MlpPolicy", env(), learning_starts=300).learn(300, callback)
    assert callback._followed >= 300


@pytest.mark.parametrize(
    "nested",
    [
        EveryNTimesteps,
        lambda steps, callback: EvalCallback(
            Monitor(make()), callback_after_eval=callback, eval_freq=steps, n_eval_episodes=1, verbose=0
        ),
    ],
)
def test_another_callback_may_call_it_now_and_then(nested: Any) -> None:
    callback = ExactEvalCallback(every=50)
    PPO("MlpPolicy", Monitor(make()), n_steps=32, batch_size=32).learn(128, nested(30, callback))
    assert len(callback.cards) >= 3


@pytest.mark.parametrize("algorithm", [A2C, DQN])
def test_a_model_without_the_statistics_that_it_learned_with_is_refused(algorithm: Any, tmp_path: Path) -> None:
    model = algorithm("MlpPolicy", VecNormalize(DummyVecEnv([make])), seed=0).learn(50)
    wanted = greedy(model)
    model.save(tmp_path / "model")
    model.env.save(str(tmp_path / "statistics"))
    again = algorithm.load(tmp_path / "model")
    with pytest.raises(Mistake, match=r"saw last is no position in observation='onehot'.*model\.set_env"):
        greedy(again, wanted.graph)
    again.set_env(VecNormalize.load(str(tmp_path / "statistics"), DummyVecEnv([make])))
    assert (greedy(again).probability == wanted.probability).all()
    algorithm("MlpPolicy", make(), seed=0).learn(50).save(tmp_path / "plain")
    assert greedy(algorithm.load(tmp_path / "plain"), wanted.graph).graph is wanted.graph


def test_a_game_or_view_that_is_not_the_envs_is_refused(graph: GameGraph) -> None:
    env = gymnasium.make(envs.env_id(graph.game, solo=True), observation="scalar")
    model = PPO("MlpPolicy", env)
    with pytest.raises(Mistake, match="shows observation='scalar', not 'onehot'"):
        greedy(model, graph, "onehot")
    other = compile_rulebook(make_rulebook("fifty-wins", target=7))
    with pytest.raises(Mistake, match=f"plays {graph.game}"):
        greedy(model, other)
    model.env = None
    with pytest.raises(Mistake, match="pass graph= and observation="):
        greedy(model)
    with pytest.raises(Mistake, match="pass the game and observation of its env"):
        greedy(model, graph)
    assert greedy(model, graph, "scalar").graph is graph


def test_a_policy_that_plays_otherwise_than_its_network_says_is_refused() -> None:
    model = DQN("MlpPolicy", make())
    model.predict = lambda seen, deterministic: (np.zeros(len(seen), dtype=np.int64), None)  # type: ignore[assignment,misc]
    with pytest.raises(Mistake, match=r"model.predict does not say what its network prefers"):
        greedy(model)


def test_every_card_is_a_row_of_a_file_and_the_last_one_reaches_the_logger(tmp_path: Path) -> None:
    model = PPO("MlpPolicy", make(), n_steps=64, batch_size=64)
    model.set_logger(configure(str(tmp_path), ["csv"]))
    callback = ExactEvalCallback(every=20, path=tmp_path / "cards.csv", as_played=True)
    model.learn(128, callback)
    rows = list(csv.DictReader((tmp_path / "cards.csv").read_text().splitlines()))
    assert [int(row["steps"]) for row in rows] == [steps for steps, _ in callback.cards]
    for row, (_, card), (_, played) in zip(rows, callback.cards, callback.played, strict=True):
        assert int(row["blunders"]) == card.blunders
        assert float(row["versus.uniform.first.win"]) == card.versus["uniform"]["first"].win
        assert float(row["as_played.illegal"]) == played.illegal
    model.logger.close()
    last = list(csv.DictReader((tmp_path / "progress.csv").read_text().splitlines()))[-1]
    assert float(last["exact/blunders"]) == callback.cards[-1][1].blunders
    assert float(last["exact/as_played/accuracy"]) == pytest.approx(callback.played[-1][1].accuracy, rel=1e-3)
    with pytest.raises(Mistake, match="this file exists"):
        model.learn(64, ExactEvalCallback(path=tmp_path / "cards.csv"))
    with pytest.raises(Mistake, match="cannot be written"):
        model.learn(64, ExactEvalCallback(path=tmp_path / "no" / "cards.csv"))


def test_chances_are_those_with_which_the_model_says_its_moves() -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    state = graph.state((15, 7))
    seen = make_core_observation(graph, state)
    many = np.repeat(seen[None], 20_000, axis=0)
    ppo, masked = PPO("MlpPolicy", make(), seed=0), MaskablePPO("MlpPolicy", make(), seed=0)
    with torch.no_grad():
        for model in (ppo, masked):
            model.policy.action_net.bias.copy_(torch.linspace(-1, 2, 10))
    for model, masks in ((ppo, {}), (masked, {"action_masks": np.repeat(graph.legal[[state]], 20_000, axis=0)})):
        said = np.bincount(model.predict(many, **masks)[0], minlength=10) / 20_000
        told = chances(model, seen[None], graph.legal[[state]])[0]
        np.testing.assert_allclose(said, told, atol=0.02)
        assert (told[~graph.legal[state]] == 0).all() == (model is masked)
    assert as_played(masked, masked=False).illegal > as_played(masked).illegal == 0
    dqn = DQN("MlpPolicy", make(), seed=0)
    dqn.exploration_rate = 0.3
    (row,) = chances(dqn, seen[None], graph.legal[[state]])
    assert sorted(row)[:9] == [pytest.approx(0.03)] * 9


def test_an_illegal_move_as_played_is_a_lost_game(graph: GameGraph) -> None:
    legal = judge_as_played(graph, Policy.uniform(graph).probability)
    card = scorecard(graph, Policy.uniform(graph))
    assert legal.illegal == 0
    assert (legal.blunders, legal.exploitability) == (card.blunders, pytest.approx(card.exploitability))
    for seat in ("first", "second"):
        assert legal.versus["optimal"][seat].win == pytest.approx(card.versus["optimal"][seat].win)
    if graph.legal.all():
        return
    alike = judge_as_played(graph, np.full(graph.next_state.shape, 1 / graph.num_actions))
    assert 0 < alike.illegal < 1
    assert alike.exploitability >= legal.exploitability - 1e-9
    assert alike.accuracy < legal.accuracy
    always = np.where(graph.legal.all(axis=1, keepdims=True), graph.legal, ~graph.legal).astype(float)
    always = judge_as_played(graph, always / always.sum(axis=1, keepdims=True))
    assert always.versus["uniform"]["second"].loss == 1
    assert always.guaranteed_second == -1


@pytest.mark.filterwarnings("ignore::UserWarning")  # gymnasium says that there are no pictures
def test_sb3_makes_our_envs_by_their_ids(graph: GameGraph) -> None:
    for solo in (True, False):
        games = make_vec_env(envs.env_id(graph.game, solo=solo), n_envs=2)  # asks for rgb_array, and goes without
        assert games.reset().shape[0] == 2
        games.close()


def test_scoring_every_0_steps_is_refused(graph: GameGraph) -> None:
    with pytest.raises(Mistake, match="at least 1 step"):
        ExactEvalCallback(graph, every=0)
