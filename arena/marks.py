"""What the answers of an exam amount to: how many of each kind, the policy that they stand for, and its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.board import Board
from arena.protocol import KINDS, Answer
from games import Policy
from solver import Scorecard

CONFIDENCE = 0.95
JUDGED = (
    "An answer that is no legal move in time stands for the legal move of least value; critical positions that were "
    "not asked, and positions with nothing to decide, stand as uniform play."
)


@dataclass(frozen=True)
class Interval:
    """Of the share of answers that keep the value: exact (Clopper and Pearson 1934), so never too narrow."""

    kept: int
    asked: int
    low: float
    high: float
    confidence: float = CONFIDENCE
    method: str = "Clopper-Pearson"


def interval(kept: int, asked: int) -> Interval:
    """Exact for draws with replacement; positions are drawn without, which can only make the truth nearer."""
    from scipy.special import betaincinv

    rest = (1.0 - CONFIDENCE) / 2
    low = float(betaincinv(kept, asked - kept + 1, rest)) if kept else 0.0
    high = float(betaincinv(kept + 1, asked - kept, 1.0 - rest)) if kept < asked else 1.0
    return Interval(kept, asked, low, high)


def counted(answers: Sequence[Answer]) -> dict[str, int]:
    """asked = legal + illegal + unparsable + late + crashed, always."""
    found = Counter(answer.kind for answer in answers)
    return {"asked": len(answers)} | {kind: found[kind] for kind in KINDS}


def kept(table: Board, answers: Sequence[tuple[int, Answer]]) -> int:
    """How many of the answers, each with its state, keep the value."""
    return sum(answer.move in table.keeping(state) for state, answer in answers)


def judged_policy(table: Board, answers: Sequence[tuple[int, Answer]]) -> Policy:
    """The table that stands for a player who answered so; several answers to one position are mixed as they came."""
    probability = Policy.uniform(table.graph).probability.copy()
    rows: dict[int, Any] = {}
    for state, answer in answers:
        row = rows.setdefault(state, np.zeros(table.graph.num_actions))
        row[table.worst(state) if answer.move is None else table.graph.action(answer.move)] += 1.0
    for state, row in rows.items():
        probability[state] = row / row.sum()
    return Policy(table.graph, probability)


def words(exam: Mapping[str, Any], card: Scorecard) -> str:
    """The head of an exam for people; the scorecard follows it."""
    counts = ", ".join(f"{exam[kind]} {kind}" for kind in KINDS)
    rate = exam["interval"]["kept"] / max(exam["asked"], 1)
    low, high = exam["interval"]["low"], exam["interval"]["high"]
    of = f"{exam['asked']} questions about {exam['positions']} of {card.critical_states} critical positions"
    lines = [f"{exam['player']}: asked {of}", f"  {'answers':17}{counts}"]
    lines.append(f"  {'kept the value':17}{exam['interval']['kept']} of {exam['asked']} ({rate:.3f})")
    if exam["positions"] < card.critical_states:
        lines.append(f"  {'sampled':17}accuracy over all critical positions: {low:.3f} to {high:.3f} {_method(exam)}")
    else:
        lines.append(f"  {'if it varies':17}its expected accuracy: {low:.3f} to {high:.3f} {_method(exam)}")
    if exam["given_up"]:
        lines.append(
            f"  {'given up':17}it died {exam['deaths_in_a_row']} times in a row; {exam['given_up']} questions never "
            "reached it and count as crashed (--resume asks them)"
        )
    if exam["last_words"] and exam["crashed"]:
        lines.append(f"  {'its last words':17}{_last_line(exam['last_words'])}")
    if exam["usage"]:
        lines.append(f"  {'it used':17}" + ", ".join(f"{value:,} {key}" for key, value in exam["usage"].items()))
    lines.append(f"  {'judged':17}{JUDGED}")
    return "\n".join(lines)


def _last_line(said: str) -> str:
    """Where programs say what was wrong."""
    lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
    return lines[-1][-200:] if lines else ""


def _method(exam: Mapping[str, Any]) -> str:
    return f"({exam['interval']['confidence']:.0%}, {exam['interval']['method']})"
