"""PPO on tables: its rollouts, its losses and its updates are those of sb3-contrib's MaskablePPO on the same data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from torch import nn

from agents.network import StatePolicy
from agents.ppo import EACH_PLY, PPOLearner
from agents.settings import make_options
from agents.table_ppo import Backward, TablePPO, gae
from envs.selfplay import Plies, SelfPlay
from games import GameGraph, compile_rulebook, make_rulebook, rulebook_names

SMALL = {"games": 32, "plies": 8, "batch": 64, "steps": 4096, "width": 16, "max_plies": 5}


def learner(graph: GameGraph, seed: int = 0, **changes: Any) -> PPOLearner:
    return PPOLearner(make_options("ppo", SMALL | changes), graph, seed)  # type: ignore[arg-type]


def test_advantages_with_gamma_of_minus_one_are_those_of_their_definition() -> None:
    draw, games, steps, states, trace = np.random.default_rng(0), 5, 40, 30, 0.8
    values = draw.normal(size=states).astype(np.float32)
    ends, cut = draw.random((games, steps)) < 0.2, draw.random((games, steps)) < 0.1
    plies = Plies(
        draw.integers(states, size=(games, steps)),
        np.zeros((games, steps), dtype=np.int64),
        draw.normal(size=(games, steps)).astype(np.float32),
        ends | cut,
        cut,
        np.where(ends | cut, draw.integers(states, size=(games, steps)), -1),
    )
    last = draw.integers(states, size=games)
    expected = np.zeros((games, steps))
    for g in range(games):
        for t in range(steps):  # each advantage by its definition: the opponent's surprises count against me
            sign, weight = 1.0, 1.0
            for k in range(t, steps):
                following = values[last[g] if k + 1 == steps else plies.states[g, k + 1]]
                if plies.cuts[g, k]:
                    following = values[plies.lasts[g, k]]
                elif ends[g, k]:
                    following = 0.0
                expected[g, t] += sign * weight * (plies.rewards[g, k] - following - values[plies.states[g, k]])
                if plies.ends[g, k]:
                    break
                sign, weight = -sign, weight * trace
    np.testing.assert_allclose(gae(plies, last, values, EACH_PLY, trace), expected, atol=1e-5)


class Shown(SelfPlay):
    """Self-play as stock policies want it: what is observed is what a player sees."""

    def show(self, network: StatePolicy) -> Shown:
        self.seen = network.seen.numpy()
        self.observation_space = spaces.Box(0.0, 1.0, self.seen.shape[1:], np.float32)
        return self

    def reset(self) -> Any:
        return self.seen[super().reset()[:, 0]]

    def step_wait(self) -> Any:
        states, rewards, done, infos = super().step_wait()
        shown = [
            info | {"terminal_observation": self.seen[info["terminal_observation"][0]]} if info else info
            for info in infos
        ]
        return self.seen[states[:, 0]], rewards, done, shown


class Scripted(MaskableActorCriticPolicy):
    """The stock policy, which plays what it is told to."""

    script: list[torch.Tensor]

    def forward(self, obs: Any, deterministic: bool = False, action_masks: Any = None) -> Any:
        actions = self.script.pop(0)
        values, log_probability, _ = self.evaluate_actions(obs, actions, torch.as_tensor(action_masks))
        return actions, values, log_probability


def stock_twin(ours: PPOLearner, seed: int) -> MaskablePPO:
    """The stock class with the same hyperparameters, the same weights, and the same games."""
    model, settings = ours.model, ours.settings
    env = Shown(ours.graph, settings.games, settings.start, settings.max_plies, seed).show(ours.network)
    stock = MaskablePPO(
        Scripted,
        env,
        n_steps=settings.plies,
        learning_rate=settings.learning_rate,
        policy_kwargs={"net_arch": [settings.width] * settings.layers, "activation_fn": nn.Tanh},
        device="cpu",
        **{
            key: getattr(model, key)
            for key in ("batch_size", "n_epochs", "gamma", "gae_lambda", "ent_coef", "normalize_advantage")
        },
        clip_range=settings.clip,
    )
    stock.policy.load_state_dict(ours.network.state_dict())
    stock.set_logger(Logger(folder=None, output_formats=[]))
    return stock


@pytest.mark.parametrize(
    "changes",
    [{}, {"normalize": "true", "layers": 2}, {"normalize": "false", "observation": "scalar"}, {"layers": 0}],
    ids=str,
)
def test_a_rollout_and_an_update_are_those_of_the_stock_class_on_the_same_data(changes: dict[str, Any]) -> None:
    for name in rulebook_names() if not changes else ("number-flip", "avoid-the-seventh"):
        check_against_the_stock_class(compile_rulebook(make_rulebook(name)), changes)


def check_against_the_stock_class(graph: GameGraph, changes: dict[str, Any]) -> None:
    ours = learner(graph, seed=4, learning_rate_end=3e-3, learning_rate=3e-3, **changes)
    model = ours.model
    model.ent_coef = 0.2
    stock = stock_twin(ours, seed=4)
    _, callback = stock._setup_learn(4096, None)
    for _ in range(2):  # the second begins in the middle of games
        model.collect_rollouts(ours.env, ours.callback, None, ours.settings.plies)
        stock.policy.script = [torch.as_tensor(actions) for actions in model.rollout.plies.actions.T]  # type: ignore[attr-defined]
        stock.collect_rollouts(stock.env, callback, stock.rollout_buffer, ours.settings.plies)  # type: ignore[arg-type]
        for name in ("advantages", "returns"):
            expected = getattr(stock.rollout_buffer, name).T.reshape(-1)
            np.testing.assert_allclose(getattr(model.rollout, name), expected, atol=2e-5)
        for one in (model, stock):
            np.random.seed(7)  # noqa: NPY002  (SB3 shuffles with it)
            one.train()
        for mine, theirs in zip(ours.network.parameters(), stock.policy.parameters(), strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-3, atol=2e-4)
        told, expected = model.logger.name_to_value, stock.logger.name_to_value
        for name in expected.keys() - {"train/loss"}:  # SB3's is that of the last minibatch
            assert told[name] == pytest.approx(expected[name], rel=2e-3, abs=2e-4), name
        stock.policy.load_state_dict(ours.network.state_dict())  # rounding shall not add up


@pytest.mark.parametrize(
    "changes", [{}, {"floor": 0.3}, {"mask": "false"}, {"layers": 3, "observation": "binary"}], ids=str
)
def test_the_kernels_gradient_is_that_of_autograd(changes: dict[str, Any]) -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    ours = learner(graph, **changes)
    ours.advance(1)
    network, rollout = ours.network, ours.model.rollout
    with torch.no_grad():
        for parameter in network.parameters():
            parameter *= 3  # so that units saturate, and ratios leave what is clipped
    chosen = np.random.default_rng(0).permutation(len(rollout.returns))[:100]
    Backward(network, rollout, (0.2, 0.1, 0.5, 1e9))(chosen, rollout.advantages[chosen])
    kernels = [parameter.grad.clone() for parameter in network.parameters() if parameter.grad is not None]
    network.optimizer.zero_grad()
    states, actions = (torch.as_tensor(a.reshape(-1)[chosen]) for a in (rollout.plies.states, rollout.plies.actions))
    advantages, returns = torch.as_tensor(rollout.advantages[chosen]), torch.as_tensor(rollout.returns[chosen])
    values, log_probability, entropy = network.evaluate_actions(states, actions)
    assert entropy is not None
    ratio = log_probability.exp() / torch.as_tensor(rollout.probability)[states, actions]
    gained = torch.min(advantages * ratio, advantages * ratio.clamp(0.8, 1.2)).mean()
    loss = -gained - 0.1 * entropy.mean() + 0.5 * (returns - values[:, 0]).square().mean()
    loss.backward()  # type: ignore[no-untyped-call]
    for mine, parameter in zip(kernels, network.parameters(), strict=True):
        torch.testing.assert_close(mine, parameter.grad, rtol=1e-3, atol=1e-5)


class Counting(BaseCallback):
    def __init__(self) -> None:
        super().__init__()
        self.rollouts = 0

    def _on_rollout_end(self) -> None:
        self.rollouts += 1

    def _on_step(self) -> bool:
        return self.num_timesteps < 1000


def test_sb3s_learn_callbacks_and_files_work(graph: GameGraph, tmp_path: Path) -> None:
    model, count = learner(graph).model, Counting()
    model.learn(2048, count)  # 256 a rollout; the callback stops it at 1024
    assert model.num_timesteps == 1024
    assert (count.rollouts, count.n_calls) == (3, 4 * 8)
    model.save(tmp_path / "model")
    loaded = TablePPO.load(tmp_path / "model", env=model.env)
    for mine, theirs in zip(model.policy.parameters(), loaded.policy.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    state = graph.legal.any(axis=1).nonzero()[0][:, None]
    actions, _ = loaded.predict(state, deterministic=True)
    assert graph.legal[state[:, 0], actions].all()


TRAINED = """
import hashlib, sys
from training.loop import make_learner
from training.resolve import resolve
settings = resolve(env="number-flip", changes={"steps": 40_000})
learner = make_learner(settings, __import__("games").compile_rulebook(settings.book))
for _ in range(3):
    learner.advance(1)
print(hashlib.sha256(learner.policy().extra["stochastic"].tobytes()).hexdigest())
print([name for name in ("torch._dynamo", "matplotlib", "pandas") if name in sys.modules])
"""


def test_what_is_learned_does_not_depend_on_threads_and_nothing_needless_is_imported() -> None:
    outputs = set()
    for threads in ("1", "2"):
        limits = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), threads)
        done = subprocess.run(
            [sys.executable, "-c", TRAINED], env=os.environ | limits, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert outputs.pop().splitlines()[1] == "[]"
