"""What a report is about: runs, exams and saved policies, found on disk, read with suspicion, measured anew."""

from __future__ import annotations

import csv
import json
import os
import re
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.saved import load, not_asked
from arena.board import board
from base.mistake import Mistake
from games import GameGraph, Policy, RuleBook
from games.gamefile import book_of
from report.document import Curve
from solver import Scorecard, scorecard
from solver.facts import facts

CURVE = ("steps", "blunders", "accuracy", "exploitability")
LARGEST_TEXT = 64 << 20  # bytes of a text file that is read
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
            return Sitting(place, policy, _json(place / "exam.json"), _json(place / "provenance.json"))
        if place.is_file():
            return Entry(place, "policy", policy, replace(scorecard(graph, policy), agent=readable(place.stem)))
        file = place / "scorecard.json"
        if not file.is_file():
            raise Mistake(f"{place}: not finished (no scorecard.json); train it to the end with --resume")
        card = _measured(policy, Scorecard.from_json(_text(file), str(file)), file)
        exam = _json(place / "exam.json")
        entry = Entry(
            place,
            "exam" if exam is not None else "run",
            policy,
            card,
            settings=_settings(place / "settings.toml"),
            provenance=_json(place / "provenance.json"),
            exam=exam,
            curve=_curve(place / "curve.csv", card),
            seconds=_seconds(place / "timing.csv"),
            snapshots=_snapshots(place / "snapshots.npz", graph),
        )
        _compare(entry)
        return entry


def _measured(policy: Policy, written: Scorecard, file: Path) -> Scorecard:
    card = replace(scorecard(policy.graph, policy), **{key: getattr(written, key) for key in TRAINED})
    if written.game != card.game or dict(written.parameters) != dict(card.parameters):
        raise Mistake(f"{file}: tells of {written.game}, but policy.npz beside it plays {card.game}; train it anew")
    if (card.perfect, card.blunders) != (written.perfect, written.blunders):
        raise Mistake(f"{file}: tells of {written.blunders} blunders, but policy.npz beside it makes {card.blunders}")
    return card


def _compare(entry: Entry) -> None:
    """A curve that its snapshots contradict is not drawn: blunders of greedy play are counted again."""
    greedy = bool(np.isin(entry.policy.probability, (0.0, 1.0)).all())
    if entry.curve is None or entry.snapshots is None or not greedy:
        return
    steps, action = entry.snapshots
    known = facts(entry.policy.graph)
    made = known.blunder[known.critical, action[:, known.critical]].sum(axis=1)
    for at, written, counted in zip(entry.curve.steps, entry.curve.blunders, made.tolist(), strict=False):
        if written != counted:
            raise Mistake(
                f"{entry.path / 'curve.csv'}: tells of {written} blunders at step {at}, snapshots.npz of {counted}"
            )
    if steps != entry.curve.steps:
        raise Mistake(f"{entry.path / 'snapshots.npz'}: is not of the same evaluations as curve.csv")


def _text(file: Path) -> str:
    if file.stat().st_size > LARGEST_TEXT:
        raise Mistake(f"{file}: larger than {LARGEST_TEXT} bytes; no run writes such a file")
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(f"{file}: not text ({error.reason})") from error


def _json(file: Path) -> dict[str, Any] | None:
    if not file.is_file():
        return None
    try:
        record = json.loads(_text(file))
        json.dumps(record, allow_nan=False)  # NaN, Infinity and 1e999 are no numbers
    except ValueError as error:
        raise Mistake(f"{file}: not JSON ({error})") from error
    if not isinstance(record, dict):
        raise Mistake(f"{file}: holds {type(record).__name__}, not an object")
    return record


def _settings(file: Path) -> dict[str, Any] | None:
    if not file.is_file():
        return None
    try:
        table = tomllib.loads(_text(file))
        return dict(json.loads(json.dumps(table, default=str, allow_nan=False)))
    except ValueError as error:
        raise Mistake(f"{file}: not TOML ({error})") from error


def _rows(file: Path, columns: tuple[str, ...]) -> list[list[float]] | None:
    if not file.is_file():
        return None
    head, *rows = list(csv.reader(_text(file).splitlines())) or [[]]
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


def _snapshots(file: Path, graph: GameGraph) -> tuple[list[int], NDArray[np.int16]] | None:
    if not file.is_file():
        return None
    try:
        with zipfile.ZipFile(file) as archive, np.load(file, allow_pickle=False) as arrays:
            if sum(info.file_size for info in archive.infolist()) > 2 * 10_001 * graph.num_states + LARGEST_TEXT:
                raise Mistake(f"{file}: too large for a run of {graph.game}")
            steps, action = arrays["steps"], arrays["action"]
    except Mistake:
        raise
    except Exception as error:  # a damaged file fails in many ways; all mean the same to the reader
        raise Mistake(f"{file}: cannot be read ({type(error).__name__}: {error})") from error
    can_move = graph.legal.any(axis=1)
    fits = steps.shape == (len(action),) and action.shape == (len(steps), graph.num_states) and action.dtype.kind == "i"
    if not fits or (action >= graph.num_actions).any() or (np.where(can_move, action, 0) < 0).any():
        raise Mistake(f"{file}: does not hold a move for every position of {graph.game}")
    played = np.where(can_move, graph.legal[np.arange(graph.num_states), np.maximum(action, 0)], True)
    if not played.all():
        raise Mistake(f"{file}: holds a move that is against the rules of {graph.game}")
    return steps.tolist(), action.astype(np.int16)
