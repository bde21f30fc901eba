"""python -m games: the games there are. python -m games check NAME|FILE.py: the conformance check of a rule book."""

from __future__ import annotations

from pathlib import Path

from base.command import Parser, run
from base.mistake import Mistake
from games.check import check_rulebook
from games.find import parameters
from games.rulebook import make_rulebook, rulebook_class, rulebook_class_from_file, rulebook_names, with_parameters


def main() -> int:
    parser = Parser(prog="python -m games", description="Lists the games, or checks rule books: ours or yours.")
    parser.add_argument("command", nargs="?", choices=["check"], help="check these books (all, if none is named)")
    parser.add_argument("books", nargs="*", metavar="NAME|FILE.py", help="a game of this folder, or your own file")
    parser.add_argument("--param", metavar="KEY=VALUE", action="append", default=[], help="such as target=200")
    args = parser.parse_args()
    if args.command is None:
        for name in rulebook_names():
            book = make_rulebook(name)
            given = ", ".join(f"{key}={value}" for key, value in book.parameters.items())
            print(f"{name:20} {(type(book).__doc__ or '').strip()}  [{given}]")
        print("Check one, or your own: python -m games check NAME|FILE.py")
        return 0
    if args.param and len(args.books) != 1:
        raise Mistake("--param: name the one game that it belongs to")
    failed = False
    for book_name in args.books or rulebook_names():
        is_file = book_name.endswith(".py") or Path(book_name).is_file()
        kind = rulebook_class_from_file(Path(book_name)) if is_file else rulebook_class(book_name)
        check = check_rulebook(with_parameters(kind, **parameters(args.param)))
        print(check)
        failed = failed or bool(check.faults)
    return int(failed)


if __name__ == "__main__":
    run(main)
