"""python -m agents: the agents there are. python -m agents check my_learner.py: the conformance check of a learner."""

from __future__ import annotations

from agents.settings import AGENTS, settings_of
from base.command import Parser, prog, run
from base.mistake import Mistake
from games import compile_rulebook, make_rulebook, rulebook_names
from games.find import add_game_arguments, chosen_rulebook


def main() -> int:
    parser = Parser(prog=prog("agents"), description="Lists the agents, or checks learners: ours or yours.")
    parser.add_argument("command", nargs="?", choices=["check"], help="check these learners")
    parser.add_argument("learners", nargs="*", metavar="NAME|FILE.py", help="an agent of ours, or your own file")
    add_game_arguments(parser)
    args = parser.parse_args()
    if args.command is None:
        for name, kind in AGENTS.items():
            print(f"{name:16} {kind.about}")
        print(f"Check one of your own: {prog('agents')} check my_learner.py")
        return 0
    if not args.learners:
        raise Mistake(f"{prog('agents')} check: names no learner; name a .py file, as examples/my_learner.py")
    books = [chosen_rulebook(args)] if args.env else [make_rulebook(name) for name in rulebook_names()]

    from agents.check import check_learner

    graphs, failed = [compile_rulebook(book) for book in books], False
    for name in args.learners:
        check = check_learner(settings_of(name), name, graphs)
        print(check)
        failed = failed or bool(check.faults)
    return int(failed)


if __name__ == "__main__":
    run(main)
