"""python -m games: the games there are, their conformance check, and a game file of one of them."""

from __future__ import annotations

from base.command import Parser, prog, run
from base.mistake import Mistake
from games.check import check_rulebook
from games.find import KINDS, make_rulebook, parameters, rulebook_names
from games.gamefile import StoredGame
from games.graph import compile_rulebook


def main() -> int:
    parser = Parser(prog=prog("games"), description="Lists the games, checks rule books, or writes game files.")
    parser.add_argument("command", nargs="?", choices=["check", "export"], help="check these games (all, if none is "
                        "named), or export one as a game file")  # fmt: skip
    parser.add_argument("books", nargs="*", metavar="GAME", help=KINDS)
    parser.add_argument("--param", metavar="KEY=VALUE", action="append", default=[], help="such as target=200")
    parser.add_argument("--out", metavar="FILE", help="the game file that export writes (default: NAME.game)")
    args = parser.parse_args()
    if args.command is None:
        for name in rulebook_names():
            book = make_rulebook(name)
            defaults = ", ".join(f"{key}={value}" for key, value in book.parameters.items())
            print(f"{name:20} {(type(book).__doc__ or '').strip()}  [{defaults}]")
        print(f"Check one, or your own: {prog('games')} check NAME|FILE")
        return 0
    if args.out and args.command != "export":
        raise Mistake("--out: belongs to export")
    if args.command == "export" and len(args.books) != 1:
        raise Mistake(f"export: name one game, as in export {rulebook_names()[0]} --out my.game")
    if args.param and len(args.books) != 1:
        raise Mistake("--param: name the one game that it belongs to")
    books = [make_rulebook(name, **parameters(args.param)) for name in args.books or rulebook_names()]
    if args.command == "export":
        stored = StoredGame.of(compile_rulebook(books[0]))
        stored.save(place := args.out or f"{stored.name}.game")
        print(f"{place}: {stored.graph.num_states} positions, {stored.graph.num_actions} moves")
        return 0
    checks = [check_rulebook(book) for book in books]
    print(*checks, sep="\n")
    return int(any(check.faults for check in checks))


if __name__ == "__main__":
    run(main)
