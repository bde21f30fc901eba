"""Opens damaged files, with little memory and little time: python -m tests.fuzz.worker FOLDER FIRST COUNT KIND ...

Each case is named by its kind and seed. What is neither opened rightly nor refused is told with its traceback.
"""

from __future__ import annotations

import faulthandler
import random
import resource
import shutil
import signal
import sys
import traceback
from pathlib import Path

from arena import recording
from base.mistake import Mistake
from games import graph
from tests.fuzz.kinds import KINDS
from tests.fuzz.mutate import damaged
from training.sweeps import plan

MEMORY = 1 << 30  # bytes more than what stands when all libraries are loaded
SECONDS, WAITING = 20, 600  # of work, and by the clock, for one file; then the worker is ended, and says where it was
LONGEST = 3_000  # characters of a refusal


def main(folder: Path, first: int, count: int, names: list[str]) -> int:
    # What is refused for its size is refused sooner, so that a case takes no seconds.
    plan.MOST_RUNS, recording.LARGEST_GAME = 2_000, 5_000
    graph.MAX_STATES, graph.MAX_STATES_ON_INTS, graph.PAIRS_PER_STATE = 20_000, 5_000, 100
    faulthandler.register(signal.SIGXCPU, chain=True)
    faults = 0
    for name in names:
        kind = KINDS[name]
        true, place = folder / name / "true", folder / name / "damaged"
        true.mkdir(parents=True)
        kind.make(true)
        good = (true / kind.file).read_bytes()
        shutil.copytree(true, place)
        kind.open(place)  # undamaged, it is right
        _limit_memory()
        refused = 0
        for seed in range(first, first + count):
            (place / kind.file).write_bytes(damaged(good, random.Random(f"{name} {seed}")))
            (folder / "now").write_text(f"{name} {seed}")
            _limit_time()
            try:
                kind.open(place)
            except Mistake as mistake:
                refused += 1
                if len(str(mistake)) > LONGEST:
                    faults += 1
                    print(f"{name} {seed}: a refusal of {len(str(mistake))} characters")
            except BaseException:
                faults += 1
                print(f"{name} {seed}: {traceback.format_exc()}", flush=True)
            finally:
                faulthandler.cancel_dump_traceback_later()
        print(f"{name}: {count} opened, {refused} refused", flush=True)
    print(f"{faults} faults")
    return int(faults > 0)


def _limit_time() -> None:
    used, (_, most) = resource.getrusage(resource.RUSAGE_SELF), resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + SECONDS, most))
    faulthandler.dump_traceback_later(WAITING, exit=True)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))


if __name__ == "__main__":
    folder, first, count, *names = sys.argv[1:]
    sys.exit(main(Path(folder), int(first), int(count), names or list(KINDS)))
