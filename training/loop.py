"""The loop that every learner shares: advance, score exactly, write, repeat."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.learner import Learner, resumable
from base.arrays import packed
from base.reading import read_text
from base.text import one_line
from games import GameGraph, Mistake, Policy
from games.graph import playable_graph
from solver import Grade, Scorecard, grade, scorecard
from solver.facts import facts
from training.checkpoint import Standing, checkpoint, resumed
from training.display import Pace, Progress, display
from training.patience import patience
from training.record import Record, read_curve
from training.resolve import Settings
from training.run import FILES, Run, provenance
from training.verify import prove

CHECKPOINT_SECONDS = 1.0  # at least this long from one checkpoint to the next; the first follows the first evaluation
FACTS = {"illegal_share"}  # those of a learner that the scorecard has a field for
OURS = {*FILES, "checkpoint", "lock"} - {"network.safetensors"}  # what no learner may write
CHUNK = 2_000_000  # updates between two looks at the keyboard


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came, and what was done is saved."""


def learner_class(settings: Settings) -> Any:
    module, _, name = settings.options.learner.partition(":")
    return getattr(import_module(module), name)


def make_learner(settings: Settings, graph: GameGraph) -> Learner:
    learner: Learner = learner_class(settings)(settings.options, graph, settings.seed)
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
    between: Callable[[int, float], None] = lambda done, seconds: None,
) -> Iterator[tuple[int, Grade, Policy]]:
    """Train to the end of the budget, and score on the way: (steps, grade, policy), each added to the record first.

    `done`, `seconds` and the record are those of a run that is resumed; after each chunk, `between` is told the steps
    so far and how many seconds the chunk took.
    """
    budget, until = settings.options.steps, settings.options.until
    began = time.monotonic() - seconds
    for goal in grid(budget, settings.options.evaluations):
        if until == "perfect" and record.grades and record.grades[-1].perfect:
            return  # also where the run was killed after its last evaluation
        if record.steps and record.steps[-1] >= goal:
            continue
        while done < goal:
            chunk_began = time.monotonic()
            made = learner.advance(min(goal - done, CHUNK))
            if made < 1:
                raise Mistake(f"{settings.agent}: advance returned {made}; it returns how many steps it made")
            done += made
            between(done, time.monotonic() - chunk_began)
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


@dataclass(frozen=True, eq=False)
class Training:
    """What came of a training. `policy.act(state)` plays it; each column of the curve has a value per evaluation."""

    settings: Settings
    card: Scorecard
    policy: Policy
    curve: Mapping[str, NDArray[Any]]

    def __repr__(self) -> str:
        blunders = f"{self.card.blunders} of {self.card.critical_states}"
        return f"<Training of {self.settings.path('')}: {self.card.steps} steps, {blunders} blunders>"


def train(
    settings: Settings,
    run: Run | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    progress: bool = False,
    on_evaluation: Callable[[int, Grade, Policy], None] = lambda steps, marks, policy: None,
    log: Callable[[int, Mapping[str, float]], None] = lambda steps, values: None,
    shorter: tuple[Run, Settings] | None = None,
) -> Training:
    """Train to the end of the budget, in memory, or into the folder of a run.

    A folder that exists is resumed or begun anew, as the caller says, else refused. `on_evaluation` is called after
    each exact evaluation with the steps, the grade and the policy, and may raise to stop; `log` (a tracker) is told
    the steps and all numbers by their tags. `progress` shows a line of progress, in a notebook too. `shorter` is a run
    with a smaller budget, where the new one begins (see `training.extend`).
    """
    if run is not None:
        run.admit(resume=resume, overwrite=overwrite)  # first: a learner may take seconds to be made
    graph = playable_graph(settings.book)
    if run is not None and run.finished and resume:
        with run.held(settings, resume=True):
            if (finished := _read(run, settings, graph)) is not None:
                return finished
    learner = make_learner(settings, graph)  # what is wrong with the settings shows before anything is written
    with ExitStack() as stack:
        if run is not None:
            stack.enter_context(run.held(settings, resume=resume, overwrite=overwrite))
        standing = _standing(settings, graph, learner, run, shorter)
        session = _Session(settings, graph, standing, run, stack.enter_context(display(quiet=not progress)))
        return session.train(on_evaluation, log)


def _standing(
    settings: Settings, graph: GameGraph, learner: Learner, run: Run | None, shorter: tuple[Run, Settings] | None
) -> Standing:
    """Where the training stands: at the newest checkpoint, or at the end of the shorter run that it extends."""
    anew = partial(make_learner, settings, graph)
    standing = Standing(learner) if run is None else resumed(run, settings, graph, learner, anew)
    if shorter is not None and not standing.done:
        standing = resumed(*shorter, graph, learner, anew)
        standing.record = standing.record.thinned(grid(settings.options.steps, settings.options.evaluations))
    return standing


