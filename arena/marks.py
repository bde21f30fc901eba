"""What the answers of an exam amount to: how many of each kind, what they prove about the player, and an interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.board import Board
from arena.completion import least_exploitability
from arena.protocol import KINDS, Answer
from games import Policy

CONFIDENCE = 0.95
JUDGED = (
    "An answer that is no legal move in time stands for the legal move of least value; positions with nothing to "
    "decide stand as uniform play."
)
REACHED = ("legal", "illegal", "unparsable")  # kinds of answers that came from the player


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
    kinds = Counter(answer.kind for answer in answers)
    return {"asked": len(answers)} | {kind: kinds[kind] for kind in KINDS}


def kept(table: Board, answers: Sequence[tuple[int, Answer]]) -> int:
    """How many of the answers, each with its state, keep the value."""
    return sum(answer.move in table.keeping(state) for state, answer in answers)


def proved(table: Board, answers: Sequence[tuple[int, Answer]]) -> dict[str, Any]:
    """What follows from the answers alone, whatever the player does where it was not asked; None is unknown."""
    asked = {state for state, _ in answers}
    critical = int(table.solution.critical.sum())
    blunders = len({state for state, answer in answers if answer.move not in table.keeping(state)})
    least = least_exploitability(table, ((state, action_of(table, state, answer)) for state, answer in answers))
    return {
        "critical_states": critical,
        "positions": len(asked),
        "not_asked": critical - len(asked),
        "blunders": blunders,
        "exploitability_at_least": least,
        "perfect": False if blunders else None,
        "unexploitable": False if least > 0 else None,
    }


def answered(exam: Mapping[str, Any]) -> bool:
    """Whether the player said anything at all; a game without a critical position asks nothing, which is no silence."""
    return exam["asked"] == 0 == exam["not_asked"] or any(exam[kind] for kind in REACHED)


def action_of(table: Board, state: int, answer: Answer) -> int:
    """The action that an answer stands for."""
    return table.worst(state) if answer.move is None else table.graph.action(answer.move)


def judged_policy(table: Board, answers: Sequence[tuple[int, Answer]]) -> Policy:
    """The table that stands for a player who answered so; several answers to one position are mixed as they came.

    It carries along which states were asked, for all others are uniform, and say nothing about the player.
    """
    probability = Policy.uniform(table.graph).probability.copy()
    rows: dict[int, NDArray[np.float64]] = {}
    for state, answer in answers:
        row = rows.setdefault(state, np.zeros(table.graph.num_actions))
        row[action_of(table, state, answer)] += 1.0
    asked = np.zeros(table.graph.num_states, dtype=np.bool_)
    for state, row in rows.items():
        probability[state], asked[state] = row / row.sum(), True
    return Policy(table.graph, probability, {"asked": asked})


def words(exam: Mapping[str, Any]) -> str:
    """An exam for people: what was asked and answered; the scorecard follows it where there is one."""
    counts = ", ".join(f"{exam[kind]} {kind}" for kind in KINDS)
    missing = f"; {exam['not_asked']} not asked" if exam["not_asked"] else ""
    of = f"{exam['asked']} questions about {exam['positions']} of {exam['critical_states']} critical positions"
    lines = [f"{exam['player']}: asked {of}{missing}", f"  {'answers':17}{counts}"]
    if answered(exam):
        lines += _kept_words(exam)
    if exam["given_up"]:
        lines.append(
            f"  {'given up':17}it died {exam['deaths_in_a_row']} times in a row; {exam['given_up']} questions never "
            "reached it (--resume asks them)"
        )
    if exam["last_words"] and exam["crashed"]:
        lines.append(f"  {'its last words':17}{last_line(exam['last_words'])}")
    if exam["usage"]:
        lines.append(f"  {'it used':17}" + ", ".join(f"{value:,} {key}" for key, value in exam["usage"].items()))
    if answered(exam):
        lines.append(f"  {'judged':17}{exam['judged']}")
    return "\n".join(lines)


def _kept_words(exam: Mapping[str, Any]) -> list[str]:
    """The share that keeps the value with its interval; of an exam in part, what that proves and what stays unknown."""
    low, high = exam["interval"]["low"], exam["interval"]["high"]
    rate = exam["interval"]["kept"] / max(exam["asked"], 1)
    lines = [f"  {'kept the value':17}{exam['interval']['kept']} of {exam['asked']} ({rate:.3f})"]
    if exam["sample"] is not None and exam["not_asked"] and not exam["given_up"]:
        lines.append(f"  {'sampled':17}accuracy over all critical positions: {low:.3f} to {high:.3f} {_method(exam)}")
    else:
        whose = "its expected accuracy" + (" where it was asked" if exam["not_asked"] else "")
        lines.append(f"  {'if it varies':17}{whose}: {low:.3f} to {high:.3f} {_method(exam)}")
    if exam["not_asked"]:
        least, unasked = exam["exploitability_at_least"], exam["not_asked"]
        unknown = f"unknown: {unasked} positions were not asked"
        lines += [
            f"  {'blunders':17}{exam['blunders']} of {exam['positions']} positions asked; {unasked} not asked",
            f"  {'exploitability':17}{f'at least {least:.3f}' if least else 'unknown'}",
            f"  {'perfect':17}{unknown if exam['perfect'] is None else 'no'}",
            f"  {'unexploitable':17}{unknown if exam['unexploitable'] is None else 'no'}",
        ]
    return lines


def last_line(said: str) -> str:
    """Where programs say what was wrong."""
    lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
    return lines[-1][-200:] if lines else ""


def _method(exam: Mapping[str, Any]) -> str:
    return f"({exam['interval']['confidence']:.0%}, {exam['interval']['method']})"
