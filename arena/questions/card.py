"""A card of answers to questions: shares that keep the value, and what they are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from base.text import clean, named
from solver import Scorecard

FORMAT = "perfect-play-question-card-1"
KINDS = ("legal", "illegal", "unparsable")


@dataclass(frozen=True)
class Share:
    """Answers that have something in common."""

    answers: int
    kept: int
    share: float  # kept / answers
    low: float  # the exact 95 % interval of it (Clopper-Pearson)
    high: float
    uniform: float  # what uniform play expects of the same questions
    lost: int  # value thrown away, summed: 0, 1 or 2 an answer


@dataclass(frozen=True)
class Card:
    """The keys of the JSON object."""

    format: str
    set: str
    seed: int | str
    questions: int
    answered: int  # questions with an answer
    not_answered: int
    overall: Share
    kinds: Mapping[str, int]  # of answers: legal, illegal, unparsable
    read: Mapping[str, int]  # how replies were read (arena/prompt.py); "move" where a number was given
    unknown: int  # answers with the id of no question
    unreadable: int  # lines that hold no answer
    by: Mapping[str, Mapping[str, Share]]  # "game", "positions", "plies_to_end": band, then its share
    complete: tuple[Scorecard, ...]  # of games of which every critical position was answered

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def words(card: Card) -> str:
    """A card for people."""
    all_of = card.overall
    seed = f"seed {card.seed}" if isinstance(card.seed, int) else clean(card.seed)
    missing = f"; {card.not_answered} not answered" if card.not_answered else ""
    lines = [
        f"{clean(card.set)}, {seed}: {card.answered} of {card.questions} questions answered{missing}",
        f"  {'answers':17}" + ", ".join(f"{card.kinds[kind]} {kind}" for kind in KINDS),
        f"  {'read':17}" + ", ".join(f"{count} {how}" for how, count in card.read.items()),
        f"  {'kept the value':17}{all_of.kept} of {all_of.answers}: {all_of.share:.4f} "
        f"({all_of.low:.4f} to {all_of.high:.4f}, 95%, Clopper-Pearson); uniform play expects {all_of.uniform:.4f}",
        f"  {'value lost':17}{all_of.lost} ({all_of.lost / all_of.answers:.4f} an answer; 2 turns a win into a loss)",
    ]
    if card.unknown or card.unreadable:
        lines.append(
            f"  {'left out':17}{card.unknown} with the id of no question, {card.unreadable} lines without an answer"
        )
    titles = {"game": "game", "positions": "positions", "plies_to_end": "plies to the end"}
    for group, parts in card.by.items():
        lines.append(
            f"\n  {titles[group]:20}{'answers':>8}{'kept':>8}{'share':>9}{'from':>8}{'to':>8}{'uniform':>9}{'lost':>7}"
        )
        for name, part in parts.items():
            shares = f"{part.share:9.4f}{part.low:8.4f}{part.high:8.4f}{part.uniform:9.4f}"
            lines.append(f"  {clean(name):20}{part.answers:8}{part.kept:8}{shares}{part.lost:7}")
    return "\n".join(lines)


def line_of(card: Scorecard) -> str:
    """A scorecard in a line."""
    verdict = "perfect" if card.perfect else "unexploitable" if card.unexploitable else "not unexploitable"
    blunders = f"{card.blunders} of {card.critical_states} blunders, exploitability {card.exploitability:.3f}"
    return f"{clean(named(card.game, card.parameters))}: {blunders}, {verdict}"
