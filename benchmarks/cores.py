"""What a second core is worth to the solver, with the same bytes; and a game of 10^9 moves within memory.

    python benchmarks/cores.py && python -m docs.make.benchmarks cores

writes docs/measured/benchmarks/cores.json, and the page made from it. Wall seconds, on a machine with nothing else to
do; every measurement runs in a process of its own, with one core and with all of them in turns.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SOLVER = runpy.run_path(str(ROOT / "benchmarks" / "solver.py"))  # its families, and how it reads memory
FAMILIES = ("race", "no-repeat", "sequence", "append-digit")
PARTS = ("compile", "solve", "certify")


def measure(family: str, pairs: int) -> dict[str, Any]:
    """One round in this process: wall seconds of each part, peak memory, and the digest of every array."""
    from base.slabs import cores
    from games import compile_rulebook, make_rulebook
    from solver import certify, solve

    warm = compile_rulebook(make_rulebook("fifty-wins", target=3_000))
    certify(warm, solve(warm))
    marks = [perf_counter()]
    graph = compile_rulebook(SOLVER["book"](family, pairs), max_states=pairs // 4)
    marks.append(perf_counter())
    solution = solve(graph)
    marks.append(perf_counter())
    faults = certify(graph, solution)
    marks.append(perf_counter())
    assert not faults, faults
    digest = hashlib.sha256()
    for array in (graph.positions, graph.next_state, solution.value, solution.remoteness, solution.keeps):
        digest.update(memoryview(array).cast("B"))
    seconds = {part: after - before for part, before, after in zip(PARTS, marks[:-1], marks[1:], strict=True)}
    return seconds | {
        "cores": cores(),
        "pairs": int(graph.next_state.size),
        "states": graph.num_states,
        "peak_mb": SOLVER["peak_megabytes"](),
        "digest": digest.hexdigest(),
    }


def ask(family: str, pairs: int, processors: set[int]) -> dict[str, Any]:
    """The same in a fresh process, on these cores."""
    answer = subprocess.run(
        [sys.executable, __file__, "--one", family, str(pairs)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, processors),
    )
    record: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return record


def compared(family: str, pairs: int, rounds: int) -> dict[str, Any]:
    """One core and all cores in turns; medians, and whether all arrays had the same bytes every time."""
    every = os.sched_getaffinity(0)
    ways = {"one": {min(every)}, "all": every}
    records: dict[str, list[dict[str, Any]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, processors in ways.items():
            records[name].append(ask(family, pairs, processors))
    both = [*records["one"], *records["all"]]
    return {
        "family": family,
        "title": SOLVER["FAMILIES"][family],
        "pairs": both[0]["pairs"],
        "states": both[0]["states"],
        "same_bytes": len({record["digest"] for record in both}) == 1,
        **{
            name: {key: median(record[key] for record in runs) for key in (*PARTS, "peak_mb")}
            for name, runs in records.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the solver on one core and on all, and writes JSON.")
    parser.add_argument("--pairs", type=float, default=1e8, help="state-action pairs of the comparison (default: 1e8)")
    parser.add_argument("--largest", type=float, default=1e9, help="pairs of the one large game (default: 1e9)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (default: 3)")
    parser.add_argument("--one", nargs=2, metavar=("FAMILY", "PAIRS"), help="one measurement (used inside)")
    args = parser.parse_args()
    if args.one is not None:
        print(json.dumps(measure(args.one[0], int(args.one[1]))))
        return
    smaller, larger = (ask("race", int(size), os.sched_getaffinity(0)) for size in (args.largest / 10, args.largest))
    record = {
        "made": SOLVER["machine"](),
        "cores": len(os.sched_getaffinity(0)),
        "rounds": args.rounds,
        "families": [compared(family, int(args.pairs), args.rounds) for family in FAMILIES],
        "large": [smaller, larger],
    }
    SOLVER["store"]("cores", record)


if __name__ == "__main__":
    main()
