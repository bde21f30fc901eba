"""How much two workers are worth, what a sweep costs on top of its runs, and what a run needs.

    python benchmarks/sweep.py && python -m docs.make.benchmarks sweep

Wall time, this machine, nothing pinned: leave it alone meanwhile. The same runs in four ways: one after another in a
plain loop of `train`, as a sweep in this process (`--jobs 1`), and as a sweep on two workers, cold (processes start,
numba and torch are loaded) and warm. Each way in turn, several times; the least counts, for what disturbs only adds.
"""

from __future__ import annotations

import argparse
import os
import resource
import runpy
import sys
import tempfile
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from training.loop import train  # noqa: E402
from training.run import Run  # noqa: E402
from training.sweeps.folder import Sweep  # noqa: E402
from training.sweeps.plan import Task, read_plan  # noqa: E402
from training.sweeps.workers import Workers, carry_out  # noqa: E402

SOLVER = runpy.run_path(str(ROOT / "benchmarks" / "solver.py"))  # what machine this is, and where results go
WORKERS = 2
STUDIES = {
    "shortest: q-learning, 1,000 updates": 'agent = "q-learning"\nsettings = {steps = 1_000, evaluations = 1}',
    "short: q-learning as it is": 'agent = "q-learning"',
    "longer: q-learning, 30 million updates": 'agent = "q-learning"\nsettings.steps = 30_000_000',
    "PPO as it is": 'agent = "ppo"',
}


def plan(folder: Path, text: str, first: int, runs: int) -> list[Task]:
    file = folder / "study.toml"
    file.write_text(f'env = "number-flip"\nseeds = "{first}-{first + runs - 1}"\n{text}\n', encoding="utf-8")
    return read_plan(file)


def plain(folder: Path, tasks: list[Task]) -> float:
    began = monotonic()
    for task in tasks:
        train(task.settings, Run(folder / task.name))
    return monotonic() - began


def swept(folder: Path, tasks: list[Task], workers: int) -> float:
    sweep = Sweep(folder, tasks)
    began = monotonic()
    with sweep.held("benchmark"):
        carry_out(sweep, Workers(workers))
        rows = sweep.write_tables()
    took = monotonic() - began
    assert all(row["status"] == "finished" for row in rows)
    return took


def size(folder: Path) -> int:
    """Bytes that the files take on disk, in whole blocks."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def study(text: str, runs: int, times: int) -> tuple[list[float], float]:
    """The least seconds of each of the four ways, and kB on disk per run."""
    from joblib.externals.loky import get_reusable_executor

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain(folder / "warm", plan(folder, text, 1000, 1))  # kernels and torch are loaded before the clock starts
        tasks, seconds = plan(folder, text, 0, runs), list[list[float]]()
        for turn in range(times):
            place = folder / str(turn)
            took = [plain(place / "plain", tasks), swept(place / "one", tasks, 1)]
            get_reusable_executor().shutdown(wait=True)
            took += [swept(place / "cold", tasks, WORKERS), swept(place / "two", tasks, WORKERS)]
            seconds.append(took)
        return [min(way) for way in zip(*seconds, strict=True)], size(folder / "0" / "plain") / runs / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, nargs=4, default=[100, 40, 20, 6], help="how many of each kind")
    parser.add_argument("--times", type=int, default=3, help="how often each way is measured")
    args = parser.parse_args()
    load, rows = os.getloadavg()[0], []
    for (name, text), runs in zip(STUDIES.items(), args.runs, strict=True):
        (loop, one, cold, warm), kilobytes = study(text, runs, args.times)
        row = {"name": name, "runs": runs, "loop": loop, "one": one, "cold": cold, "warm": warm}
        rows.append(row | {"kilobytes": kilobytes})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    facts = {"made": SOLVER["machine"](), "load": load, "cores": os.cpu_count(), "workers": WORKERS, "peak_mb": peak}
    SOLVER["store"]("sweep", facts | {"times": args.times, "rows": rows})


if __name__ == "__main__":
    main()
