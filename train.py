"""Train an agent: python train.py --env number-flip"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from agents.settings import AGENTS, DEFAULT_AGENT, explain
from base.command import Parser, pairs, run
from base.mistake import Mistake
from games.find import add_game_arguments, parameters, rulebook_names
from training.resolve import resolve

ELSEWHERE = {  # names that people bring from other projects
    "--algo": "--agent", "--agent-id": "--agent", "--env-id": "--env", "--env-name": "--env", "--game": "--env",
    "--total-timesteps": "--steps", "--n-timesteps": "--steps", "--timesteps": "--steps", "--hyperparams": "--set",
    "--env-kwargs": "--param", "--log-dir": "--out", "--save-dir": "--out",
}  # fmt: skip


def parser() -> Parser:
    settings = "\n\n".join(f"{name}: {kind.about}\n{explain(kind)}" for name, kind in AGENTS.items())
    arguments = Parser(
        prog="train.py",
        description="Trains an agent and measures it exactly. The run is written below --out.",
        epilog=f"The settings of each agent, for --set:\n\n{settings}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_game_arguments(arguments)
    add = arguments.add_argument
    add("--agent", metavar="NAME", help=f"who learns: {', '.join(AGENTS)} (default: {DEFAULT_AGENT})")
    add("--seed", metavar="N", help="the same seed gives the same bytes (default: 0)")
    add("--steps", metavar="N", help="the budget: how many updates, 1e6 for a million (default: the agent's own)")
    add("--until", metavar="WHEN", help="perfect: stop as soon as the policy is; end: use up the budget (default)")
    add("--config", metavar="FILE", help="a TOML file with what differs from the defaults")
    add("--set", metavar="KEY=VALUE", action="append", default=[], help="a setting of the agent, see below")
    add("--out", metavar="DIR", default="runs", help="where runs are written (default: runs)")
    again = arguments.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    again.add_argument("--overwrite", action="store_true", help="start the run anew")
    add("--tensorboard", action="store_true", help="also write TensorBoard events into the run")
    add("--quiet", action="store_true", help="print nothing but errors")
    return arguments


def main() -> int:
    for word in sys.argv[1:]:
        if (name := word.partition("=")[0].replace("_", "-")) in ELSEWHERE:
            raise Mistake(f"train.py: no option {word.partition('=')[0]}; did you mean {ELSEWHERE[name]}?")
    args = parser().parse_args()
    if len(sys.argv) == 1:
        games, agents = ", ".join(rulebook_names()), ", ".join(AGENTS)
        print(f"train.py needs a game: python train.py --env {rulebook_names()[0]}\ngames:  {games}\nagents: {agents}")
        return 0
    settings = resolve(
        env=args.env, agent=args.agent, seed=args.seed, parameters=parameters(args.param), config=args.config,
        changes=pairs(args.set, "--set", "steps=1000"), flags={"steps": args.steps, "until": args.until},
    )  # fmt: skip

    from solver import words
    from training import trackers
    from training.loop import Interrupted, train
    from training.run import Run

    place = Run(settings.path(Path(args.out)))
    log = trackers.log(place.path / "tensorboard") if args.tensorboard else lambda steps, values: None
    try:
        card = train(
            settings, place, resume=args.resume, overwrite=args.overwrite, progress=not args.quiet, log=log
        ).card
    except Interrupted:
        again = [word for word in sys.argv[1:] if word not in ("--resume", "--overwrite")]
        command = shlex.join(["python", "train.py", *again, "--resume"])
        print(f"stopped, and saved in {place.path}; go on with: {command}", file=sys.stderr)
        return 130
    if not args.quiet:
        print(words.describe(card))
        print(f"run   {place.path}\nnext  python evaluate.py {place.path}")
    return 0


if __name__ == "__main__":
    run(main)
