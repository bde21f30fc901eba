"""What a report is about: runs, exams and saved policies, found on disk, read with suspicion, measured anew."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.saved import load, not_asked
from arena.board import board
from base.manifest import MANIFEST
from base.mistake import Mistake
from base.reading import parsed_toml, read_json, read_text
from games import GameGraph, Policy, RuleBook
from games.gamefile import book_of
from report.document import Curve
from solver import Scorecard, scorecard
from training.verify import prove

CURVE = ("steps", "blunders", "accuracy", "exploitability")
AGAIN = "train the run anew with --overwrite"
MARKS = ("settings.toml", "scorecard.json", "policy.npz")  # a folder with one of these is a run, whole or not
TRAINED = (
    "agent",
    "seed",
    "steps",
    "steps_to_unexploitable",
    "steps_to_perfect",
    "first_steps_to_unexploitable",
    "first_steps_to_perfect",
    "illegal_share",
)  # what training alone knows: all else on a scorecard is measured again


def readable(path: Path | str) -> str:
    """A path as text that any terminal and any file can take."""
    return os.fsencode(path).decode("utf-8", "replace")


@dataclass(frozen=True, eq=False)
class Entry:
    """One judged policy, with whatever its folder tells about how it came to be."""

    path: Path
    kind: str  # "run", "exam" or "policy"
    policy: Policy
    card: Scorecard
    settings: dict[str, Any] | None = None
    provenance: dict[str, Any] | None = None
    exam: dict[str, Any] | None = None
    curve: Curve | None = None
    seconds: dict[int, float] | None = None  # steps: seconds since the start
    snapshots: tuple[list[int], NDArray[np.int16]] | None = None  # steps [E], action [E, S]
    edited: tuple[str, ...] = ()  # files that are not as the run left them

    @property
    def book(self) -> RuleBook:
        return book_of(self.policy.graph)

    @property
    def agent(self) -> str:
        return self.card.agent or readable(self.path.name)


@dataclass(frozen=True, eq=False)
class Sitting:
    """An exam that did not ask every critical position: its policy is the player's only where it was asked."""

    path: Path
    policy: Policy
    exam: dict[str, Any] | None
    provenance: dict[str, Any] | None

    @property
    def agent(self) -> str:
        name = (self.exam or {}).get("player")
        return name if isinstance(name, str) and name else readable(self.path.stem)


def find_entries(names: list[str]) -> Iterator[Path]:
    """The runs and files that are named, and the runs inside folders that are named; each once."""
    seen = set[Path]()
    for name in names:
        place = Path(name)
        inside = {file.parent for mark in MARKS for file in place.rglob(mark)} if place.is_dir() else set()
        for one in sorted(inside, key=_counting) or [place]:
            if (whole := one.resolve()) not in seen:
                seen.add(whole)
                yield one


