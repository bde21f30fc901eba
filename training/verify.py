"""What the files of a finished run prove: each is as the run left it, and what they tell is so.

    base.manifest.edited(run)   the cheap look: which files are not those that the manifest, written last, lists
    prove(run)                  the costly one: the policy judged again, the curve graded again from the snapshots

A manifest holds against damage and against a change by hand; who makes a false one as well is caught by `prove` in all
that can be computed: every number of the scorecard, every row of the curve, the steps to perfect. What cannot be, such
as how many steps lie between two snapshots or how long they took, is only bound together by the manifest.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.arrays import opened_arrays
from base.manifest import edited
from base.mistake import Mistake
from base.reading import LARGEST_TEXT, parsed_toml, read_json, read_text
from games import GameGraph, Policy
from games.find import carried_name
from solver import Grade, Scorecard, grade, scorecard
from training.record import Record, checked_snapshots

CLOSE = 1e-9  # how far a measured number may lie from the one in a file: other processors round otherwise
TOLD = ("agent", "seed", "illegal_share")  # on a scorecard, and not to be computed from policy and snapshots
MOST_ROWS = 10_002  # of a curve: the most evaluations that a run can have, and both ends
AGAIN = "train the run anew"


@dataclass(frozen=True)
class Curve:
    """curve.csv and snapshots.npz: the rows as they are told, and what is played at each."""

    steps: list[int]  # [E]
    action: NDArray[np.int16]  # [E, S]: -1 where there is no move
    rows: list[Grade]  # [E]: graded again from `action`


@dataclass(frozen=True)
class Proof:
    """What can be said of a finished run. It is what it says it is where `edited` and `faults` are empty."""

    policy: Policy | None  # the judged one
    card: Scorecard | None  # measured again; what only a training knows is taken from the file where nothing denies it
    edited: tuple[str, ...]  # the files that are not as the run left them, manifest.json itself where there is none
    faults: tuple[str, ...]  # a sentence for each thing that the files tell and that is not so, or cannot be read
    curve: Curve | None = None  # graded again; None of a policy that mixes its moves

    @property
    def good(self) -> bool:
        return not self.edited and not self.faults


def prove(run: Path, graph: GameGraph | None = None, *, lacking: bool = False) -> Proof:
    """All that the files of a run prove; of a game that is at hand already, its graph is taken.

    With `lacking`, a file beside policy and scorecard that is not there is no fault: it tells nothing.
    """
    findings = _Findings(run, lacking)
    curve: Curve | None = None
    policy: Policy | None = None
    card: Scorecard | None = None
    with findings.noted():
        policy = Policy.load(run / "policy.npz", graph)
    if policy is not None:
        graph = policy.graph
        with findings.noted():
            _compare_settings(findings, graph, run)
        with findings.noted():
            if findings.asks("snapshots.npz"):
                curve = read_curve(run, graph)
        if not np.isin(policy.probability, (0.0, 1.0)).all():
            curve = None  # snapshots are of the most probable moves, and prove nothing about a policy that mixes
        with findings.noted():
            card = _compare_card(findings, policy, curve, run)
        if curve is not None:
            with findings.noted():
                _compare_curve(findings, policy, curve, run)
    return Proof(policy, card, edited(run), tuple(findings.faults), curve)


def read_curve(run: Path, graph: GameGraph) -> Curve:
    """The snapshots of a run, and a grade for each of them, made anew."""
    file = run / "snapshots.npz"
    largest = MOST_ROWS * (2 * graph.num_states + 8) + 65_536
    with opened_arrays(file, str(file), "the snapshots of a run", AGAIN) as arrays:
        parts = {name: arrays.read(name, largest) for name in ("steps", "action")}
        try:
            steps, action = checked_snapshots(parts, graph)
        except Mistake as mistake:
            raise Mistake(f"{file}: {mistake}; {AGAIN}") from None
    return Curve(steps, action, list(_grades(graph, action)))


def _grades(graph: GameGraph, action: NDArray[np.int16]) -> Iterator[Grade]:
    graded: dict[bytes, Grade] = {}  # late in a training, many rows are of one policy
    for row in action:
        key = row.tobytes()
        if key not in graded:
            graded[key] = grade(graph, Policy.greedy(graph, np.arange(graph.num_actions) == row[:, None]))
        yield graded[key]


@dataclass
class _Findings:
    """What was found wrong so far."""

    run: Path
    lacking: bool
    faults: list[str] = field(default_factory=list)

    def asks(self, name: str) -> bool:
        """Whether that file has to be looked at: it is there, or has to be."""
        return not self.lacking or os.path.lexists(self.run / name)

    def add(self, name: str, what: str) -> None:
        self.faults.append(f"{self.run / name}: {what}")

    @contextmanager
    def noted(self) -> Iterator[None]:
        """A file that cannot be read is a finding, and the others are looked at all the same."""
        try:
            yield
        except Mistake as mistake:
            self.faults.append(" ".join(str(mistake).split()))


def _compare_settings(findings: _Findings, graph: GameGraph, run: Path) -> None:
    if findings.asks("settings.toml"):
        table = parsed_toml(read_text(run / "settings.toml", what_now=AGAIN), run / "settings.toml")
        carried = {"env": carried_name(graph.checksum), "parameters": {}}  # how a game from elsewhere is named
        told = {key: table.get(key) for key in carried}
        if told not in (carried, {"env": graph.game, "parameters": dict(graph.parameters)}):
            findings.add("settings.toml", f"is not for the game of policy.npz beside it, {graph.game}")
    if not findings.asks("provenance.json"):
        return
    origin = read_json(run / "provenance.json", AGAIN)
    if not isinstance(origin, dict) or origin.get("graph_checksum") != graph.checksum:
        findings.add("provenance.json", f"is not of the game of policy.npz beside it, {graph.game}")


def _compare_card(findings: _Findings, policy: Policy, curve: Curve | None, run: Path) -> Scorecard:
    file = run / "scorecard.json"
    told = Scorecard.from_json(read_text(file, what_now=AGAIN), str(file))
    card = replace(scorecard(policy.graph, policy), **{name: getattr(told, name) for name in TOLD})
    told_steps = {name: getattr(told, name) for name in asdict(told) if name == "steps" or "steps_to_" in name}
    card = replace(card, **(told_steps if curve is None else _steps(curve)))
    for name, (ours, theirs) in _differences(asdict(card), asdict(told)):
        findings.add("scorecard.json", f"tells of {name} {theirs}, and it is {ours}")
    if not findings.asks("settings.toml"):
        return card
    table = parsed_toml(read_text(run / "settings.toml", what_now=AGAIN), run / "settings.toml")
    for name in ("seed",) if "agent_sha256" in table else ("agent", "seed"):
        if getattr(told, name) != table.get(name):
            what = f"tells of the {name} {getattr(told, name)}, settings.toml beside it of {table.get(name)}"
            findings.add("scorecard.json", what)
    return card


def _compare_curve(findings: _Findings, policy: Policy, curve: Curve, run: Path) -> None:
    can_move = policy.graph.legal.any(axis=1)
    played = np.where(can_move, policy.probability.argmax(axis=1), -1)
    if not curve.steps or (curve.action[-1] != played).any():
        findings.add("snapshots.npz", "does not end with the policy of policy.npz beside it")
    rows: list[list[float]] = []
    if findings.asks("curve.csv"):
        rows = _table(run / "curve.csv", ("steps", "blunders", "accuracy", "exploitability"))
    if findings.asks("curve.csv") and [row[0] for row in rows] != curve.steps:
        findings.add("curve.csv", "is not of the same steps as snapshots.npz beside it")
    for row, marks in zip(rows, curve.rows, strict=False):
        ours = (marks.blunders, marks.accuracy, marks.exploitability)
        for name, true, cell in zip(("blunders", "accuracy", "exploitability"), ours, row[1:], strict=True):
            if abs(true - cell) > CLOSE:
                findings.add("curve.csv", f"tells of {name} {cell:g} at step {row[0]:.0f}, and it is {true:g}")
    if not findings.asks("timing.csv"):
        return
    if [row[0] for row in _table(run / "timing.csv", ("steps", "seconds"))] != curve.steps:
        findings.add("timing.csv", "is not of the same steps as snapshots.npz beside it")


def _steps(curve: Curve) -> dict[str, int | None]:
    """What a scorecard tells of the learning, from its curve."""
    record = Record(curve.steps, curve.rows)
    return {"steps": curve.steps[-1] if curve.steps else None, **record.milestones()}


def _differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """name.name: the two values, wherever they are not the same number, text or verdict."""
    for name in ours:
        one, other = ours[name], theirs[name]
        if isinstance(one, Mapping) and isinstance(other, Mapping) and set(one) == set(other):
            yield from ((f"{name}.{inner}", pair) for inner, pair in _differences(one, other))
        elif isinstance(one, float) and isinstance(other, int | float):
            if not abs(one - other) <= CLOSE * max(1.0, abs(one)):
                yield name, (one, other)
        elif one != other:
            yield name, (one, other)


def _table(file: Path, columns: tuple[str, ...]) -> list[list[float]]:
    """The rows of a CSV file of numbers."""
    lines = read_text(file, LARGEST_TEXT, AGAIN).splitlines()
    try:
        head, *rows = list(csv.reader(lines[: MOST_ROWS + 2])) or [[]]
        if tuple(head) != columns or len(rows) > MOST_ROWS:
            raise Mistake(f"{file}: begins with {','.join(head)[:60]!r}, not with {','.join(columns)}; {AGAIN}")
        table = [[float(cell) for cell in row] for row in rows]
    except (ValueError, csv.Error) as error:
        raise Mistake(f"{file}: cannot be read ({error}); {AGAIN}") from None
    if not all(len(row) == len(columns) and np.isfinite(row).all() for row in table):
        raise Mistake(f"{file}: a row is cut short, or holds a number that is not finite; {AGAIN}")
    return table
