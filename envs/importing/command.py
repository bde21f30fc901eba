"""python -m envs import SPEC --out FILE: a foreign env becomes a game file."""

from __future__ import annotations

import sys
from ast import literal_eval
from collections.abc import Sequence
from typing import Any

from base.command import Parser, pairs, prog, seconds, whole_number
from base.mistake import Mistake
from base.progress import lines
from envs.importing.endings import READINGS, STUCK, Convention
from envs.importing.explorer import Budget
from envs.importing.imported import Imported, import_game
from solver.values import solve

WORTH = {1: "the first player wins", 0: "neither side can force a win", -1: "the second player wins"}


def parser() -> Parser:
    parser = Parser(prog=f"{prog('envs')} import", description="Explores a foreign two-player env once, running its "
                    "code, and writes a game file; from then on none of that code runs.")  # fmt: skip
    parser.add_argument("spec", metavar="SPEC", help="FILE.py:CLASS, a Gymnasium id, pettingzoo:NAME or openspiel:NAME")
    parser.add_argument("--out", metavar="FILE", help="the game file to write (default: NAME.game)")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="an argument of its constructor"
    )
    parser.add_argument("--name", help="what to call the game; --title and --rules are for people")
    parser.add_argument("--title", help="its title")
    parser.add_argument("--rules", metavar="TEXT", help="its rules in words (default: the docstring of the class)")
    parser.add_argument("--own", action="store_true", help="keep the env's own observations, as the view own")
    parser.add_argument("--reward", choices=READINGS, help="whose the reward of an end is: the player's who moved "
                        "(default), the first's, the second's, nobody's (the env names a winner), or late")  # fmt: skip
    parser.add_argument("--least", metavar="SIZE", default="0", help="a smaller reward is none: at an end it is a draw")
    parser.add_argument("--stuck", choices=sorted(STUCK), help="what who has no legal move does")
    parser.add_argument(
        "--legal", metavar="NAME", help="what names the legal moves, or all where every action is legal"
    )
    parser.add_argument("--mover", metavar="NAME", help="what says whose turn it is, or alternate")
    parser.add_argument("--hidden", action="store_true", help="import it as if everything were shown to both players")
    parser.add_argument("--max-states", metavar="N", default=str(Budget.states), help="positions at most (%(default)s)")
    parser.add_argument(
        "--max-seconds", metavar="S", default=f"{Budget.seconds:g}", help="seconds at most (%(default)s)"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def main(words: Sequence[str]) -> int:
    args = parser().parse_args(words)
    try:
        least = float(args.least)
    except ValueError:
        raise Mistake(f"--least {args.least}: not a number; write --least 0.5, for example") from None
    with lines(quiet=args.quiet, estimate=False) as show:

        def told(states: int, waiting: int, spent: float) -> None:
            text = f"{states:,} positions, {waiting:,} to look at, {states / max(spent, 1e-9):,.0f} a second{_memory()}"
            show(states - waiting, states, text, text)

        imported = import_game(
            args.spec, options={key: _value(word) for key, word in pairs(args.set, "--set", "size=3").items()},
            convention=Convention(args.reward, least, args.stuck), legal=args.legal, mover=args.mover,
            budget=Budget(whole_number(args.max_states, "--max-states", 1, 20_000_000),
                          seconds(args.max_seconds, "--max-seconds", 0.1)),
            own=args.own, hidden=args.hidden, name=args.name, title=args.title, rules=args.rules, told=told,
        )  # fmt: skip
    place = args.out or f"{imported.game.name}.game"
    imported.game.save(place)
    print("\n".join([*imported.summary, result(imported), f"{place}: written"]))
    return 0


def result(imported: Imported) -> str:
    """What perfect play leads to."""
    return f"under perfect play {WORTH[int(solve(imported.game.graph).value[0])]}"


def _value(word: str) -> Any:
    """A word of the command line as a Python value where it is one: 3, None, "abc"."""
    try:
        return literal_eval(word)
    except (ValueError, SyntaxError):
        return word


def _memory() -> str:
    try:
        import resource
    except ImportError:  # not on Windows
        return ""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return f", {peak / (1e6 if sys.platform == 'darwin' else 1e3):,.0f} MB"
