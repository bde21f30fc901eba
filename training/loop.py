"""The loop that every learner shares: advance, score exactly, write, repeat."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np

from agents.learner import Learner, resumable
from games import GameGraph, Mistake, Policy
from games.graph import playable_graph
from solver import Grade, Scorecard, grade, scorecard
from solver.facts import facts
from training.record import Record
from training.resolve import Settings
from training.run import Run, checkpoint, packed, provenance

CHECKPOINT_SECONDS = 1.0  # at least this long from one checkpoint to the next; the first follows the first evaluation
CHUNK = 2_000_000  # updates between two looks at the keyboard


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came, and what was done is saved."""


@dataclass(frozen=True)
class Progress:
    """What a display is told after every chunk of work."""

    done: int
    steps: int  # the budget
    rate: float  # updates per second since this process began
    marks: Grade
    critical_states: int


def make_learner(settings: Settings, graph: GameGraph) -> Learner:
    module, _, name = settings.options.learner.partition(":")
    learner: Learner = getattr(import_module(module), name)(settings.options, graph, settings.seed)
    return learner


def grid(steps: int, evaluations: int) -> list[int]:
    """When to score: 0, then half of the times in equal ratios, for the steep beginning, half in equal distances."""
    half = (evaluations + 1) // 2
    ratios = np.geomspace(min(100, steps), steps, half + 1)[1:]
    distances = np.linspace(0, steps, evaluations - half + 1)[1:]
    return sorted({0, steps, *np.rint(np.concatenate([ratios, distances])).astype(np.int64).tolist()})


def evaluations(
    settings: Settings,
    graph: GameGraph,
    learner: Learner,
    record: Record,
    *,
    done: int = 0,
    seconds: float = 0.0,
    between: Callable[[int], None] = lambda done: None,
) -> Iterator[tuple[int, Grade, Policy]]:
    """Train to the end of the budget, and score on the way: (steps, grade, policy), each added to the record first.

    `done`, `seconds` and the record are those of a run that is resumed; `between` is told the steps after each chunk.
    """
    budget, until = settings.options.steps, settings.options.until
    began = time.monotonic() - seconds
    for goal in grid(budget, settings.options.evaluations):
        if until == "perfect" and record.grades and record.grades[-1].perfect:
            return  # also where the run was killed after its last evaluation
        if record.steps and record.steps[-1] >= goal:
            continue
        while done < goal:
            made = learner.advance(min(goal - done, CHUNK))
            if made < 1:
                raise Mistake(f"{settings.agent}: advance returned {made}; it returns how many steps it made")
            done += made
            between(done)
        policy = learner.policy()
        marks = grade(graph, policy)
        record.add(done, policy, marks, time.monotonic() - began)
        yield done, marks, policy


def learn(settings: Settings, graph: GameGraph) -> Record:
    """The learning curve of a training with nothing written."""
    record = Record()
    for _ in evaluations(settings, graph, make_learner(settings, graph), record):
        pass
    return record


def train(
    settings: Settings,
    run: Run,
    *,
    resume: bool = False,
    overwrite: bool = False,
    show: Callable[[Progress], None] = lambda progress: None,
    log: Callable[[int, Grade, float], None] = lambda steps, marks, rate: None,
) -> Scorecard:
    """Train to the end of the budget; a run that exists is resumed or begun anew, as the caller says, else refused."""
    graph = playable_graph(settings.book)
    learner = make_learner(settings, graph)  # what is wrong with the settings shows before anything is written
    with run.held(settings, resume=resume, overwrite=overwrite):
        if run.finished:
            return Scorecard.from_json((run.path / "scorecard.json").read_text(encoding="utf-8"), str(run.path))
        return _train_into(run, settings, graph, learner, show, log)


def _train_into(
    run: Run,
    settings: Settings,
    graph: GameGraph,
    learner: Learner,
    show: Callable[[Progress], None],
    log: Callable[[int, Grade, float], None],
) -> Scorecard:
    record, done, before = Record(), 0, 0.0
    saved = run.newest_checkpoint()
    if saved is not None:
        done, before = int(saved["done"]), float(saved["before"])
        record = Record.of({key.removeprefix("record."): saved[key] for key in saved if key.startswith("record.")})
        learner.restore({key.removeprefix("learner."): saved[key] for key in saved if key.startswith("learner.")})
    budget, critical = settings.options.steps, len(facts(graph).critical)
    began, begun_at = time.monotonic(), done

    def rate() -> float:
        return (done - begun_at) / max(time.monotonic() - began, 1e-9)

    def so_far(finished: bool, **more: float) -> dict[str, str | bytes]:
        """The files of the run as it stands."""
        seconds = before + time.monotonic() - began
        files: dict[str, str | bytes] = {}
        if resumable(type(learner)):
            state = {f"learner.{key}": value for key, value in learner.state().items()}
            state |= {f"record.{key}": value for key, value in record.arrays().items()}
            files |= checkpoint(done, state | {"done": done, "before": seconds})
        return files | {
            "curve.csv": record.curve(),
            "timing.csv": record.timing(),
            "snapshots.npz": packed(record.snapshots()),
            "provenance.json": provenance(settings, graph.checksum, seconds, finished, **more),
        }

    def after_a_chunk(steps: int) -> None:
        nonlocal done
        done = steps
        if record.grades:
            show(Progress(done, budget, rate(), record.grades[-1], critical))
        if asked_to_stop() and done < budget:
            run.write(so_far(finished=False))
            raise Interrupted

    last_save = -CHECKPOINT_SECONDS
    with _patience() as asked_to_stop:
        onwards = evaluations(settings, graph, learner, record, done=done, seconds=before, between=after_a_chunk)
        for done, marks, _ in onwards:
            log(done, marks, rate())
            show(Progress(done, budget, rate(), marks, critical))
            if time.monotonic() - last_save >= CHECKPOINT_SECONDS and done < budget:
                run.write(so_far(finished=False))
                last_save = time.monotonic()
    policy = learner.policy()
    card = replace(
        scorecard(graph, policy),
        agent=settings.agent,
        seed=settings.seed,
        steps=done,
        steps_to_unexploitable=record.sustained("unexploitable"),
        steps_to_perfect=record.sustained("perfect"),
        first_steps_to_unexploitable=record.first("unexploitable"),
        first_steps_to_perfect=record.first("perfect"),
    )
    files, more = learner.artifacts()
    last: dict[str, str | bytes] = {"policy.npz": packed(policy.arrays()), **files}
    last["scorecard.json"] = card.to_json()  # last: a run that has one is finished
    run.write(so_far(finished=True, **more) | last)
    return card


@contextmanager
def _patience() -> Iterator[Callable[[], bool]]:
    """Ctrl-C waits until the learner is between two updates; a second one does not wait."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return

    def press(*_: object) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    old = signal.signal(signal.SIGINT, press)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, old)
