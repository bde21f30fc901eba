"""Print exact scorecards: of runs, or of the players that need no training on every game."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from games.command import Parser, run
from games.mistake import Mistake


def parser() -> Parser:
    arguments = Parser(
        prog="evaluate.py",
        description="Prints the exact scorecards of runs; without a run, of the baselines on every game.",
        allow_abbrev=False,
    )
    arguments.add_argument("runs", nargs="*", metavar="RUN", help="the folder of a run, or a folder that holds runs")
    arguments.add_argument(
        "--require",
        choices=["perfect", "unexploitable"],
        help="exit with 1 unless every run is that",
    )
    return arguments


def main() -> int:
    args = parser().parse_args()
    from agents import baseline_names, load, player, words
    from games import compile_rulebook, make_rulebook, rulebook_names
    from solver import Scorecard, scorecard

    if not args.runs:
        if args.require:
            raise Mistake("evaluate.py: --require needs a run to judge; name one")
        for name in rulebook_names():
            graph = compile_rulebook(make_rulebook(name))
            print(f"{name}\n{words.HEAD}")
            for who in baseline_names(graph):
                print(words.row(scorecard(graph, player(who, graph)), who), flush=True)
            print()
        print("exact, over every reachable position; mcts-N searches each position with N simulations (seed 0)")
        return 0

    def judged(place: Path) -> Scorecard:
        """Measured anew from the policy: a scorecard on disk is believed only about what training alone knows."""
        file = place / "scorecard.json"
        policy = load(place)
        if not file.is_file():
            raise Mistake(f"{place}: not finished (no scorecard.json); train it to the end with --resume")
        told = Scorecard.from_json(file.read_text(encoding="utf-8", errors="replace"), str(file))
        kept = ["agent", "seed", "steps", "steps_to_unexploitable", "steps_to_perfect"]
        kept += ["first_steps_to_unexploitable", "first_steps_to_perfect"]
        card = scorecard(policy.graph, policy, **{key: getattr(told, key) for key in kept})
        if (card.perfect, card.blunders) != (told.perfect, told.blunders):
            raise Mistake(f"{file}: tells of {told.blunders} blunders, but policy.npz beside it makes {card.blunders}")
        return card

    cards, left_out = [], 0
    for place in found(args.runs):
        try:
            cards.append(judged(place))
        except (Mistake, OSError) as mistake:
            left_out += 1
            print(f"left out: {' '.join(str(mistake).split())}", file=sys.stderr)
            continue
        print(f"{place} ({cards[-1].agent}, seed {cards[-1].seed})\n{words.describe(cards[-1])}\n")
    if not cards:
        raise Mistake("evaluate.py: no run that can be shown; train one with: python train.py --env GAME")
    return int(bool(args.require) and (left_out > 0 or not all(getattr(card, args.require) for card in cards)))


def found(names: list[str]) -> Iterator[Path]:
    """The runs that are named, and those inside folders that are named."""
    for name in names:
        inside = sorted(file.parent for file in Path(name).rglob("settings.toml"))
        yield from inside or [Path(name)]


if __name__ == "__main__":
    run(main)