class _Session:
    """One process's share of a training: it may have begun before, and it may be stopped."""

    def __init__(
        self,
        settings: Settings,
        graph: GameGraph,
        standing: Standing,
        run: Run | None,
        show: Callable[[Progress], None],
    ) -> None:
        self.settings, self.graph, self.run, self.show = settings, graph, run, show
        self.learner, self.record = standing.learner, standing.record
        self.done, self.seconds_before = standing.done, standing.seconds
        self.critical = len(facts(graph).critical)
        self.began, self.begun_at = time.monotonic(), self.done
        self.pace = Pace()

    def train(
        self,
        on_evaluation: Callable[[int, Grade, Policy], None],
        log: Callable[[int, Mapping[str, float]], None],
    ) -> Training:
        budget, last_save = self.settings.options.steps, -CHECKPOINT_SECONDS
        with patience() as self.asked_to_stop:
            try:
                for steps, marks, policy in evaluations(
                    self.settings, self.graph, self.learner, self.record,
                    done=self.done, seconds=self.seconds_before, between=self.after_a_chunk,
                ):  # fmt: skip
                    self.done = steps
                    self.show_progress()
                    log(steps, self.values(marks))
                    on_evaluation(steps, marks, policy)
                    if time.monotonic() - last_save >= CHECKPOINT_SECONDS and steps < budget:
                        self.write(finished=False)
                        last_save = time.monotonic()
            except Exception:
                self.write(finished=False, checkpointed=False)  # the curve until then; the learner may be half changed
                raise
        return self.finish()

    def after_a_chunk(self, steps: int, seconds: float) -> None:
        self.pace.learned(steps - self.done, seconds)
        self.done = steps
        self.show_progress()
        if self.asked_to_stop() and steps < self.settings.options.steps:
            self.write(finished=False)
            raise Interrupted

    def show_progress(self) -> None:
        if self.record.grades:
            options, marks = self.settings.options, self.record.grades[-1]
            left = self.pace.left(options.steps - self.done, options.evaluations - len(self.record.grades))
            done = min(self.done, options.steps)  # a learner may take steps by the thousand
            self.show(Progress(done, options.steps, self.rate(), left, marks, self.critical))

    def rate(self) -> float:
        return (self.done - self.begun_at) / max(time.monotonic() - self.began, 1e-9)

    def values(self, marks: Grade) -> dict[str, float]:
        """All numbers of an evaluation, by the tags that SB3's users know and exact/..."""
        exact = {f"exact/{name}": float(value) for name, value in vars(marks).items()}
        return {"time/fps": self.rate(), "time/total_timesteps": self.done, **exact, **self.learner.metrics()}

    def finish(self) -> Training:
        policy, (files, numbers) = self.learner.policy(), self.learner.artifacts()
        if taken := sorted({*files} & OURS):
            raise Mistake(f"{self.settings.agent}: artifacts returned the file {taken[0]}, which every run has already")
        known: dict[str, Any] = {name: number for name, number in numbers.items() if name in FACTS}
        known |= {"agent": self.settings.agent, "seed": self.settings.seed, "steps": self.done}
        card = replace(scorecard(self.graph, policy), **known | self.record.milestones())
        last: dict[str, str | bytes] = {"policy.npz": packed(policy.arrays()), **files}
        last["scorecard.json"] = card.to_json()
        facts_of_others = {name: number for name, number in numbers.items() if name not in FACTS}
        self.write(finished=True, last=last, facts=facts_of_others)
        return Training(self.settings, card, policy, self.record.columns())

    def write(
        self,
        *,
        finished: bool,
        checkpointed: bool = True,
        last: Mapping[str, str | bytes] | None = None,
        facts: Mapping[str, float] | None = None,
    ) -> None:
        """The files of the run as it stands."""
        if self.run is None:
            return
        seconds = self.seconds_before + time.monotonic() - self.began
        files: dict[str, str | bytes] = {}
        if checkpointed and resumable(type(self.learner)):
            standing = Standing(self.learner, self.record, self.done, seconds)
            files |= checkpoint(self.settings, self.graph, standing)
        origin = self.settings.options.origin
        about: dict[str, Any] = {"facts": dict(facts)} if facts else {}
        about |= {"agent_file": origin.path, "agent_sha256": origin.digest} if origin else {}
        files["curve.csv"] = self.record.curve()
        files["timing.csv"] = self.record.timing()
        files["snapshots.npz"] = packed(self.record.snapshots())
        files["provenance.json"] = provenance(self.settings, self.graph.checksum, seconds, finished, **about)
        if finished:
            self.run.finish(self.settings, {**files, **(last or {})})
        else:
            self.run.write(files)


def _read(run: Run, settings: Settings, graph: GameGraph) -> Training | None:
    """What a finished run holds; None where its files do not prove it, and its end has to be made again."""
    proof = prove(run.path, graph)
    if proof.good and proof.card is not None and proof.policy is not None:
        curve = read_curve(read_text(run.path / "curve.csv"))
        return Training(settings, proof.card, proof.policy, curve)
    why = proof.faults[0] if proof.faults else f"{run.path}: {proof.edited[0]} is not as the run left it"
    print(one_line(f"{why}; made again from the last checkpoint"), file=sys.stderr)
    run.reopen()
    return None
