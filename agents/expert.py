"""Expert iteration, as in AlphaZero: a search looks further than the network, and the network learns what it found.

Before every round the network is asked about all states in one batch, so a search (PUCT on the graph) only looks its
leaves up. A search knows no luck: while the network stands still, it answers the same in the same state, and is made
once for each state that the games of the round come to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.learner import MOST_STEPS, Learner, State, within
from agents.network import FORBIDDEN, Adam
from agents.settings import ExpertSettings
from agents.state_network import StateNetwork, bring_back, remembered, rows, seeded
from agents.weights import packed
from envs.selfplay import SelfPlay
from games import GameGraph, Policy

PLAY, LEARN = 0, 1  # what a stream of random numbers is for


class ExpertLearner(Learner):
    """Rounds of self-play with search, and of learning from the latest search of every position met so far."""

    def __init__(self, settings: ExpertSettings, graph: GameGraph, seed: int) -> None:
        torch.set_num_threads(1)
        self.settings, self.graph, self.seed = settings, graph, seed
        self.env = SelfPlay(graph, settings.games, settings.start, settings.max_plies, seed)
        self.env.reset()
        with seeded(seed):
            shape = graph, settings.observation, settings.width, settings.layers
            self.actor, self.critic = StateNetwork(*shape, graph.num_actions), StateNetwork(*shape, 1)
        self.network = torch.nn.ModuleDict({"actor": self.actor, "critic": self.critic})
        self.optimizer = Adam(self.network.parameters(), lr=settings.learning_rate)
        self.legal = torch.as_tensor(np.array(graph.legal))  # [S, A]
        self.visits = np.zeros(graph.next_state.shape, dtype=np.float32)  # [S, A]: shares of the latest search there
        self.worth = np.zeros(graph.num_states, dtype=np.float32)  # [S]: what that search said of the state
        self.met = np.zeros(graph.num_states, dtype=np.bool_)  # [S]
        self.done = self.updates = 0
        self.loss = 0.0

    def advance(self, steps: int) -> int:
        """One round of self-play, and what is learned from it, whatever is asked for."""
        before = self.done
        self._play()
        for _ in range(self.settings.updates):
            self._learn()
        return self.done - before

    def _play(self) -> None:
        prior, value = self._opinion()
        fresh = np.zeros(len(self.met), dtype=np.bool_)  # [S]: searched in this round
        for _ in range(self.settings.plies):
            states = self.env.state.copy()
            new = np.unique(states[~fresh[states]])
            if len(new):
                self._search(new, prior, value)
                fresh[new] = True
            sums = self.visits[states].cumsum(axis=1)
            luck = np.random.default_rng([self.seed, PLAY, self.done]).random((len(states), 1))
            self.env.step((sums <= luck * sums[:, -1:]).sum(axis=1))
            self.done += len(states)
        self.met |= fresh

    def _search(self, roots: NDArray[np.int64], prior: NDArray[np.float64], value: NDArray[np.float64]) -> None:
        from agents.expert_kernels import search_states

        settings, count = self.settings, len(roots)
        tried, worth = np.zeros((count, self.graph.num_actions), dtype=np.int64), np.zeros(count)
        search_states(
            *(roots, prior, value, self.graph.next_state, *self.graph.legal_actions, settings.simulations),
            *(settings.exploration, settings.noise, settings.discount, tried, worth),
        )
        self.visits[roots] = tried / tried.sum(axis=1, keepdims=True)
        self.worth[roots] = worth

    def _opinion(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[S, A] and [S]: the network's probabilities of legal moves, and what it thinks states are worth."""
        with torch.no_grad():
            prior = self.actor().masked_fill(~self.legal, FORBIDDEN).double().softmax(dim=1).numpy()
            value = torch.tanh(self.critic()[:, 0]).double().numpy()
        return prior, value

    def _learn(self) -> None:
        settings = self.settings
        done = min(self.done / settings.steps, 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate + (settings.learning_rate_end - settings.learning_rate) * done
        states = np.flatnonzero(self.met)
        if len(states) > settings.batch:
            states = np.random.default_rng([self.seed, LEARN, self.updates]).choice(states, settings.batch, False)
        chances = rows(self.actor, states).masked_fill(~self.legal[states], FORBIDDEN).log_softmax(dim=1)
        moves = -(torch.as_tensor(self.visits[states]) * chances).sum(dim=1).mean()
        values = (torch.tanh(rows(self.critic, states)[:, 0]) - torch.as_tensor(self.worth[states])).square().mean()
        loss = moves + values
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.updates += 1
        self.loss = float(loss.detach())

    def policy(self) -> Policy:
        """Greedy, of the network alone: it plays without a search."""
        with torch.no_grad():
            return Policy.greedy(self.graph, self.actor().double().numpy())

    def state(self) -> State:
        games = {f"games.{name}": array.copy() for name, array in self.env.memory().items()}
        tables = {"visits": self.visits.copy(), "worth": self.worth.copy(), "met": self.met.copy()}
        counts = {"done": self.done, "updates": self.updates}
        return remembered(self.network, self.optimizer) | games | tables | counts

    def restore(self, state: Mapping[str, Any]) -> None:
        bring_back(self.network, self.optimizer, state)
        self.env.remember({name: state[f"games.{name}"] for name in self.env.remembered})
        self.visits[:], self.worth[:] = within(state, "visits", 0, 1), within(state, "worth", -1, 1)
        self.met[:] = within(state, "met", 0, 1)
        self.done = int(within(state, "done", 0, MOST_STEPS))
        self.updates = int(within(state, "updates", 0, MOST_STEPS))

    def artifacts(self) -> tuple[dict[str, bytes], dict[str, float]]:
        """The network's weights, and what its bare preferences put on illegal moves where somebody has to move."""
        weights = {name: tensor.numpy() for name, tensor in self.network.state_dict().items()}
        with torch.no_grad():
            bare = self.actor().double().softmax(dim=1).numpy()
        share = (bare * ~self.graph.legal).sum(axis=1)[self.graph.legal.any(axis=1)].mean()
        network = packed(weights, self.graph, self.settings.observation)
        return {"network.safetensors": network}, {"illegal_share": float(share)}

    def metrics(self) -> dict[str, float]:
        return {"train/loss": self.loss, "train/n_updates": float(self.updates)}