def _counting(path: Path) -> list[tuple[int, str]]:
    """Sorts seed-2 before seed-10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.as_posix())]


class Reader:
    """Reads entries; runs of the same game share one graph, so that it is solved once."""

    def __init__(self) -> None:
        self.graphs: dict[str, GameGraph] = {}

    def graph_of(self, book: RuleBook) -> GameGraph:
        graph = board(book).graph  # compiled once, however many games are told of it
        return self.graphs.setdefault(graph.checksum, graph)

    def read(self, place: Path) -> Entry | Sitting:
        """The entry at a place; whatever is wrong with it is a Mistake that names it."""
        try:
            return self._read(place)
        except Mistake:
            raise
        except Exception as error:  # a damaged file fails in many ways; all mean the same to the reader
            raise Mistake(f"{place}: cannot be read ({type(error).__name__}: {error})") from error

    def _read(self, place: Path) -> Entry | Sitting:
        if place.is_dir() and not any((place / mark).exists() for mark in MARKS):
            raise Mistake(f"{place}: no run in it; name a folder that train.py or exam.py has written")
        loaded = load(place)
        graph = self.graphs.setdefault(loaded.graph.checksum, loaded.graph)
        policy = Policy(graph, loaded.probability, loaded.extra)
        if not_asked(policy):
            if place.is_file():
                return Sitting(place, policy, None, None)
            return Sitting(place, policy, read_record(place / "exam.json"), read_record(place / "provenance.json"))
        if place.is_file():
            return Entry(place, "policy", policy, replace(scorecard(graph, policy), agent=readable(place.stem)))
        file = place / "scorecard.json"
        if not file.is_file():
            raise Mistake(f"{place}: not finished (no scorecard.json); train it to the end with --resume")
        exam = read_record(place / "exam.json")
        proof = None if exam is not None else prove(place, graph, lacking=True)
        if proof is not None and (proof.faults or proof.card is None):
            raise Mistake(proof.faults[0])
        measured = None if proof is None else proof.card
        card = (
            _measured(policy, Scorecard.from_json(read_text(file), str(file)), file) if measured is None else measured
        )
        truth = None if proof is None else proof.curve
        return Entry(
            place,
            "exam" if exam is not None else "run",
            policy,
            card,
            settings=_settings(place / "settings.toml"),
            provenance=read_record(place / "provenance.json"),
            exam=exam,
            curve=_curve(place / "curve.csv", card),
            seconds=_seconds(place / "timing.csv"),
            snapshots=None if truth is None else (truth.steps, truth.action),
            edited=() if proof is None else proof.edited,
        )


def _measured(policy: Policy, written: Scorecard, file: Path) -> Scorecard:
    card = replace(scorecard(policy.graph, policy), **{key: getattr(written, key) for key in TRAINED})
    if written.game != card.game or dict(written.parameters) != dict(card.parameters):
        raise Mistake(f"{file}: tells of {written.game}, but policy.npz beside it plays {card.game}; train it anew")
    if (card.perfect, card.blunders) != (written.perfect, written.blunders):
        raise Mistake(f"{file}: tells of {written.blunders} blunders, but policy.npz beside it makes {card.blunders}")
    return card


def read_record(file: Path) -> dict[str, Any] | None:
    """A JSON object; None where there is no such file."""
    if not os.path.lexists(file):
        return None
    record = read_json(file, AGAIN)
    if not isinstance(record, dict):
        raise Mistake(f"{file}: holds {type(record).__name__}, not an object; {AGAIN}")
    return record


def _settings(file: Path) -> dict[str, Any] | None:
    if not os.path.lexists(file):
        return None
    try:
        table = parsed_toml(read_text(file, what_now=AGAIN), file)
        return dict(json.loads(json.dumps(table, default=str, allow_nan=False)))
    except ValueError as error:
        raise Mistake(f"{file}: not TOML ({error}); {AGAIN}") from error


def _rows(file: Path, columns: tuple[str, ...]) -> list[list[float]] | None:
    if not os.path.lexists(file):
        return None
    head, *rows = list(csv.reader(read_text(file, what_now=AGAIN).splitlines())) or [[]]
    if tuple(head[: len(columns)]) != columns:
        raise Mistake(f"{file}: begins with {','.join(head)[:60]!r}, not with {','.join(columns)}")
    try:
        table = [[float(cell) for cell in row[: len(columns)]] for row in rows]
        if not all(len(row) == len(columns) and np.isfinite(row).all() for row in table):
            raise ValueError("a row is cut short, or holds a number that is not finite")
        steps = [row[0] for row in table]
        if not table or steps != sorted(set(steps)):
            raise ValueError("no rows, or steps that do not rise")
    except ValueError as error:
        raise Mistake(f"{file}: cannot be read ({error}); train the run anew with --overwrite") from error
    return table


def _curve(file: Path, card: Scorecard) -> Curve | None:
    table = _rows(file, CURVE)
    if table is None:
        return None
    steps, blunders, accuracy, exploitability = (list(column) for column in zip(*table, strict=True))
    if blunders[-1] != card.blunders:
        raise Mistake(f"{file}: ends with {blunders[-1]:.0f} blunders, but policy.npz beside it makes {card.blunders}")
    shares = np.array([accuracy, exploitability])
    if min(*steps, *blunders) < 0 or max(blunders) > card.critical_states or (shares < 0).any() or (shares > 1).any():
        raise Mistake(f"{file}: holds a number out of range; train the run anew with --overwrite")
    return Curve([int(step) for step in steps], [int(number) for number in blunders], accuracy, exploitability)


def _seconds(file: Path) -> dict[int, float] | None:
    table = _rows(file, ("steps", "seconds"))
    return None if table is None else {int(steps): seconds for steps, seconds in table}


def edits(entry: Entry) -> list[str]:
    """A line where the files of a run are not as it left them: what cannot be computed again need not be so."""
    if not entry.edited:
        return []
    if entry.edited == (MANIFEST,):
        return [f"{readable(entry.path)}: no manifest binds its files, so that seed, steps and times may be edited"]
    return [f"{readable(entry.path)}: edited since the run ended ({', '.join(entry.edited)})"]
