"""The conformance check of a learner: anyone's, by the same means, with no exemptions."""

from __future__ import annotations

import io
import random
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from agents.learner import Learner, resumable
from agents.settings import AgentSettings
from base.mistake import Mistake
from games import GameGraph

STEPS = 2_000  # in each of the two halves of a trial
SEED = 7


@dataclass
class LearnerCheck:
    """`faults` is empty when the learner passes; `notes` say what was checked, and what could not be."""

    name: str
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [self.name, *(f"  {note}" for note in self.notes), *(f"  FAULT {fault}" for fault in self.faults)]
        return "\n".join([*lines, "  passed" if not self.faults else f"  failed: {len(self.faults)} faults"])


def check_learner(kind: type[AgentSettings], name: str, graphs: list[GameGraph]) -> LearnerCheck:
    """Train it a little on each game: twice, in pieces, and through its state. Stops at the first game with a fault."""
    check = LearnerCheck(name)
    for graph in graphs:
        try:
            _check_on(graph, kind, check)
        except Mistake as mistake:
            check.faults.append(f"{graph.game}: {mistake}")
        if check.faults:
            return check
    check.notes.append(f"policy legal everywhere, the same seed the same policy: {len(graphs)} games")
    check.notes.append("not checked: other machines and versions, another hash seed, whether it learns")
    return check


def _check_on(graph: GameGraph, kind: type[AgentSettings], check: LearnerCheck) -> None:
    def fault(words: str) -> None:
        check.faults.append(f"{graph.game}: {words}")

    options = kind()
    module, _, name = options.learner.partition(":")
    learner_class = getattr(import_module(module), name)

    def make() -> Learner:
        learner: Learner = learner_class(options, graph, SEED)
        return learner

    before = _global_randomness()
    one = make()
    began = time.process_time()
    first_half = _advance(one)
    seconds = time.process_time() - began
    touched = [source for source, state in _global_randomness().items() if state != before.get(source, state)]
    if touched:
        fault(f"touches the global random state of {', '.join(touched)}; draw from a generator of its own")
    one_policy = one.policy()
    if (other := one_policy.graph).checksum != graph.checksum:
        fault(
            f"policy() is for another game, {other.game} {dict(other.parameters)}; make it for the graph it was given"
        )
        return
    two = make()
    _advance(two)
    if (two.policy().probability != one_policy.probability).any():
        fault("two learners of one seed have different policies after the same steps")
    if (one.policy().probability != one_policy.probability).any():
        fault("policy() called twice gives two policies")
    if graph.num_states > 100 or not check.notes:
        speed = f"{first_half / max(seconds, 1e-9):,.0f} steps per CPU second on {graph.game}"
        check.notes = [note for note in check.notes if "per CPU second" not in note] + [speed]
    if not resumable(learner_class):
        note = "not checked: state and restore; without them a run cannot be resumed"
        check.notes += [note] if note not in check.notes else []
        return
    saved = one.state()
    content = _packed(saved)
    if _packed(one.state()) != content:
        fault("state() called twice gives two states")
    if odd := _other_shapes(make().state(), saved):
        fault(f"the state of a new learner has {odd}; a checkpoint is read by the names and shapes of a new one")
        return
    second_half = _advance(one)
    if _packed(saved) != content:
        fault("state() gives views: what was saved changed while the learner went on; return copies")
    resumed = make()
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        resumed.restore({key: arrays[key] for key in arrays.files})
    if _packed(resumed.state()) != content:
        fault("restore(state) does not restore all of the state")
    _advance(resumed)
    if _packed(resumed.state()) != _packed(one.state()):
        fault("a learner resumed from its state is not the learner that went on")
    if first_half == second_half == STEPS:
        pieces = make()
        for steps in (1, 7, STEPS - 8, STEPS):
            pieces.advance(steps)
        if _packed(pieces.state()) != _packed(one.state()):
            fault("advancing in pieces is not advancing at once")
    elif not any("pieces" in note for note in check.notes):
        check.notes.append(f"not checked: pieces; asked for {STEPS} steps, it makes {first_half}")


def _advance(learner: Learner) -> int:
    made = learner.advance(STEPS)
    if made < 1:
        raise Mistake(f"advance({STEPS}) returned {made}; it returns how many steps it made, at least 1")
    return made


def _global_randomness() -> dict[str, bytes]:
    """The state of each generator that a whole process shares."""
    states = {"random": repr(random.getstate()).encode()}
    states["numpy"] = repr(np.random.get_state()).encode()  # noqa: NPY002
    if "torch" in sys.modules:
        states["torch"] = sys.modules["torch"].get_rng_state().numpy().tobytes()
    return states


def _packed(state: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **state)
    return buffer.getvalue()


def _other_shapes(new: Mapping[str, Any], later: Mapping[str, Any]) -> str:
    """The first array that is not of the same name, shape and type in both; empty where all are."""
    for name in sorted({*new, *later}):
        shapes = [
            (np.shape(state[name]), np.asarray(state[name]).dtype) if name in state else None for state in (new, later)
        ]
        if shapes[0] != shapes[1]:
            words = ["no such array" if shape is None else f"{shape[1]} {shape[0]}" for shape in shapes]
            return f"{name}: {words[0]}, later {words[1]}"
    return ""
