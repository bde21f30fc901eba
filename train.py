"""Train an agent: python train.py --env number-flip"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.settings import AGENTS, DEFAULT_AGENT, explain, settings_of
from base.command import Parser, again, pairs, prog, run, spelled, whole_number
from base.mistake import Mistake
from games import rulebook_names
from games.find import add_game_arguments, parameters
from training.resolve import Settings, resolve

ELSEWHERE = {  # names that people bring from other projects
    "--algo": "--agent", "--agent-id": "--agent", "--env-id": "--env", "--env-name": "--env", "--game": "--env",
    "--total-timesteps": "--steps", "--n-timesteps": "--steps", "--timesteps": "--steps", "--hyperparams": "--set",
    "--env-kwargs": "--param", "--log-dir": "--out", "--save-dir": "--out", "--tensorboard": "--track tensorboard",
}  # fmt: skip
TRACKERS = ["tensorboard", "wandb", "mlflow"]


def parser() -> Parser:
    arguments = Parser(
        prog=prog("train"),
        description="Trains an agent and measures it exactly. The run is written below --out.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_game_arguments(arguments)
    add = arguments.add_argument
    add("--agent", metavar="NAME", help=f"who learns: {', '.join(AGENTS)}, or a .py file (default: {DEFAULT_AGENT})")
    add("--seed", metavar="N", help="the same seed gives the same bytes (default: 0)")
    add("--steps", metavar="N", help="the budget: how many updates, 1e6 for a million (default: the agent's own)")
    add("--until", metavar="WHEN", help="perfect: stop as soon as the policy is; end: use up the budget (default)")
    add("--config", metavar="FILE", help="a TOML file with what differs from the defaults")
    add("--set", metavar="KEY=VALUE", action="append", default=[], help="a setting of the agent, see below")
    add("--out", metavar="DIR", default="runs", help="where runs are written (default: runs)")
    how = arguments.add_mutually_exclusive_group()
    how.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    how.add_argument("--overwrite", action="store_true", help="start the run anew")
    how.add_argument("--tune", metavar="N", help="search for settings with N trials, the fewest steps to perfect")
    add("--track", choices=TRACKERS, help="also tell a tracker, with all numbers, the settings and the page")
    add("--quiet", action="store_true", help="print nothing but errors")
    return arguments


def main() -> int:
    for word in sys.argv[1:]:
        if (name := word.partition("=")[0].replace("_", "-")) in ELSEWHERE:
            raise Mistake(f"{prog('train')}: no option {word.partition('=')[0]}; did you mean {ELSEWHERE[name]}?")
    arguments = parser()
    arguments.epilog = _epilog(arguments)
    args = arguments.parse_args()
    if len(sys.argv) == 1:
        example = spelled("train", "--env", rulebook_names()[0])
        games, agents = ", ".join(rulebook_names()), ", ".join(AGENTS)
        print(f"{prog('train')} needs a game: {example}\ngames:  {games}\nagents: {agents}, or a .py file of yours")
        return 0
    settings = resolve(
        env=args.env, agent=args.agent, seed=args.seed, parameters=parameters(args.param), config=args.config,
        changes=pairs(args.set, "--set", "steps=1000"), flags={"steps": args.steps, "until": args.until},
    )  # fmt: skip
    if args.tune is not None:
        return _tune(settings, args)
    return _train(settings, args)


def _epilog(arguments: Parser) -> str:
    """The settings of each agent, and of the learner in a file that the command line names."""
    names = [*AGENTS]
    for word, following in zip(sys.argv, [*sys.argv[1:], ""], strict=True):
        name = following if word == "--agent" else word.removeprefix("--agent=")
        if name.endswith(".py") and name != word and {"--help", "-h"} & {*sys.argv}:
            names = [name]
    agents = "\n\n".join(f"{name}: {settings_of(name).about}\n{explain(settings_of(name))}" for name in names)
    return f"The settings of each agent, for --set:\n\n{agents}"


def _train(settings: Settings, args: argparse.Namespace) -> int:
    from agents.learner import resumable
    from solver import words
    from training import advice
    from training.extend import check_extendable, shorter_run
    from training.loop import Interrupted, learner_class, train
    from training.run import NoRun, Run, RunExists
    from training.trackers import tracking

    place = Run(settings.path(Path(args.out)))
    shorter = shorter_run(settings, args.out) if args.resume and not place.path.exists() else None
    if shorter:
        try:
            check_extendable(*shorter)
        except Mistake as mistake:
            raise Mistake(f"{mistake}; leave out --resume to train all of the new budget") from None
        print(f"going on from the {shorter[1].options.steps:,} steps of {shorter[0].path}", file=sys.stderr)
    if args.resume and settings.options.origin and not resumable(learner_class(settings)) and not place.finished:
        print(f"{settings.agent}: has no state and restore, so the run starts from the beginning", file=sys.stderr)
    try:
        with ExitStack() as stack:
            tracker = stack.enter_context(tracking(args.track, place.path, settings)) if args.track else None
            training = train(
                settings, place, resume=args.resume and not shorter, overwrite=args.overwrite, shorter=shorter,
                progress=not args.quiet,
                log=tracker.log if tracker else lambda steps, values: None,
            )  # fmt: skip
            if tracker:
                tracker.keep(_page(place.path, stack))
    except RunExists as exists:
        raise Mistake(f"{exists}; add --resume to go on with it, --overwrite to start anew") from None
    except NoRun as missing:
        raise Mistake(f"{missing}; leave out --resume to start it") from None
    except KeyboardInterrupt as stop:
        if not any(place.path.glob("checkpoint/*.npz")):
            what_now = "it cannot be resumed: its learner has no state and restore"
        else:
            what_now = f"go on with: {again('train', without=('--resume', '--overwrite'), more=('--resume',))}"
        saved = "saved in" if isinstance(stop, Interrupted) else "left at the last checkpoint in"
        print(f"stopped, and {saved} {place.path}; {what_now}", file=sys.stderr)
        return 130
    if not args.quiet:
        env = args.env or settings.table()["env"]
        print(words.describe(training.card))
        for line in advice.worst_positions(training):
            print(f"  {'worst':17}{line}")
        print(f"run   {place.path}\nnext  {spelled('evaluate', str(place.path))}")
        for changes in advice.to_try(settings, training.card):
            print(f"try   {advice.spell(settings, env, changes)}")
        game = [word for name, value in settings.book.parameters.items() for word in ("--param", f"{name}={value}")]
        different = [] if settings.book.parameters == settings.book.defaults else game
        print(f"play  {spelled('play', '--env', env, *different, '--opponent', str(place.path))}")
    return 0


def _page(run_path: Path, stack: ExitStack) -> Path:
    """The page of evaluate.py about the run, for as long as the block lasts."""
    from report.evaluate import evaluate, write

    folder = Path(stack.enter_context(TemporaryDirectory()))
    write(evaluate([str(run_path)], command=spelled("evaluate", str(run_path))).report, folder)
    return folder / "index.html"


def _tune(settings: Settings, args: argparse.Namespace) -> int:
    from training import advice, tune

    trials = whole_number(args.tune, "--tune", 1, 100_000)
    file = tune.study_file(settings, args.out)
    show = (lambda line: None) if args.quiet else (lambda line: print(line, flush=True))
    try:
        steps, best = tune.tune(settings, file, trials, show)
    except KeyboardInterrupt:
        print(f"stopped, and saved in {file}; go on with: {again('train')}", file=sys.stderr)
        return 130
    if not args.quiet:
        reached = steps <= settings.options.steps
        print(f"best  {f'{steps:,.0f} steps to perfect' if reached else 'none became perfect'}, with one seed")
        print(f"next  {advice.spell(settings, args.env or settings.table()['env'], best)}")
    return 0


if __name__ == "__main__":
    run(main)
