"""An exam that asked some of the critical positions: what its answers prove; all else about its player is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arena.board import board
from arena.completion import least_exploitability
from games.gamefile import book_of
from report.document import PartialExam
from report.players import listed_blunders, policy_table
from report.runs import Sitting, readable
from solver.facts import facts


def partial_exam(sitting: Sitting, name: str, *, drawn: bool) -> PartialExam:
    """Counted from the answers in the policy; exam.json adds the interval of a sample, and how it was held."""
    policy = sitting.policy
    known, asked = facts(policy.graph), policy.extra["asked"]
    states = np.flatnonzero(asked & known.solution.critical)
    wrong = (policy.probability * known.blunder)[states].any(axis=1)
    answers = [(int(state), int(action)) for state in states for action in np.flatnonzero(policy.probability[state])]
    low, high = _interval(sitting.exam or {})
    return PartialExam(
        name=name,
        path=readable(sitting.path),
        asked=states.tolist(),
        positions=len(states),
        not_asked=len(known.critical) - len(states),
        blundered=int(wrong.sum()),
        exploitability_at_least=least_exploitability(board(book_of(policy.graph)), answers),
        low=low,
        high=high,
        policy=policy_table(policy) if drawn else None,
        blunders=listed_blunders(policy, states.tolist()),
        exam=sitting.exam,
        provenance=sitting.provenance,
    )


def _interval(exam: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Of the accuracy over all critical positions, which a sample alone gives."""
    interval = exam.get("interval")
    if not isinstance(interval, dict) or exam.get("sample") is None:
        return None, None
    low, high = interval.get("low"), interval.get("high")
    if isinstance(low, float | int) and isinstance(high, float | int) and 0 <= low <= high <= 1:
        return float(low), float(high)
    return None, None
