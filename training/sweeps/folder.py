"""A sweep on disk: a folder of run directories, what became of each, and the tables made of them.

sweeps/NAME/
  sweep.toml        the file it was made from
  runs.csv          every run that it asks for, with a digest of its settings; compared when a sweep is gone on with
  GAME/AGENT/seed-N the runs: ordinary run directories
  status/           GAME/AGENT/seed-N.json: running, finished (with CPU seconds) or failed (with the error)
  summary.csv      one row per run: the same bytes however often the sweep was stopped, and wherever it ran
  times.csv         one row per run: seconds; never compared
  provenance.json   commit, versions and machine, as the runs tell it, and the command
  lock              held by the process that leads the sweep
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from base.files import write_together
from base.manifest import edited
from base.mistake import Mistake
from training.run import Run
from training.sweeps import tables
from training.sweeps.plan import Task

AGAIN = "make room, and start the sweep once more"
BEGUN = {"lock", "sweep.toml", "sweep.toml.partial", "runs.csv.partial"}  # what a kill may leave before there are runs


@dataclass(frozen=True)
class State:
    """A sweep at one moment, as the disk tells it."""

    runs: int
    finished: int
    running: int
    failed: int
    seconds_left: float | None  # None: nothing to judge by yet


class Sweep:
    """The folder of a sweep and its runs."""

    def __init__(self, path: str | Path, tasks: Sequence[Task]) -> None:
        self.path, self.tasks = Path(path).absolute(), list(tasks)  # absolute: workers may stand elsewhere
        self.seconds: dict[str, float] = {}  # of the finished runs that were looked at

    @contextmanager
    def held(self, source: str) -> Iterator[None]:
        """Make or take over the folder for these runs and no others, and keep other sweeps out."""
        from filelock import FileLock, Timeout

        listed = tables.table([_listed(task) for task in self.tasks])
        file = self.path / "runs.csv"
        if file.is_file():
            if (stored := file.read_text(encoding="utf-8", errors="replace")) != listed:
                ours, theirs = listed.splitlines(), stored.splitlines()
                line = next((line for line in ours if line not in theirs), None)
                odd = line or next((line for line in theirs if line not in ours), "the same runs in another order")
                label_and_run = " ".join(filter(None, next(csv.reader([odd]))[:2]))
                difference = f"{'has no' if line else 'has'} {label_and_run}"
                if line and line.rpartition(",")[0] in {other.rpartition(",")[0] for other in theirs}:
                    difference = f"has {label_and_run} with other settings or another version of its learner"
                raise Mistake(
                    f"{self.path}: made from another sweep file (it {difference}); move it away or choose --out"
                )
        elif self.path.exists() and not (self.path.is_dir() and {item.name for item in self.path.iterdir()} <= BEGUN):
            raise Mistake(f"{self.path}: not a sweep (no runs.csv in it); move it away or choose --out")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path / "lock", timeout=0)
            lock.acquire()
        except Timeout:
            raise Mistake(f"{self.path}: another sweep.py is at work here; wait for it, or choose --out") from None
        except OSError as error:
            raise Mistake(f"{self.path}: cannot be written ({error.strerror}); choose another --out") from error
        try:
            self.write({"sweep.toml": source, "runs.csv": listed})  # a folder with the last is a sweep
            yield
        finally:
            lock.release()

    def write(self, files: Mapping[str, str]) -> None:
        write_together({self.path / name: text.encode() for name, text in files.items()}, AGAIN)

    def status(self, task: Task) -> dict[str, Any]:
        """{"status": finished, failed, running or waiting, ...}; a scorecard decides, whatever else is written."""
        state = tables.read_json(self.path / "status" / f"{task.name}.json")
        if Run(self.path / task.name).finished:
            return {**state, "status": "finished"} if state.get("status") == "finished" else {"status": "finished"}
        return state if state.get("status") in ("failed", "running") else {"status": "waiting"}

    def doubt(self) -> None:
        """Take back that a run has finished whose files are not as it left them: it goes on from its checkpoint."""
        for task in self.tasks:
            run = Run(self.path / task.name)
            if run.finished and edited(run.path):
                print(f"{run.path}: is not as the run left it; made again", file=sys.stderr)
                with run.locked():
                    run.reopen()

    def tell(self, task: Task, **status: Any) -> None:
        """Whole or absent, but not synced: what a crash of the machine loses here is only tried once more."""
        file = self.path / "status" / f"{task.name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        write_together({file: json.dumps(status, indent=2).encode() + b"\n"}, AGAIN, synced=False)

    def forget(self, task: Task) -> None:
        (self.path / "status" / f"{task.name}.json").unlink(missing_ok=True)

    def state(self, workers: int) -> State:
        counts, waiting = {"finished": 0, "failed": 0, "running": 0, "waiting": 0}, []
        for task in self.tasks:
            status = "finished" if task.name in self.seconds else self.status(task)["status"]
            counts[status] += 1
            if status == "finished" and task.name not in self.seconds:
                told = tables.read_json(self.path / task.name / "provenance.json").get("seconds")
                self.seconds[task.name] = float(told) if isinstance(told, int | float) else 0.0
            elif status in ("running", "waiting"):
                waiting.append(task)
        done = counts["finished"]
        return State(len(self.tasks), done, counts["running"], counts["failed"], self._left(waiting, workers))

    def _left(self, waiting: Sequence[Task], workers: int) -> float | None:
        """By the budgets: each agent at the pace of its finished runs."""
        paces: dict[str, list[float]] = {}
        for task in self.tasks:
            if task.name in self.seconds:
                paces.setdefault(task.settings.agent, []).append(self.seconds[task.name] / task.settings.options.steps)
        if not waiting or not paces:
            return 0.0 if not waiting else None
        slowest = max(sum(pace) / len(pace) for pace in paces.values())
        left = 0.0
        for task in waiting:
            pace = paces.get(task.settings.agent, [slowest])
            left += task.settings.options.steps * sum(pace) / len(pace)
        return left / max(min(workers, len(waiting)), 1)

    def begin(self, command: str, workers: int) -> None:
        self.write({"provenance.json": json.dumps({"command": command, "workers": workers}, indent=2) + "\n"})

    def write_tables(self, parquet: bool = False) -> list[tables.Row]:
        """summary.csv, times.csv, and what the runs tell of where they come from; the rows of the first."""
        status = {task.name: self.status(task) for task in self.tasks}
        status = {name: state for name, state in status.items() if state["status"] in ("finished", "failed")}
        rows = tables.results(self.path, self.tasks, status)
        begun = tables.read_json(self.path / "provenance.json")
        origin = begun | tables.origin(self.path, self.tasks)
        self.write(
            {
                "summary.csv": tables.table(rows),
                "times.csv": tables.table(tables.times(self.path, self.tasks, status)),
                "provenance.json": json.dumps(origin, indent=2) + "\n",
            }
        )
        if parquet:
            tables.write_parquet(self.path / "summary.parquet", rows)
        return rows


def _listed(task: Task) -> tables.Row:
    digest = hashlib.sha256(task.settings.toml().encode()).hexdigest()[:16]
    return {"label": task.label, "run": task.name, "settings": digest}
