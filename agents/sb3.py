"""Exact scores inside anyone's training with Stable-Baselines3 or sb3-contrib."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from agents.forfeits import AsPlayed, judge_as_played
from agents.sb3_env import Sight, sight_of
from agents.sb3_model import best_legal, chances, check_supported
from games import GameGraph, Mistake, Policy
from solver import Scorecard, scorecard

FOLLOWED = 1_000  # moves that are compared with the rules, at the beginning of a training
LOGGED = ("blunders", "accuracy", "exploitability")


class ExactEvalCallback(BaseCallback):
    """The exact scorecard inside anyone's own SB3 training on one of our games, every so many steps.

    The policy is judged greedy and masked, whatever the model does with masks. `cards` keeps (steps, Scorecard); SB3's
    logger gets exact/blunders, exact/accuracy and exact/exploitability; `path` is a CSV file with a row for every card.
    `as_played=True` also judges the model as it plays: with its own chances, each illegal move a forfeit (MaskablePPO
    says none). `played` keeps (steps, AsPlayed), and the logger gets exact/as_played/...

    The game and the view are found in the model's env; name `graph` and `observation` only where it hides them.
    """

    def __init__(
        self,
        graph: GameGraph | None = None,
        every: int = 10_000,
        observation: str | None = None,
        tell: Callable[[int, Scorecard], None] | None = None,
        path: str | os.PathLike[str] | None = None,
        as_played: bool = False,
    ) -> None:
        super().__init__()
        if every < 1:
            raise Mistake(f"ExactEvalCallback: every={every}; it must be at least 1 step")
        self.graph, self.every, self.observation, self.tell = graph, every, observation, tell
        self.path, self.as_played = None if path is None else Path(path), as_played
        self.cards: list[tuple[int, Scorecard]] = []
        self.played: list[tuple[int, AsPlayed]] = []
        self._next = 0

    def _on_training_start(self) -> None:
        """All that can be refused is refused here, before anything is learned."""
        model = self.model
        check_supported(model)
        self._sight = sight_of(model, self.graph, self.observation)
        self._masked = bool(self.locals.get("use_masking", True))
        _greedy(model, self._sight)
        resets = _bottom(model).reset_infos
        if self.num_timesteps == 0 and model._last_obs is not None:
            self._sight.compare(resets, model._last_obs)
            self._states = [info.get("state") for info in resets]
        else:
            self._states = [None] * len(resets)  # in the middle of games
        self._followed, self._seen = 0, self.num_timesteps
        if self.path is not None and not self.cards:
            try:
                self.path.open("x", encoding="utf-8").close()
            except FileExistsError:
                raise Mistake(f"{self.path}: this file exists; take another path for the cards") from None
            except OSError as error:
                raise Mistake(f"{self.path}: cannot be written ({error.strerror}); take another path") from error

    def _on_step(self) -> bool:
        plays = "new_obs" in self.locals  # not where ARS plays
        if plays:
            dones = self.locals["dones"]
            infos = [{} if done else info for info, done in zip(self.locals["infos"], dones, strict=True)]
            if self._followed < FOLLOWED:
                self._follow(infos)
                self._sight.compare(infos, self.locals["new_obs"])
        if self.num_timesteps >= self._next:
            if plays:
                self._sight.compare(infos, self.locals["new_obs"])
            self._score()
            self._next = self.num_timesteps - self.num_timesteps % self.every + self.every
        return True

    def _follow(self, infos: list[dict[str, Any]]) -> None:
        """Do the model's actions lead where they should?"""
        over = self.locals["dones"]
        if self.num_timesteps != self._seen + len(over):  # another callback calls this one now and then only
            self._states = [None] * len(over)
        self._seen = self.num_timesteps
        after = [None] * len(over) if all(over) else self._sight.follow(self._states, self.locals["actions"], infos)
        resets = [info.get("state") for info in _bottom(self.model).reset_infos]
        self._states = [reset if done else state for state, reset, done in zip(after, resets, over, strict=True)]
        self._followed += len(after)

    def _on_training_end(self) -> None:
        self._score()
        self.logger.dump(self.num_timesteps)

    def _score(self) -> None:
        steps = self.num_timesteps
        card = replace(scorecard(self._sight.graph, _greedy(self.model, self._sight)), steps=steps)
        self.cards.append((steps, card))
        row = {"steps": steps, **_numbers(asdict(card))}
        for name in LOGGED:
            self.logger.record(f"exact/{name}", float(getattr(card, name)))
        if self.as_played:
            played = _as_played(self.model, self._sight, self._masked)
            self.played.append((steps, played))
            row |= _numbers(asdict(played), "as_played.")
            for name in ("illegal", *LOGGED):
                self.logger.record(f"exact/as_played/{name}", float(getattr(played, name)))
        if self.path is not None:
            with self.path.open("a", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, row)
                if len(self.cards) == 1:
                    writer.writeheader()
                writer.writerow(row)
        if self.tell is not None:
            self.tell(steps, card)


def greedy(model: Any, graph: GameGraph | None = None, observation: str | None = None) -> Policy:
    """What an SB3 model plays everywhere, deterministic: its own move, or its best legal one where that is illegal."""
    check_supported(model)
    return _greedy(model, sight_of(model, graph, observation))


def as_played(
    model: Any, graph: GameGraph | None = None, observation: str | None = None, masked: bool = True
) -> AsPlayed:
    """An SB3 model with its own chances, each illegal move a forfeit; MaskablePPO is masked, unless masked=False."""
    check_supported(model)
    return _as_played(model, sight_of(model, graph, observation), masked)


def _greedy(model: Any, sight: Sight) -> Policy:
    moves = best_legal(model, sight.observations(), sight.graph.legal)
    return Policy.from_function(sight.graph, lambda observations, masks: moves)


def _as_played(model: Any, sight: Sight, masked: bool) -> AsPlayed:
    return judge_as_played(sight.graph, chances(model, sight.observations(), sight.graph.legal, masked))


def _numbers(record: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The numbers of a record, nested ones under dotted names; a name of a game or a seed is none."""
    row: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            row |= _numbers(value, f"{prefix}{key}.")
        elif isinstance(value, int | float):
            row[f"{prefix}{key}"] = value
    return row


def _bottom(model: Any) -> Any:
    env = model.get_env()
    while hasattr(env, "venv"):
        env = env.venv
    return env


__all__ = ["ExactEvalCallback", "as_played", "greedy"]
