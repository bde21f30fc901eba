"""DQN by self-play: one network says what every move is worth, to whoever is to move.

The value of a move is minus the value of the position that it leads to, so the target changes its sign at every ply.
Illegal moves are masked twice: when a move is chosen, and in the maximum of the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from agents.learner import MOST_STEPS, Learner, State, within
from agents.network import Adam
from agents.settings import DQNSettings
from agents.state_network import StateNetwork, bring_back, remembered, rows, seeded
from agents.weights import packed
from envs.selfplay import SelfPlay
from games import GameGraph, Policy
from games.graph import WORTH
from games.rulebook import Verdict

EXPLORE, REPLAY = 0, 1  # what a stream of random numbers is for


class DQNLearner(Learner):
    """Many games side by side fill a replay memory; a target network stands still while the other one learns."""

    def __init__(self, settings: DQNSettings, graph: GameGraph, seed: int) -> None:
        torch.set_num_threads(1)
        self.settings, self.graph, self.seed = settings, graph, seed
        self.env = SelfPlay(graph, settings.games, settings.start, settings.max_plies, seed)
        self.env.reset()
        with seeded(seed):
            self.network, self.target = self._network(graph), self._network(graph)
        self.target.load_state_dict(self.network.state_dict())
        self.answers: NDArray[np.float32] | None = None  # [S, A]: of the target network, where states are few
        self.optimizer = Adam(self.network.parameters(), lr=settings.learning_rate)
        self.memory = np.zeros((settings.memory, 3), dtype=np.int32)  # [room, 3]: state, action, outcome
        self.done = self.updates = 0
        self.loss = 0.0

    def _network(self, graph: GameGraph) -> Any:
        settings = self.settings
        return StateNetwork(graph, settings.observation, settings.width, settings.layers, graph.num_actions)

    def advance(self, steps: int) -> int:
        """One move in each game, and what is learned then, whatever is asked for."""
        settings, before = self.settings, self.done
        self._play()
        if self.done >= settings.warm_up:
            for _ in range(settings.updates):
                self._learn()
        return self.done - before

    def _play(self) -> None:
        draw = self._draw(EXPLORE, self.done)
        states = self.env.state.copy()
        legal = self.graph.legal[states]
        with torch.no_grad():
            values = self.network(torch.as_tensor(states)).numpy()
        best = np.where(legal, values, -np.inf).argmax(axis=1)
        random = np.where(legal, draw.random(legal.shape), -1.0).argmax(axis=1)
        explores = draw.random(len(states)) < self._now(self.settings.epsilon, self.settings.epsilon_end)
        actions = np.where(explores, random, best)
        places = (self.done + np.arange(len(states))) % len(self.memory)
        self.memory[places] = np.stack([states, actions, self.graph.outcome[states, actions]], axis=1)
        self.env.step(actions)
        self.done += len(states)

    def _learn(self) -> None:
        settings = self.settings
        if self.updates % settings.target_every == 0:
            self.target.load_state_dict(self.network.state_dict())
            self.answers = None
        for group in self.optimizer.param_groups:
            group["lr"] = self._now(settings.learning_rate, settings.learning_rate_end)
        draw = self._draw(REPLAY, self.updates)
        places = draw.integers(min(self.done, len(self.memory)), size=settings.batch)
        states, actions, outcomes = self.memory[places].astype(np.int64).T
        loss = self._loss(states, actions, outcomes)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.updates += 1
        self.loss = float(loss.detach())

    def _loss(self, states: NDArray[np.int64], actions: NDArray[np.int64], outcomes: NDArray[np.int64]) -> Tensor:
        values = rows(self.network, states).gather(1, torch.as_tensor(actions)[:, None])[:, 0]
        return functional.smooth_l1_loss(values, torch.as_tensor(self.goals(outcomes), dtype=torch.float32))

    def goals(self, outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
        """[B]: what moves with these outcomes are worth: the end, or minus the best legal answer."""
        ended = outcomes < 0
        after = np.where(ended, 0, outcomes)
        best_answer = np.where(self.graph.legal[after], self._answers_at(after), -np.inf).max(axis=1)
        return np.where(ended, WORTH[np.maximum(-outcomes, 0)], -self.settings.discount * best_answer)

    def _answers_at(self, states: NDArray[np.int64]) -> NDArray[np.float32]:
        """[B, A]: what the target network says; of all states at once where they are few, until it is renewed."""
        with torch.no_grad():
            if len(self.target.seen) > 2 * len(states):
                return np.asarray(self.target(torch.as_tensor(states)))
            if self.answers is None:
                self.answers = np.asarray(self.target())
        return self.answers[states]

    def _now(self, first: float, last: float) -> float:
        """A setting that goes from first to last in a straight line."""
        return first + (last - first) * min(self.done / self.settings.steps, 1.0)

    def _draw(self, purpose: int, count: int) -> np.random.Generator:
        """Random numbers of its own for each purpose and moment: nothing of them has to be remembered."""
        return np.random.default_rng([self.seed, purpose, count])

    def policy(self) -> Policy:
        with torch.no_grad():
            return Policy.greedy(self.graph, self.network().double().numpy())

    def state(self) -> State:
        target = {f"target.{name}": tensor.numpy().copy() for name, tensor in self.target.state_dict().items()}
        games = {f"games.{name}": array.copy() for name, array in self.env.memory().items()}
        counts = {"done": self.done, "updates": self.updates, "memory": self.memory.copy()}
        return remembered(self.network, self.optimizer) | target | games | counts

    def restore(self, state: Mapping[str, Any]) -> None:
        bring_back(self.network, self.optimizer, state)
        target = {k.removeprefix("target."): torch.tensor(v) for k, v in state.items() if k.startswith("target.")}
        self.target.load_state_dict(target)
        self.answers = None
        self.env.remember({name: state[f"games.{name}"] for name in self.env.remembered})
        self.memory[:] = within(state, "memory", min(Verdict), max(self.graph.next_state.shape))
        self.done = int(within(state, "done", 0, MOST_STEPS))
        self.updates = int(within(state, "updates", 0, MOST_STEPS))

    def artifacts(self) -> tuple[dict[str, bytes], dict[str, float]]:
        """The network's weights, and in which share of the positions its highest value is of an illegal move."""
        weights = {name: tensor.numpy() for name, tensor in self.network.state_dict().items()}
        with torch.no_grad():
            best = self.network().argmax(dim=1).numpy()
        illegal = ~self.graph.legal[np.arange(len(best)), best]
        share = illegal[self.graph.legal.any(axis=1)].mean()
        network = packed(weights, self.graph, self.settings.observation)
        return {"network.safetensors": network}, {"illegal_share": float(share)}

    def metrics(self) -> dict[str, float]:
        return {"train/loss": self.loss, "train/n_updates": float(self.updates)}
