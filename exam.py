"""Examine any player exactly: python exam.py --env number-flip --player "python my_player.py" """

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from arena import asking
from base.command import Parser, again, prog, run, spelled
from base.mistake import Mistake
from games.find import add_game_arguments, chosen_rulebook, make_rulebook, rulebook_names

if TYPE_CHECKING:
    from arena.copies import Copies
    from arena.sitting import Sitting

NOT_RECORDED = (
    "env",
    "param",
    "player",
    "name",
    "repeats",
    "sample",
    "seed",
    "games",
    "opponent",
    "resume",
    "overwrite",
)


def parser() -> Parser:
    arguments = Parser(
        prog=prog("exam"),
        description="Asks a program for its move at every critical position, of one game or of all (--env all), and "
        "scores the answers exactly (docs/formats/protocol.md). With --games it plays whole games; with --transcript "
        "it scores recorded ones. With --export and --score other harnesses ask the questions.",
        allow_abbrev=False,
    )
    add_game_arguments(arguments)
    add = arguments.add_argument
    add(
        "--player", metavar="CMD", help="the command that starts the player; it is split as by a shell, but run by none"
    )
    add("--name", metavar="NAME", help="what the player is called (default: as it calls itself, else its command)")
    add("--timeout", metavar="SECONDS", default="60", help="for an answer (default: 60)")
    add("--startup", metavar="SECONDS", default="30", help="more for the first answer after a start (default: 30)")
    add("--jobs", metavar="N", default="1", help="copies of the player that are asked side by side (default: 1)")
    add("--repeats", metavar="N", help="ask everything N times, for players that vary (default: 1)")
    add("--sample", metavar="N", help="ask N positions only, chosen by --seed, and give an interval")
    add("--seed", metavar="N", help="chooses the sample and the opponent's moves (default: 0)")
    add("--games", metavar="N", help="play N whole games instead, the player first in every other one")
    add("--opponent", metavar="WHO", help="in --games: a player's name or the folder of a run (default: optimal)")
    add("--transcript", metavar="FILE", help="score the games recorded in FILE instead (docs/formats/transcripts.md)")
    add("--out", metavar="DIR", default="runs", help="where runs are written (default: runs)")
    how = arguments.add_mutually_exclusive_group()
    how.add_argument("--resume", action="store_true", help="go on with an exam that was stopped")
    how.add_argument("--overwrite", action="store_true", help="start the exam anew")
    add("--quiet", action="store_true", help="print nothing but errors and the result")
    asking.add_arguments(arguments.add_argument_group("questions for other harnesses"))
    return arguments


