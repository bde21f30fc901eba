"""The page about scale: python -m docs.make.scale > docs/measured/scale.md. Its arithmetic is done here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from base.command import Parser, run
from base.mistake import Mistake
from games.graph import MAX_STATES

MEASURED = Path(__file__).parents[1] / "measured" / "benchmarks_solver.md"
MOVES, FIELDS = 10, 1  # of the race that is measured
SIZES = (10**8, 10**9, 10**10, 10**12)  # pairs
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}

SWEEPS = """# Scale

## Many runs

    python sweep.py configs/sweeps/record.toml               # one worker for each core of this machine
    python sweep.py configs/sweeps/record.toml --jobs 8      # or as many as you say

How a sweep file is written stands at the top of `training/sweeps/plan.py`; `configs/sweeps` has examples. Stop a sweep
when you like, with Ctrl-C or `kill -9`, and start it again with the same command: finished runs are never repeated,
half ones go on from their checkpoint, and `summary.csv` has the same bytes as if nothing had happened. A run that fails
is written down with its error and stops no other; `--retry-failed` tries it again. Each worker stays up for all its
runs and uses one thread.

On a cluster the same command runs on Ray (`pip install 'perfect-play[ray]'`):

    ray start --head --port 6379                             # on one machine
    ray start --address HEAD:6379                            # on each other one
    python sweep.py configs/sweeps/record.toml --backend ray --address HEAD:6379 --out /shared/sweeps

- The run directories are the truth, also for progress: `--out` must be a folder that every machine sees at the same
  path, and so must the clone with its `.venv`. Locks and renames must work there as they do on a local disk.
- Ray 2.59 and later may ask for a token: give every machine, and the one that leads the sweep, the same RAY_AUTH_MODE
  and RAY_AUTH_TOKEN, as Ray's page on token authentication says.
- Start it on a machine of the cluster. Without `--address` Ray is started on this machine and stopped at the end.
- Local workers and Ray give the same bytes; a test holds that on one machine. Different processors may round the last
  bits of a network differently; how exactly the result is measured does not change.
- Without Ray: one sweep file for each machine, with other seeds.

What a run needs in seconds, memory and disk `python benchmarks/sweep.py` measures on your machine. A sweep is a list
of independent runs, so it scales with the cores as long as the disk keeps up: some ten small files per run, and a
checkpoint a second and run at most. Joining a running cluster has been tried, on one machine; more machines have not.

## Large games

A graph and its solution are six arrays. With S states, A actions and F fields, in bytes: `next_state` 4 S A, `keeps`
S A, `positions` 4 S F, `remoteness` 4 S, `value` S, `critical` S. A pair is one (state, action). For a race with
{moves} moves and {fields} field that makes {each:.1f} bytes a pair, and time is linear in pairs too. Measured on one
core ([benchmarks_solver.md](benchmarks_solver.md)): {pairs:,} pairs, {states:,} states, compile {compile:.1f} s,
solve {solve:.2f} s, certify {certify:.1f} s, peak {peak:.0f} MB with Python and numba. The rest of the table is
arithmetic from that row.
"""

WAYS = """
What it would take to go further. Nothing of this is built:

1. **File-backed arrays.** `next_state` as a memory map, written slab by slab by the compiler ({writes:.0f} MB/s at the
   measured pace) and read once, backward, by the solver ({reads:.0f} MB/s): both in order, so a solid-state disk keeps
   up. Only values and remoteness of the slabs that moves lead into have to be in memory. Where a graph has cycles,
   retrograde analysis jumps about: its predecessor lists (4 more bytes a pair) and counters must be in memory, or be
   sorted by target and worked off in rounds, one for each ply of the longest win.
2. **64-bit states.** `next_state` is int32, enough for {limit:,} states. Beyond, 8 bytes a pair, or state numbers
   relative to a slab.
3. **Partition by total.** In a race a move leads at most `largest` totals ahead. A slab of totals can be compiled
   without any other, certified with the values of the next `largest` totals beside it, and solved once the slab after
   it is. So compiling and certifying are one Ray task for each slab, in any order, on any machine; only the backward
   solving goes from slab to slab. That is {share:.0%} of the work, so at most {most:.0f} times as fast, however many
   machines there are.
4. **No arrays at all.** The rule is pure, so a slab can be played again instead of read: values alone are 2 bits a
   state, {bits:.0f} GB for the last row. That trades the disk for {compile:.1f} s of one core per {pairs:,} pairs and
   pass."""


@dataclass(frozen=True)
class Measured:
    """The largest race of the solver's benchmark."""

    pairs: int
    states: int
    compile: float  # seconds on one core
    solve: float
    certify: float
    peak: float  # MB

    @property
    def seconds(self) -> float:
        return self.compile + self.solve + self.certify


def measured(page: Path = MEASURED) -> Measured:
    """Read from the benchmark's own page."""
    table = page.read_text(encoding="utf-8").partition("### A race:")[2].partition("###")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line]
    rows = [row for row in rows if re.fullmatch(r"[\d,]+", row[0])]
    if not rows:
        raise Mistake(f"{page}: has no table of a race; make it anew with: python benchmarks/solver.py")
    row = rows[-1]
    compile, solve, certify = (float(cell.split()[0]) * UNITS[cell.split()[1]] for cell in row[2:5])
    pairs, states = (int(cell.replace(",", "")) for cell in row[:2])
    return Measured(pairs, states, compile, solve, certify, float(row[7]))


def bytes_per_pair(pairs: int, moves: int = MOVES, fields: int = FIELDS) -> float:
    """Of the graph and its solution: next_state, positions; value, remoteness, keeps, critical."""
    index = 4 if pairs / moves < 2**31 else 8
    return index + 1 + (4 * fields + 1 + 4 + 1) / moves


def page() -> Iterator[str]:
    race, last = measured(), SIZES[-1]
    numbers = vars(race) | {
        "moves": MOVES,
        "fields": FIELDS,
        "each": bytes_per_pair(race.pairs),
        "writes": 4 * race.pairs / race.compile / 1e6,
        "reads": 4 * race.pairs / race.solve / 1e6,
        "limit": 2**31,
        "share": race.solve / race.seconds,
        "most": race.seconds / race.solve,
        "bits": last / MOVES * 2 / 8 / 1e9,
    }
    yield SWEEPS.format(**numbers)
    yield "| pairs | states | arrays | compile | solve | certify | on one core | where it stops |"
    yield "|---:|---:|---:|---:|---:|---:|---:|---|"
    for pairs in SIZES:
        parts = (race.compile, race.solve, race.certify, race.seconds)
        times = [_time(part * pairs / race.pairs) for part in parts]
        cells = [_power(pairs), _power(pairs // MOVES), _size(pairs * bytes_per_pair(pairs)), *times, _stop(pairs)]
        yield f"| {' | '.join(cells)} |"
    yield WAYS.format(**numbers)


def _power(number: int) -> str:
    return f"10^{len(str(number)) - 1}"


def _stop(pairs: int) -> str:
    states = pairs // MOVES
    if states >= 2**31:
        return "32-bit state numbers"
    if states > MAX_STATES:
        return f"`max_states` ({MAX_STATES:,}), a guard that can be raised; then memory"
    return "nowhere: measured"


def _size(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size < 1e12 else f"{size / 1e12:.1f} TB"


def _time(seconds: float) -> str:
    return (
        f"{seconds:.1f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def main() -> int:
    Parser(prog="python -m docs.make.scale", description=(__doc__ or "").splitlines()[0]).parse_args()
    print("\n".join(page()))
    return 0


if __name__ == "__main__":
    run(main)
