"""A checkpoint: all that a resumed run needs, bound to that run, and looked at before a learner takes it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agents.learner import Learner
from base.arrays import Arrays, opened_arrays, packed
from base.mistake import Mistake
from base.reading import read_bytes
from games import GameGraph
from training.record import Record
from training.resolve import Settings
from training.run import CHECKPOINT, Run

OTHERWISE = "another is needed"
HEADS = 65_536  # bytes of a checkpoint beside its arrays, and per array at most
LARGEST = 1 << 40  # bytes of an array, where its shape is known to be the right one


class Unusable(Mistake):
    """A run has checkpoints, and none of them can be resumed from."""


@dataclass
class Standing:
    """Where a run stands: what it has learned, how far it came, how long that took."""

    learner: Learner
    record: Record = field(default_factory=Record)
    done: int = 0
    seconds: float = 0.0


def checkpoint(settings: Settings, graph: GameGraph, standing: Standing) -> dict[str, bytes]:
    """The file, by its name."""
    arrays = {f"learner.{key}": value for key, value in standing.learner.state().items()}
    arrays |= {f"record.{key}": value for key, value in standing.record.arrays().items()}
    arrays |= {"done": standing.done, "before": standing.seconds, "belongs_to": np.array(identity(settings, graph))}
    content = packed(arrays)
    return {f"checkpoint/{standing.done:014d}-{hashlib.sha256(content).hexdigest()[:16]}.npz": content}


def identity(settings: Settings, graph: GameGraph) -> str:
    """A digest of all that decides a run: settings with agent and seed, and the arrays of the game."""
    return hashlib.sha256(f"{settings.toml()}\n{graph.checksum}\n".encode()).hexdigest()


def resumed(run: Run, settings: Settings, graph: GameGraph, learner: Learner, anew: Callable[[], Learner]) -> Standing:
    """Where the newest checkpoint that fits says that the run stands; at the beginning, where there is none.

    One that is damaged, or of another run, is passed over for the one before it. `learner` is a new one, and `anew`
    makes another, for what a checkpoint has half changed is not used again.
    """
    faults = list[str]()
    for file in run.checkpoints():
        try:
            return _read(file, settings, graph, anew() if faults else learner)
        except Mistake as mistake:
            faults.append(str(mistake))
    if faults:
        raise Unusable(f"{faults[0]}; no checkpoint of this run can be used; add --overwrite")
    return Standing(learner)


def _read(file: Path, settings: Settings, graph: GameGraph, learner: Learner) -> Standing:
    state = {name: np.asarray(value) for name, value in learner.state().items()}
    rows = settings.options.evaluations + 2
    most = sum(array.nbytes + HEADS for array in state.values()) + HEADS + rows * (2 * graph.num_states + 64)
    content = read_bytes(file, most, OTHERWISE)
    named = CHECKPOINT.fullmatch(file.name)
    if named is None or hashlib.sha256(content).hexdigest()[:16] != named[2]:
        raise Mistake(f"{file}: damaged")
    with opened_arrays(content, str(file), "a checkpoint", OTHERWISE) as arrays:
        if arrays.text("belongs_to") != identity(settings, graph):
            raise Mistake(f"{file}: of another run")
        done, seconds = int(named[1]), float(arrays.read("before", HEADS))
        steps = arrays.read("done", HEADS)
        if steps.shape != () or steps.dtype.kind != "i" or int(steps) != done or not 0 <= seconds < float("inf"):
            raise Mistake(f"{file}: holds {steps} steps, made in {seconds} seconds")
        record = Record.of({name: arrays.read(f"record.{name}", most) for name in Record().arrays()}, graph, rows)
        if record.steps and record.steps[-1] > done:
            raise Mistake(f"{file}: was graded after {record.steps[-1]} steps, and {done} were made")
        learner.restore(_alike(arrays, state))  # within: whatever it makes of damaged arrays is a mistake
    return Standing(learner, record, done, seconds)


def _alike(arrays: Arrays, state: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of a learner, as many and of the same shapes and types as a new learner's."""
    names = {name.removeprefix("learner.") for name in arrays.sizes if name.startswith("learner.")}
    if odd := sorted(names ^ set(state)):
        raise Mistake(f"{arrays.where}: {odd[0]} is missing, or too much")
    for name, array in state.items():
        if (shape := arrays.shape(f"learner.{name}")) != array.shape:
            raise Mistake(f"{arrays.where}: {name} has the shape {shape}, not {array.shape}")
    saved = {name: arrays.read(f"learner.{name}", LARGEST) for name in state}
    for name, array in saved.items():
        if array.dtype != state[name].dtype and array.dtype.kind != "U":
            raise Mistake(f"{arrays.where}: {name} holds {array.dtype}, not {state[name].dtype}")
    return saved