def main() -> int:
    args = parser().parse_args()
    if asking.wanted(args, vars(parser().parse_args([]))):
        return asking.carry_out(args)
    if len(sys.argv) == 1:
        example = f'{spelled("exam", "--env", rulebook_names()[0])} --player "CMD"'
        print(f"{prog('exam')} needs a game and a player: {example}")
        print(f"games:  {', '.join(rulebook_names())}\na player to begin with: python examples/random_player.py")
        return 0
    if args.transcript is not None:
        if odd := [name for name in NOT_RECORDED if vars(args)[name]]:
            raise Mistake(f"{prog('exam')}: --transcript scores games that were played already; leave out --{odd[0]}")
        return _transcript(args.transcript, quiet=args.quiet)
    if args.player is None:
        raise Mistake(f'{prog("exam")}: --player is missing: name a command, as in --player "python my_player.py"')
    if args.sample is not None and args.repeats is not None:
        raise Mistake(f"{prog('exam')}: --sample with --repeats; a sample asks a position once, so leave one out")
    if args.games is None and args.opponent is not None:
        raise Mistake(f"{prog('exam')}: --opponent needs --games N; an exam has no opponent")
    if args.games is not None and (args.sample, args.repeats) != (None, None):
        raise Mistake(f"{prog('exam')}: --games plays whole games; leave out --sample and --repeats")
    if args.env == "all" and args.param:
        raise Mistake(f"{prog('exam')}: --param belongs to one game; name it, or leave --param out")
    books = [make_rulebook(name) for name in rulebook_names()] if args.env == "all" else [chosen_rulebook(args)]

    from arena.copies import Copies
    from arena.pipe import command_words
    from arena.sitting import Sitting
    from base.command import seconds, whole_number

    words = command_words(args.player)
    if args.name is not None and not args.name.strip():
        raise Mistake("--name: the name is empty; leave it out or give one")
    jobs = whole_number(args.jobs, "--jobs", 1, 64)
    sitting = Sitting(
        book=books[0],
        words=words,
        label=args.name or "",
        seconds=seconds(args.timeout, "--timeout", 0.001),
        startup=seconds(args.startup, "--startup", 0.0),
        repeats=whole_number(args.repeats or "1", "--repeats", 1, 10_000),
        sample=None if args.sample is None else whole_number(args.sample, "--sample", 1, 10**9),
        seed=whole_number(args.seed or "0", "--seed", 0, 2**63 - 1),
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the player is ended with us
    sit = _games if args.games is not None else _exam
    code = 0
    try:
        with Copies(sitting.words, sitting.seconds, sitting.startup, jobs) as player:
            for book in books:
                code, sitting = sit(args, replace(sitting, book=book), player)
                if code:
                    break
    except KeyboardInterrupt as stop:
        return _stopped(args, stop)
    if len(books) > 1 and args.games is None:
        from arena.leaderboard import leaderboard

        print(f"\n{leaderboard(args.out)}\nnext  {spelled('evaluate', args.out)}")
    return code


def _stopped(args: Namespace, stop: KeyboardInterrupt) -> int:
    """Say where the answers are, and how to go on."""
    from arena.sitting import Stopped

    if isinstance(stop, Stopped):
        more = [*([] if args.name is not None else ["--name", stop.label]), "--resume"]
        resume = again("exam", without=("--resume", "--overwrite"), more=more)
        print(f"stopped, and saved in {stop.path}; go on with: {resume}", file=sys.stderr)
    else:
        print("stopped, and nothing was asked yet", file=sys.stderr)
    return 130


def _exam(args: Namespace, sitting: Sitting, player: Copies) -> tuple[int, Sitting]:
    from arena import marks
    from arena.exam import Progress, hold
    from base.progress import lines
    from solver import words

    with lines(quiet=args.quiet) as line:

        def show(at: Progress) -> None:
            counts = f"{at.done} of {at.total} answers, {at.kept} keep the value, {at.invalid} invalid"
            line(at.done, at.total, counts, counts)

        begun = args.env != "all" or not sitting.label or (sitting.path(args.out) / "answers.jsonl").exists()
        how = {"resume": args.resume and begun, "overwrite": args.overwrite}
        held = hold(sitting, args.out, player=player, show=show, **how)
    print(marks.words(held.exam))
    if held.card is not None:
        print(words.describe(held.card))
    print(f"run   {held.path}")
    sitting = replace(sitting, label=held.exam["player"])
    if not marks.answered(held.exam):
        return _never_answered(sitting.label, late=bool(held.exam["late"])), sitting
    if args.env != "all":
        print(f"next  {spelled('evaluate', str(held.path))}")
    return 0, sitting


def _games(args: Namespace, sitting: Sitting, player: Copies) -> tuple[int, Sitting]:
    from agents.players import seated
    from arena import match
    from arena.board import board
    from base.command import whole_number

    name = args.opponent or "optimal"
    opponent = seated(name, board(sitting.book).graph)
    games = whole_number(args.games, "--games", 1, 10**6)
    played = match.play_games(
        sitting, opponent, name, games, args.out, player=player, resume=args.resume, overwrite=args.overwrite,
        show=lambda number, game: args.quiet or print(f"game {number + 1}: {game.why or game.result}", flush=True),
    )  # fmt: skip
    print(f"{match.words(played, name, games)}\ngames {played.file}")
    sitting = replace(sitting, label=played.label)
    accounts = [account for game in played.games for account in game.accounts if account.player == played.label]
    crashed = all(game.forfeit is not None and game.forfeit.why == "crashed" for game in played.games)
    if crashed and not any(account.moves for account in accounts):
        return _never_answered(sitting.label), sitting
    print(f"next  {spelled('exam', '--transcript', str(played.file))}")
    return 0, sitting


def _never_answered(label: str, *, late: bool = False) -> int:
    how = "did not answer once in time; give it a longer --timeout" if late else "died before its first answer"
    print(f"{prog('exam')}: {label} {how}; does its command work?", file=sys.stderr)
    return 1


def _transcript(file: str, *, quiet: bool) -> int:
    from arena.replay import replay

    replay(file, quiet=quiet)
    return 0


if __name__ == "__main__":
    run(main)
