"""Climb a ladder, or judge an entry: python ladder.py nim --agent q-learning; python ladder.py check ENTRY"""

from __future__ import annotations

import sys
from pathlib import Path

from agents.settings import DEFAULT_AGENT
from base.command import Parser, again, pairs, prog, run, spelled, whole_number
from base.mistake import Mistake


def parser() -> Parser:
    arguments = Parser(
        prog=prog("ladder"),
        description="Runs a ladder (configs/ladders) with an agent and writes an entry; or judges an entry again, from "
        "its policies and the certified solution alone. Started again, it goes on where it stopped.",
        allow_abbrev=False,
    )
    add = arguments.add_argument
    add("ladder", nargs="?", metavar="NAME|check", help="a ladder's name or file, or: check")
    add("entry", nargs="?", metavar="ENTRY", help="with check: the folder of an entry")
    add("--agent", metavar="WHO", default=DEFAULT_AGENT, help=f"who learns (default: {DEFAULT_AGENT})")
    add("--seeds", metavar="SEEDS", help="such as 0-9, of those of the ladder (default: all of them)")
    add("--up-to", metavar="SIZE", help="only members up to this size, where a ladder's members grow")
    add("--set", metavar="KEY=VALUE", action="append", default=[], help="a setting of the agent, for every member")
    add("--name", metavar="NAME", help="what the entry is called (default: the agent's name)")
    add("--out", metavar="DIR", default="ladders", help="runs and entries are written below it (default: ladders)")
    add("--backend", choices=["local", "ray"], default="local", help="who runs the workers (default: local)")
    add("--jobs", metavar="N", help="how many workers (default: one for each core)")
    add("--quiet", action="store_true", help="print nothing but errors")
    return arguments


def main() -> int:
    args = parser().parse_args()
    from training.ladders.ladder import SCORES, ladder_names, read_ladder

    if args.ladder is None:
        example = spelled("ladder", ladder_names()[0], "--agent", "q-learning")
        print(f"{prog('ladder')} needs a ladder: {example}")
        for name in ladder_names():
            ladder = read_ladder(name)
            print(f"  {name:12} {ladder.title}\n{'':15}score: {SCORES[ladder.score]}")
        return 0
    if args.ladder == "check":
        return _check(args.entry)
    if args.entry is not None:
        raise Mistake(f"{prog('ladder')}: {args.entry}: one ladder at a time; to judge an entry: check {args.entry}")
    if args.jobs is not None and not (args.jobs.isdecimal() and 1 <= int(args.jobs) <= 100_000):
        raise Mistake(f"{prog('ladder')}: --jobs {args.jobs} is no number of workers; write 1 or more")

    from training.display import display_sweep
    from training.ladders.entry import write_entry
    from training.sweeps.folder import Sweep
    from training.sweeps.plan import seeds_of
    from training.sweeps.workers import carry_out, on_ray, on_this_machine

    ladder = read_ladder(args.ladder)
    most = None if args.up_to is None else whole_number(args.up_to, "--up-to", 1, 10**9)
    seeds = None if args.seeds is None else tuple(seeds_of(args.seeds, "--seeds"))
    if seeds and (odd := sorted(set(seeds) - set(ladder.seeds))):
        raise Mistake(f"--seeds {args.seeds}: {odd[0]} is no seed of the ladder; take some of {ladder.seeds}")
    who = args.name or args.agent
    if "/" in who or who.startswith("."):
        raise Mistake(f"--name {who}: cannot be the name of a folder; choose letters, digits and hyphens")
    settings = pairs(args.set, "--set", "steps=1000000")
    place = Path(args.out) / ladder.name / who
    sweep = Sweep(place / "runs", ladder.tasks(args.agent, settings, seeds, most))
    jobs = int(args.jobs) if args.jobs else None
    with (
        sweep.held(ladder.source),
        on_ray(jobs, None) if args.backend == "ray" else on_this_machine(jobs) as workers,
        display_sweep(quiet=args.quiet) as show,
    ):
        try:
            carry_out(sweep, workers, command=again("ladder"), show=show)
        except KeyboardInterrupt:
            print(f"stopped, and saved in {sweep.path}; go on with: {again('ladder')}", file=sys.stderr)
            return 130
        entry = write_entry(ladder, who, sweep, place / "entry")
    missing = len(sweep.tasks) - len(entry.runs)
    if missing:
        print(f"{missing} of {len(sweep.tasks)} runs failed and are not in the entry", file=sys.stderr)
    return _check(str(place / "entry")) or int(bool(missing))


def _check(folder: str | None) -> int:
    """The judged table, and where the entry claims what is not so."""
    if folder is None:
        raise Mistake(f"{prog('ladder')} check: name the folder of an entry")
    from base.text import named
    from training.ladders.judge import judge
    from training.ladders.members import horizon

    judgement = judge(folder)
    by_member: dict[str, list[str]] = {}
    for each in judgement.runs:
        member = named(Path(each.claim.env).stem, each.claim.parameters)
        far = horizon(each.curve)
        reached = f", horizon {far or 'none'}" if each.curve and each.blunders else ""
        line = f"seed {each.claim.seed}: {each.blunders} of {each.critical} blunders{reached}"
        by_member.setdefault(member, []).append(line)
    print(f"{judgement.entry.who} on {judgement.ladder.name}: score {judgement.score}")
    for member, lines in by_member.items():
        print(f"  {member}: {'; '.join(lines)}")
    for fault in judgement.faults:
        print(f"FAULT {fault}")
    print(
        "every claim that a policy can prove is as claimed" if not judgement.faults else "this entry is not as claimed"
    )
    return int(bool(judgement.faults))


if __name__ == "__main__":
    run(main)
