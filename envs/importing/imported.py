"""A foreign env made into a stored game, and what there is to say about that."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from envs.importing.compose import Composed, compose
from envs.importing.endings import Convention, read_endings
from envs.importing.explorer import Budget, Exploration, Explorer, Told
from envs.importing.gymnasium_env import gymnasium_world
from envs.importing.openspiel import openspiel_world
from envs.importing.pettingzoo_env import pettingzoo_world
from envs.importing.world import Refused, World
from games.gamefile import LONGEST, StoredGame, cleaned
from games.rulebook import DRAW, MOVER_LOSES, MOVER_WINS

GRACE = 30.0  # seconds that the rest may take after the budget of exploring
ENDINGS = {MOVER_WINS: "the game says so", MOVER_LOSES: "the game says so", DRAW: "the game is drawn"}


@dataclass(frozen=True)
class Imported:
    """A stored game, and how it came to be."""

    game: StoredGame
    positions: int  # that were met, the ends not among them
    ends: int  # different states in which the game was over
    merged: int  # positions after alike ones became one
    passes: int  # positions in which a player has to pass, because the other moves twice
    steps: int  # of the foreign env while all positions were walked
    seconds: float
    notes: tuple[str, ...]

    @property
    def summary(self) -> list[str]:
        """For people, a line each."""
        rate = f"{self.positions / max(self.seconds, 1e-9):,.0f} positions a second"
        lines = [
            f"{self.game.name}: {self.positions + self.ends:,} positions, {self.positions:,} of them to move in "
            f"({self.seconds:.1f} s, {rate})",
            f"alike ones merged: {self.positions:,} before, {self.merged - self.passes:,} after",
        ]
        if self.passes:
            lines.append(f"players do not alternate: {self.passes:,} positions with a forced pass were put in")
        return [*lines, *self.notes]


def import_game(
    spec: str, *, options: Mapping[str, Any] | None = None, convention: Convention | None = None,
    budget: Budget | None = None, legal: str | None = None, mover: str | None = None, own: bool = False,
    hidden: bool = False, name: str | None = None, title: str | None = None, rules: str | None = None,
    told: Told = lambda states, waiting, seconds: None,
) -> Imported:  # fmt: skip
    """Explore a foreign env: FILE.py:CLASS, a Gymnasium id, pettingzoo:NAME or openspiel:NAME. Its code is executed."""
    began = time.monotonic()
    budget = budget or Budget()
    with quiet(), stopped_after(budget.seconds, spec):
        world = world_of(spec, options or {}, legal, mover)
        explorer = Explorer(world, budget, own, began, told)
        alternate = mover == "alternate"
        grows = explorer.learn(None if alternate else mover, alternate)
        found = explorer.search(grows)
        results = read_endings(spec, found, convention or Convention(), explorer.after)
        names = world.names()
        composed = compose(_name_of(spec, name), found, results, names, _numbers(world, names))
        notes = [*world.notes, *results.notes]
        if not hidden:
            _refuse_hidden(world, found, composed, explorer)
    if found.left_out:
        notes.append(f"left out of what makes a position, as nothing showed that it matters: {found.left_out}")
    heading = title or composed.graph.game.replace("-", " ").capitalize()
    said = cleaned(rules if rules is not None else _rules(world), LONGEST["rules"])
    stored = StoredGame(
        composed.graph, cleaned(heading, LONGEST["title"]), said, {int(v): words for v, words in ENDINGS.items()},
        composed.names, composed.words, cleaned(f"imported from {_source(spec)}", LONGEST["source"]), composed.own,
    )  # fmt: skip
    return Imported(stored, len(found.legal), len({end.after for end in found.ends}), composed.graph.num_states,
                    composed.passes, found.steps, time.monotonic() - began, tuple(notes))  # fmt: skip


def world_of(spec: str, options: Mapping[str, Any], legal: str | None, mover: str | None) -> World:
    """The foreign game that a spec means."""
    library, colon, name = spec.partition(":")
    if colon and library == "pettingzoo":
        return pettingzoo_world(name, options)
    if colon and library == "openspiel":
        return openspiel_world(name, options)
    return gymnasium_world(spec, options, legal, mover)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """What foreign games print and warn of is not shown, and they open no window."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with open(os.devnull, "w", encoding="utf-8") as nowhere, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            contextlib.redirect_stdout(nowhere),
            np.errstate(all="ignore"),
            open(os.devnull, encoding="utf-8") as nothing,
        ):
            before, sys.stdin = sys.stdin, nothing
            try:
                yield
            finally:
                sys.stdin = before


@contextlib.contextmanager
def stopped_after(seconds: float, label: str) -> Iterator[None]:
    """Refuse a game whose code does not come back. Only in the main thread, where a clock can interrupt it."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise Refused(f"{label}: its code did not come back within {seconds:g} seconds; allow more with --max-seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _refuse_hidden(world: World, found: Exploration, composed: Composed, explorer: Explorer) -> None:
    """Refuse where a player is not shown which move the other has just made, though it matters."""
    if len(set(found.seen)) < 2:
        return
    graph = composed.graph
    row_of = {int(state): row for row, state in enumerate(composed.origin) if state >= 0}
    looked = 0
    for state, row in row_of.items():
        shown: dict[int, tuple[int, int]] = {}
        for move, target in zip(found.legal[state], found.targets[state], strict=True):
            after = int(graph.next_state[row, move])
            if target < 0 or after < 0:
                continue
            before, earlier = shown.setdefault(found.seen[target], (after, move))
            if before == after or looked > 40:
                continue
            looked += 1
            texts = []
            for last in (earlier, move):
                world.restart()
                for played in found.line(state, last):
                    world.step(played)
                texts.append(world.shown())
            if texts[0] == texts[1]:
                raise Refused(
                    f"{world.label}: hidden information: {explorer.after(found.line(state))} the moves "
                    f"{explorer.name(earlier)} and {explorer.name(move)} are shown alike to the next player, and what "
                    "follows differs; --hidden imports it as if everything were shown"
                )


def _numbers(world: World, names: Any) -> list[int]:
    """The number that each move has: the env's own where its actions are numbers."""
    forms = getattr(world, "forms", None)
    if forms and all(type(form) is int for form in forms) and len(set(forms)) == len(forms) and forms == sorted(forms):
        return list(forms)
    return list(range(len(names)))


def _name_of(spec: str, name: str | None) -> str:
    if name is None:
        front, _, last = spec.rpartition(":")
        base = last.rpartition("/")[2]
        plain = re.sub(r"((?:^|_)env|Env|Environment|-v\d+|_v\d+)+$", "", base)
        if front.endswith(".py") and plain.lower() in ("", "custom", "game", "my", "raw", "make", "raw_"):
            plain = re.sub(r".*[/\\]", "", front)[:-3]
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", plain).lower().replace("_", "-")
    name = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._")[: LONGEST["game"]]
    return name or "imported"


def _source(spec: str) -> str:
    """The spec without the folders of a machine."""
    return re.sub(r"^.*[/\\](?=[^/\\]+\.py:)", "", spec)


def _rules(world: World) -> str:
    kind = type(getattr(world, "env", world))
    text = vars(kind).get("__doc__") or ""
    return inspect.cleandoc(text) if isinstance(text, str) else ""
