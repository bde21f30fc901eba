"""Many runs, side by side: on the cores of this machine, or on Ray. The folders on disk are the truth.

One exception ends a whole joblib `Parallel`, so each run catches its own and writes it down. A worker that dies (out of
memory, a crash in native code) ends it too: then whoever was at work is tried once more, alone, and the rest goes on.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from base.mistake import Mistake
from training.run import Run
from training.sweeps.folder import State, Sweep
from training.sweeps.plan import Task

LOCK_SECONDS = 120.0  # how long a worker waits for a run that an orphan of a killed sweep may still hold
PARENT_SECONDS = 0.25  # between two looks of a worker at whether its sweep is still there
STARTS = 3  # of workers on Ray that may die before their first run
ANSWER_SECONDS = 10.0  # how long a cluster may take to answer
LOOK_SECONDS = 0.5  # between two looks at the disk


def carry_out(
    sweep: Sweep,
    workers: Workers,
    *,
    command: str = "",
    retry_failed: bool = False,
    show: Callable[[State], None] = lambda state: None,
) -> None:
    """Bring every run to its end that has not one; what failed stays so unless told otherwise."""
    sweep.doubt()
    for task in sweep.tasks:
        status = sweep.status(task)["status"]
        if status == "running" or (status == "failed" and retry_failed):
            sweep.forget(task)
    todo = [task for task in sweep.tasks if sweep.status(task)["status"] == "waiting"]
    if todo:
        sweep.begin(command, workers.count)
    starts = 0  # that came to nothing
    with _watched(sweep, workers.count, show):
        while todo:
            try:
                workers.run(sweep, todo)
            except (KeyboardInterrupt, Mistake):
                raise
            except Exception as crash:
                suspects = [task for task in todo if sweep.status(task)["status"] == "running"]
                starts = 0 if suspects else starts + 1
                if not workers.alive() or (workers.backend == "ray" and starts > STARTS):
                    for task in suspects:
                        sweep.forget(task)
                    what_now = "start the sweep once more, and it goes on where it stopped"
                    raise Mistake(f"sweep.py: Ray lost its workers ({type(crash).__name__}); {what_now}") from None
                if not suspects and workers.backend != "ray":
                    raise
                for task in suspects:
                    _tried_alone(sweep, workers, task)
                print(f"a worker died ({type(crash).__name__}); went on without it", file=sys.stderr)
            todo = [task for task in todo if sweep.status(task)["status"] == "waiting"]


def _tried_alone(sweep: Sweep, workers: Workers, task: Task) -> None:
    try:
        workers.run(sweep, [task])
    except (KeyboardInterrupt, Mistake):
        raise
    except Exception as crash:
        error = f"its worker died twice ({type(crash).__name__}); out of memory, or a crash in native code"
        sweep.tell(task, status="failed", error=error, traceback="")


@dataclass(frozen=True)
class Workers:
    """How many processes, and who runs them."""

    count: int
    backend: str = "local"

    def alive(self) -> bool:
        """Whether there is a machine left to work on."""
        if self.backend != "ray":
            return True
        import ray

        try:
            return any(node["Alive"] for node in ray.nodes())  # type: ignore[no-untyped-call]
        except Exception:  # nobody answers
            return False

    def run(self, sweep: Sweep, tasks: Sequence[Task]) -> None:
        from joblib import Parallel, delayed, parallel_config

        here = os.getpid() if self.backend == "local" else None
        if self.count == 1:
            place: Any = nullcontext()
        elif self.backend == "local":
            place = parallel_config(backend="loky", inner_max_num_threads=1)
        else:
            place = parallel_config(backend="ray")
        with place:
            # One run at a time: a batch would be lost together, and joblib's guess at sizes needs equal runs.
            Parallel(n_jobs=self.count, batch_size=1)(delayed(work)(str(sweep.path), task, here) for task in tasks)


@contextmanager
def on_this_machine(jobs: int | None) -> Iterator[Workers]:
    from joblib import cpu_count

    yield Workers(jobs or cpu_count())


@contextmanager
def on_ray(jobs: int | None, address: str | None) -> Iterator[Workers]:
    """Joins the cluster at that address, or starts Ray on this machine for as long as the block lasts."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray's own warning asks for it
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError as error:
        raise Mistake("sweep.py: --backend ray needs Ray; install it with: pip install 'perfect-play[ray]'") from error
    from joblib import cpu_count

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is not None:
        _answers(address)
    try:
        if address is None:
            ray.init(address="local", num_cpus=jobs or cpu_count(), include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except Exception as error:  # Ray raises nothing more special where one of its processes dies at its start
        ray.shutdown()
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        what_now = "is it running, and is its token (RAY_AUTH_TOKEN) known here?" if address else "try once more"
        raise Mistake(f"sweep.py: cannot join Ray at {address or 'this machine'} ({why}); {what_now}") from None
    try:
        register_ray()  # type: ignore[no-untyped-call]
        resources = ray.cluster_resources()  # type: ignore[no-untyped-call]
        yield Workers(jobs or max(int(resources.get("CPU", 1)), 1), "ray")
    finally:
        ray.shutdown()


def _answers(address: str) -> None:
    """Ray itself tries for ten minutes before it gives up."""
    import socket

    host, colon, port = address.rpartition(":")
    if address == "auto":
        return
    if not colon or not host or not port.isdecimal() or "/" in host:
        raise Mistake(f"sweep.py: --address {address} is not HOST:PORT, nor auto for the cluster of this machine")
    try:
        socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise Mistake(f"sweep.py: nobody answers at --address {address} ({error}); start Ray there first") from None


def work(folder: str, task: Task, leader: int | None) -> None:
    """One run, in a worker: whatever happens to it is written down, and nothing is raised but Ctrl-C."""
    _be_a_worker(leader)
    from training.loop import train  # a worker that stays warm pays for it once

    sweep, run = Sweep(folder, []), Run(Path(folder) / task.name)
    begun_before = run.path.exists()
    sweep.tell(task, status="running", process=os.getpid())
    try:
        import_module(task.settings.options.learner.partition(":")[0])  # the first run of a worker does not pay for it
        began = time.process_time()
        if begun_before:
            _wait_for(run)
        train(task.settings, run, resume=begun_before)
        cpu = None if begun_before else round(time.process_time() - began, 3)
        sweep.tell(task, status="finished", cpu_seconds=cpu)
    except KeyboardInterrupt:
        sweep.forget(task)
        raise
    except Exception as error:
        complaint = " ".join(f"{type(error).__name__}: {error}".split()).removeprefix("Mistake: ")
        sweep.tell(task, status="failed", error=complaint, traceback=traceback.format_exc())


def _wait_for(run: Run) -> None:
    """An orphan of a killed sweep may hold the run for a moment."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(run.path / "lock", timeout=LOCK_SECONDS):
            pass
    except (Timeout, OSError):
        return  # training will say what is wrong


def _be_a_worker(leader: int | None) -> None:
    """One thread for native code; Ctrl-C is the leader's affair; and no work for a leader who is gone."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    if leader is None or leader == os.getpid() or any(thread.name == "leader" for thread in threading.enumerate()):
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave() -> None:
        while os.getppid() == leader:
            time.sleep(PARENT_SECONDS)
        os._exit(1)

    threading.Thread(target=leave, name="leader", daemon=True).start()


@contextmanager
def _watched(sweep: Sweep, workers: int, show: Callable[[State], None]) -> Iterator[None]:
    """Shows the state of the disk from time to time, in a thread of its own, and once more at the end."""
    over = threading.Event()

    def watch() -> None:
        while True:
            began = time.monotonic()
            show(sweep.state(workers))
            # A large sweep on a slow disk must not spend its time on looking.
            if over.wait(max(LOOK_SECONDS, 20 * (time.monotonic() - began))):
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        show(sweep.state(workers))
