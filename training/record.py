"""The exact learning curve of a run, and the greedy policy at each of its rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games import GameGraph, Policy
from solver import Grade


@dataclass
class Record:
    """The exact learning curve so far, and the greedy policy at each of its rows."""

    steps: list[int] = field(default_factory=list)
    grades: list[Grade] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    actions: list[NDArray[np.int16]] = field(default_factory=list)  # each [S]; -1 where there is no legal move

    def add(self, steps: int, policy: Policy, marks: Grade, seconds: float) -> None:
        action = np.where(policy.probability.any(axis=1), policy.probability.argmax(axis=1), -1)
        self.steps.append(steps)
        self.grades.append(marks)
        self.seconds.append(seconds)
        self.actions.append(action.astype(np.int16))

    def first(self, verdict: str) -> int | None:
        """The steps of the first row with that verdict."""
        return next((n for n, marks in zip(self.steps, self.grades, strict=True) if getattr(marks, verdict)), None)

    def sustained(self, verdict: str) -> int | None:
        """The steps of the row from which on every row has that verdict."""
        since = None
        for steps, marks in zip(reversed(self.steps), reversed(self.grades), strict=True):
            if not getattr(marks, verdict):
                break
            since = steps
        return since

    def thinned(self, times: list[int]) -> Record:
        """Of the rows, the first at or after each of these steps."""
        rows = sorted({row for row in np.searchsorted(self.steps, times).tolist() if row < len(self.steps)})
        steps, grades = [self.steps[row] for row in rows], [self.grades[row] for row in rows]
        return Record(steps, grades, [self.seconds[row] for row in rows], [self.actions[row] for row in rows])

    def milestones(self) -> dict[str, int | None]:
        """When each verdict was reached: sustained to the end, and first; by the names of a scorecard."""
        verdicts = ("unexploitable", "perfect")
        sustained = {f"steps_to_{verdict}": self.sustained(verdict) for verdict in verdicts}
        return sustained | {f"first_steps_to_{verdict}": self.first(verdict) for verdict in verdicts}

    def columns(self) -> dict[str, NDArray[Any]]:
        """The curve, a column per quantity."""
        return read_curve(self.curve())

    def curve(self) -> str:
        rows = [
            (n, g.blunders, repr(g.accuracy), repr(g.exploitability))
            for n, g in zip(self.steps, self.grades, strict=True)
        ]
        return _csv(("steps", "blunders", "accuracy", "exploitability"), rows)

    def timing(self) -> str:
        return _csv(("steps", "seconds"), [(n, f"{s:.3f}") for n, s in zip(self.steps, self.seconds, strict=True)])

    def snapshots(self) -> dict[str, NDArray[Any]]:
        return {"steps": np.array(self.steps, dtype=np.int64), "action": np.array(self.actions)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """For a checkpoint."""
        grades = np.array([(g.blunders, g.accuracy, g.exploitability, g.perfect, g.unexploitable) for g in self.grades])
        return self.snapshots() | {"grades": grades, "seconds": np.array(self.seconds)}

    @staticmethod
    def of(arrays: Mapping[str, NDArray[Any]], graph: GameGraph, most: int) -> Record:
        """What `arrays` gave, of at most so many rows; what cannot be a curve of this game is refused."""
        steps, action = checked_snapshots(arrays, graph)
        grades, seconds = arrays["grades"], arrays["seconds"]
        fits = len(steps) <= most and (grades.shape == (len(steps), 5) or not len(steps))
        if not fits or seconds.shape != (len(steps),) or not (np.isfinite(grades).all() and np.isfinite(seconds).all()):
            raise Mistake(f"{graph.game}: the grades of a learning curve are not those of {len(steps)} rows")
        marks = [Grade(int(b), float(a), float(e), bool(p), bool(u)) for b, a, e, p, u in grades.tolist()]
        return Record(steps, marks, seconds.tolist(), list(action))


def checked_snapshots(arrays: Mapping[str, NDArray[Any]], graph: GameGraph) -> tuple[list[int], NDArray[np.int16]]:
    """steps [E], rising; action [E, S], legal wherever there is a move and -1 elsewhere. Anything else is refused."""
    steps, action = arrays["steps"], arrays["action"]
    rows, can_move = len(steps) if steps.ndim else 0, graph.legal.any(axis=1)
    rising = not rows or (steps.dtype.kind == "i" and steps[0] >= 0 and bool((steps[1:] > steps[:-1]).all()))
    if steps.shape != (rows,) or not rising:
        raise Mistake(f"{graph.game}: the steps of a learning curve are not whole numbers that rise")
    if not rows:
        return [], np.zeros((0, graph.num_states), dtype=np.int16)
    if action.shape != (rows, graph.num_states) or action.dtype.kind != "i":
        raise Mistake(f"{graph.game}: snapshots hold no move for every position")
    if ((action < 0) | (action >= graph.num_actions))[:, can_move].any() or (action[:, ~can_move] != -1).any():
        raise Mistake(f"{graph.game}: snapshots hold a move that there is not")
    if not graph.legal[np.arange(graph.num_states), np.maximum(action, 0)][:, can_move].all():
        raise Mistake(f"{graph.game}: snapshots hold a move that is against the rules")
    return steps.tolist(), action.astype(np.int16)


def read_curve(text: str) -> dict[str, NDArray[Any]]:
    """The columns of a curve.csv."""
    rows = list(csv.DictReader(io.StringIO(text)))
    kinds: dict[str, Any] = {"steps": int, "blunders": int, "accuracy": float, "exploitability": float}
    return {name: np.array([kind(row[name]) for row in rows], dtype=kind) for name, kind in kinds.items()}


def _csv(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
