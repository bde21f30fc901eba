"""Questions with exactly known answers as a task of Inspect: `inspect eval perfect_play_inspect/perfect_play`.

python -m perfect_play_inspect LOG... > answers.jsonl       # the replies in logs, for exam.py --score
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample, json_dataset
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState, generate

from arena.questions import judge_reply, make_questions, parse_question, read_set


@task
def perfect_play(
    set: str = "standard", seed: int = 0, count: int = 1_000, legal_moves: bool = False, questions: str = ""
) -> Task:
    """Fresh questions of a set and a seed, or those of a file that exam.py --export wrote."""
    if questions:
        dataset = json_dataset(questions, sample_of)
    else:
        made = make_questions(read_set(set), seed, count, legal_shown=legal_moves)
        dataset = MemoryDataset([sample_of(json.loads(one.line())) for one in made], name=f"{set}-{seed}")
    return Task(dataset=dataset, solver=generate(), scorer=keeps_the_value())


def sample_of(record: dict[str, Any]) -> Sample:
    """A sample from the JSON object of a question."""
    question = parse_question(record)
    keeping = [str(move) for move in question.keeping]
    return Sample(id=question.id, input=question.prompt, target=keeping, metadata=record)


@metric
def uniform_expects() -> Metric:
    """What uniform play expects of the same questions, exactly."""

    def mean(scores: list[SampleScore]) -> float:
        kept = [(one.sample_metadata or {})["keeping"] for one in scores]
        legal = [(one.sample_metadata or {})["legal"] for one in scores]
        expected = sum(Fraction(len(right), len(all_of)) for right, all_of in zip(kept, legal, strict=True))
        return float(expected / max(len(scores), 1))

    return mean


@metric
def value_lost() -> Metric:
    """Value thrown away by an answer: 2 turns a win into a loss."""

    def mean(scores: list[SampleScore]) -> float:
        return float(sum((one.score.metadata or {})["lost"] for one in scores)) / max(len(scores), 1)

    return mean


@scorer(metrics=[accuracy(), stderr(), uniform_expects(), value_lost(), grouped(accuracy(), "game", all=False)])
def keeps_the_value() -> Scorer:
    """Correct is any of the moves that keep the value of the position."""

    async def score(state: TaskState, target: Target) -> Score:
        judged = judge_reply(parse_question(dict(state.metadata)), state.output.completion)
        return Score(
            value=CORRECT if judged.kept else INCORRECT,
            answer=None if judged.move is None else str(judged.move),
            metadata={"kind": judged.kind, "read": judged.how, "lost": judged.lost},
        )

    return score


def answers(log: EvalLog) -> list[dict[str, str]]:
    """The replies in a log, as exam.py --score takes them."""
    return [{"id": str(one.id), "reply": one.output.completion} for one in log.samples or [] if one.scores]


if __name__ == "__main__":
    for file in sys.argv[1:]:
        for line in answers(read_eval_log(file)):
            print(json.dumps(line))
