"""Play against perfection: python play.py --env number-flip"""

from __future__ import annotations

import sys

from base.command import Parser, prog, run, spelled
from games.find import add_game_arguments, chosen_rulebook, rulebook_names


def parser() -> Parser:
    arguments = Parser(
        prog=prog("play"),
        description="Plays a game with you, at a terminal or through a pipe, and reviews it against perfect play.",
        epilog="At your move, type a number or the move's name, or one of the words hint, undo, why, rules and quit.",
        allow_abbrev=False,
    )
    add_game_arguments(arguments)
    add = arguments.add_argument
    add(
        "--opponent",
        metavar="WHO",
        default="optimal",
        help="optimal, trembling, uniform, safe-uniform, mcts-N, a tip of the book, the folder of a run, or human for "
        "two people at one keyboard (default: optimal)",
    )
    add(
        "--first",
        choices=["me", "opponent", "toss"],
        default="me",
        help="who starts the first game; you then take turns, and a toss is tossed for every game (default: me)",
    )
    add("--games", metavar="N", default="1", help="how many games, with a running score (default: 1)")
    add(
        "--illegal",
        choices=["again", "forfeit"],
        default="again",
        help="a number against the rules is asked for again, or loses the game (default: again)",
    )
    add("--seed", metavar="N", help="of the opponent's choices and the coin (default: another one each time)")
    add("--transcript", metavar="FILE", help="add the games to this file (docs/formats/transcripts.md)")
    return arguments


def main() -> int:
    args = parser().parse_args()
    if len(sys.argv) == 1:
        print(
            f"{prog('play')} needs a game: {spelled('play', '--env', rulebook_names()[0])}\n"
            f"games:  {', '.join(rulebook_names())}"
        )
        print("opponents: optimal, trembling, uniform, safe-uniform, mcts-100, the folder of a run, human")
        return 0
    book = chosen_rulebook(args)

    from arena.play import Match, play
    from arena.screen import Screen
    from base.command import whole_number

    games = whole_number(args.games, "--games", 1, 10**6)
    seed = None if args.seed is None else whole_number(args.seed, "--seed", 0, 2**63 - 1)

    from agents.players import called, seated
    from arena.board import board

    table = board(book)
    alone = args.opponent != "human"
    names = ("you", called(args.opponent)) if alone else ("player 1", "player 2")
    opponent = seated(args.opponent, table.graph, ["human"]) if alone else None
    play(Match(table, names, opponent, args.first, games, args.illegal, seed, args.transcript), Screen())
    return 0


if __name__ == "__main__":
    run(main)
