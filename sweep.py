"""Train many agents: python sweep.py configs/sweeps/smoke.toml"""

from __future__ import annotations

import sys
from pathlib import Path

from base.command import Parser, again, prog, run, spelled
from base.mistake import Mistake


def parser() -> Parser:
    arguments = Parser(
        prog=prog("sweep"),
        description="Trains every run that a sweep file asks for, side by side, and writes one table of them. Started "
        "again, it goes on where it stopped: a finished run is never repeated.",
        allow_abbrev=False,
    )
    add = arguments.add_argument
    add("file", nargs="?", metavar="FILE", help="a sweep file, or the name of one in configs/sweeps")
    add("--out", metavar="DIR", default="sweeps", help="the sweep is written below it (default: sweeps)")
    add("--backend", choices=["local", "ray"], default="local", help="who runs the workers (default: local)")
    add("--address", metavar="HOST:PORT", help="a running Ray cluster, or auto; without it Ray is started here")
    add("--jobs", metavar="N", help="how many workers (default: one for each core)")
    add("--retry-failed", action="store_true", help="try the failed runs once more")
    add("--parquet", action="store_true", help="write the summary as Parquet too")
    add("--quiet", action="store_true", help="print nothing but errors")
    return arguments


def main() -> int:
    args = parser().parse_args()
    if args.file is None:
        from training.sweeps.plan import SWEEPS

        print(f"{prog('sweep')} needs a sweep file, or the name of one of ours:")
        for file in sorted(SWEEPS.glob("*.toml")):
            first = file.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
            print(f"  {spelled('sweep', file.stem):35} {first}")
        return 0
    if args.jobs is not None and not (args.jobs.isdecimal() and 1 <= int(args.jobs) <= 100_000):
        raise Mistake(f"{prog('sweep')}: --jobs {args.jobs} is no number of workers; write 1 or more")
    if args.address is not None and args.backend != "ray":
        raise Mistake(f"{prog('sweep')}: --address names a Ray cluster; add --backend ray")

    from training import display
    from training.sweeps import tables
    from training.sweeps.folder import Sweep
    from training.sweeps.plan import plan_file, read_plan
    from training.sweeps.workers import carry_out, on_ray, on_this_machine

    if args.parquet:
        tables.need_polars()
    file, jobs = plan_file(args.file), int(args.jobs) if args.jobs else None
    sweep = Sweep(Path(args.out) / file.stem, read_plan(file))
    this = again("sweep")
    with sweep.held(file.read_text(encoding="utf-8")):
        try:
            with (
                on_ray(jobs, args.address) if args.backend == "ray" else on_this_machine(jobs) as workers,
                display.display_sweep(quiet=args.quiet) as show,
            ):
                carry_out(sweep, workers, command=this, retry_failed=args.retry_failed, show=show)
        except KeyboardInterrupt:
            sweep.write_tables(args.parquet)
            print(f"stopped, and saved in {sweep.path}; go on with: {this}", file=sys.stderr)
            return 130
        rows = sweep.write_tables(args.parquet)
    failed = [row for row in rows if row["status"] != "finished"]
    for row in failed[:20]:
        print(f"failed: {row['run']}: {row['error']}", file=sys.stderr)
    if failed:
        more = () if args.retry_failed else ("--retry-failed",)
        retry = again("sweep", more=more)
        print(f"{len(failed)} of {len(rows)} runs failed; try them again with: {retry}", file=sys.stderr)
    if not args.quiet:
        perfect = sum(row["perfect"] is True for row in rows)
        print(f"{len(rows) - len(failed)} of {len(rows)} runs finished, {perfect} of them perfect")
        print(f"table  {sweep.path / 'summary.csv'}\nnext   {spelled('evaluate', str(sweep.path))}")
    return int(bool(failed))


if __name__ == "__main__":
    run(main)
