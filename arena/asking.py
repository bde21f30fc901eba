"""What exam.py does with questions: write them, publish their hash, score answers to them."""

from __future__ import annotations

import json
import sys
from argparse import Namespace, _ActionsContainer
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from base.command import prog, spelled, whole_number
from base.files import whole, write_together
from base.mistake import Mistake
from games.find import chosen_rulebook

EXPORT = ("export", "hash", "set", "env", "param", "seed", "secret", "count", "legal_moves", "overwrite", "quiet")
SCORE = ("score", "questions", "set", "env", "param", "card", "overwrite", "quiet")
ONLY_HERE = {"set", "secret", "count", "legal_moves", "questions", "card"}  # options that need one of the three


def add_arguments(parser: _ActionsContainer) -> None:
    add = parser.add_argument
    add("--export", metavar="FILE", help="write fresh questions for any harness instead (docs/formats/questions.md)")
    add(
        "--hash", action="store_true", help="print what the keeper of a --secret publishes before; writes nothing alone"
    )
    add("--score", metavar="FILE", help="score the answers that a harness has logged")
    add("--set", metavar="NAME", help="the questions' set: of configs/exams, or a .toml file (default: standard)")
    add("--count", metavar="N", help="how many questions (default: 1000; with --env all critical positions)")
    add("--secret", metavar="FILE", help="a held-out set: take the seed from this file of its keeper, not from --seed")
    add("--legal-moves", action="store_true", help="list the legal moves in the prompts")
    add("--questions", metavar="FILE", help="what was asked; without it, it is made again from the ids")
    add("--card", metavar="FILE", help="write the score as JSON too")


def wanted(args: Namespace, defaults: Mapping[str, Any]) -> bool:
    """Whether questions are what this is about; options that do not go together are a mistake."""
    chosen = {name for name, value in vars(args).items() if value != defaults[name]}
    if args.score is not None and (args.export is not None or args.hash):
        raise Mistake(f"{prog('exam')}: --score with --export or --hash; do one after the other")
    if args.score is None and args.export is None and not args.hash:
        if odd := sorted(chosen & ONLY_HERE):
            raise Mistake(f"{prog('exam')}: --{_flag(odd[0])} belongs to --export, --hash or --score; add one of them")
        return False
    fitting, what = (SCORE, "--score") if args.score is not None else (EXPORT, "--export and --hash")
    if odd := sorted(chosen - {*fitting}):
        raise Mistake(f"{prog('exam')}: --{_flag(odd[0])} does not go with {what}; leave it out")
    if args.set is not None and args.env is not None:
        raise Mistake(f"{prog('exam')}: --set and --env; a set names its games, so leave one out")
    return True


def _flag(name: str) -> str:
    return name.replace("_", "-")


def carry_out(args: Namespace) -> int:
    return score(args) if args.score is not None else export(args)


def export(args: Namespace) -> int:
    """Questions into a file, the facts about them beside it; with --hash, what is published before they are asked."""
    from arena.questions import make
    from arena.questions.record import MOST_QUESTIONS
    from arena.questions.sets import read_set, set_of

    if args.secret is not None and args.seed is not None:
        raise Mistake(f"{prog('exam')}: --secret and --seed; a held-out set has a secret seed, so leave --seed out")
    count = None if args.count is None else whole_number(args.count, "--count", 1, MOST_QUESTIONS)
    seed = whole_number(args.seed or "0", "--seed", 0, 2**63 - 1)
    secret = "" if args.secret is None else make.read_secret(args.secret)
    asked = set_of(chosen_rulebook(args)) if args.env is not None else read_set(args.set or "standard")
    count = make.COUNT if count is None and args.env is None else count
    if args.export is not None and not args.overwrite:
        for place in (Path(args.export), make.side_file(args.export)):
            if place.exists():
                raise Mistake(f"{place}: is there already; add --overwrite, or choose another name")
    made = make.make_questions(asked, seed, count, secret=secret, legal_shown=args.legal_moves)
    facts = make.describe(asked, made)
    if args.export is not None:
        facts_file = json.dumps(facts, indent=2).encode() + b"\n"
        write_together(
            {Path(args.export): make.content(made), make.side_file(args.export): facts_file}, "choose another name"
        )
        if not args.quiet:
            games = ", ".join(f"{number} {game}" for game, number in facts["games"].items())
            print(f"{args.export}: {len(made)} questions of {asked.name}, members of {facts['members']} games: {games}")
            print(f"uniform play expects {facts['uniform']:.4f} of them (the set allows {facts['uniform_at_most']:g})")
            print(f"next  {spelled('exam', '--score', 'ANSWERS.jsonl', '--questions', args.export)}")
    if args.hash:
        print(f"questions  sha256:{facts['sha256']}")
        if secret:
            print(f"secret     sha256:{make.commitment(asked, secret)}")
            print("publish both before the exam, and the secret after it: then anyone can make the same questions")
    return 0


def score(args: Namespace) -> int:
    """Answers to a card."""
    from arena.questions.card import line_of, words
    from arena.questions.record import read_questions
    from arena.questions.score import questions_asked, read_given
    from arena.questions.score import score as card_of
    from arena.questions.sets import set_of
    from solver.words import describe

    answers, unreadable = read_given(args.score)
    books = [] if args.env is None else [chosen_rulebook(args)]
    if args.questions is not None:
        questions = read_questions(args.questions)
    else:
        questions = questions_asked(answers, set_of(books[0]) if books else args.set)
    card = card_of(questions, answers, books=books, unreadable=unreadable)
    if not args.quiet:
        print(words(card))
        if len(card.complete) == 1:
            print(f"\n{describe(card.complete[0])}")
        elif card.complete:
            print("\nevery critical position answered (the scorecards are in --card):\n")
            print("\n".join(f"  {line_of(one)}" for one in card.complete))
    else:
        print(f"{card.overall.kept} of {card.overall.answers} kept the value: {card.overall.share:.4f}")
    if card.not_answered:
        print(f"{card.not_answered} questions have no answer; nothing is said about them", file=sys.stderr)
    if args.card is not None:
        if Path(args.card).exists() and not args.overwrite:
            raise Mistake(f"{args.card}: is there already; add --overwrite, or choose another name")
        with whole(args.card, "choose another name") as file:
            file.write(json.dumps(card.as_json(), indent=2, allow_nan=False).encode() + b"\n")
    return 0
