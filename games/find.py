"""What a name on a command line means: a game of the folder, with the parameters of its family."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from base.command import pairs
from base.mistake import Mistake
from games.rulebook import RuleBook, make_rulebook, rulebook_names


def add_game_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", metavar="GAME", help=f"the game: {', '.join(rulebook_names())}")
    parser.add_argument(
        "--param", metavar="KEY=VALUE", action="append", default=[], help="a parameter of its family, as in target=200"
    )


def chosen_rulebook(args: argparse.Namespace) -> RuleBook:
    """The rule book that --env and --param name."""
    if args.env is None:
        raise Mistake(f"--env is missing: name a game ({', '.join(rulebook_names())})")
    return make_rulebook(args.env, **parameters(args.param))


def parameters(words: Sequence[str]) -> dict[str, str]:
    """What --param gave."""
    return pairs(words, "--param", "target=200")
