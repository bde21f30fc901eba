"""What perfect_play.yaml calls: the questions as documents, and what a reply is worth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import datasets

from arena.questions import judge_reply, make_questions, parse_question, read_questions, read_set


def docs(
    set: str, seed: int, count: int, legal_moves: bool, questions: str = "", **other: Any
) -> dict[str, datasets.Dataset]:
    """Fresh questions of a set and a seed, or those of a file that exam.py --export wrote; `other` is not for us."""
    made = (
        read_questions(questions) if questions else make_questions(read_set(set), seed, count, legal_shown=legal_moves)
    )
    rows = [
        {
            "id": one.id,
            "prompt": one.prompt,
            "keeping": " or ".join(map(str, one.keeping)),
            "record": one.line(),  # the whole question as text: its keys differ from game to game
        }
        for one in made
    ]
    return {"test": datasets.Dataset.from_list(rows)}


def process_results(doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
    question = parse_question(json.loads(doc["record"]))
    judged = judge_reply(question, results[0])
    share = (len(question.keeping), len(question.legal))
    return {"kept": float(judged.kept), "value_lost": judged.lost, "uniform_expects": share}


def expected(shares: Sequence[tuple[int, int]]) -> float:
    return float(sum(Fraction(*share) for share in shares) / len(shares))
