"""Questions with exactly known answers for reasoning-gym: `reasoning_gym.create_dataset("perfect_play")`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import register_dataset

from arena.questions import Question, judge_reply, make_questions, parse_question, read_set

NAME = "perfect_play"


@dataclass
class PerfectPlayConfig:
    """Which questions: the same set and seed ask the same ones, here and in every other harness."""

    set: str = "standard"  # of configs/exams, or the path of a .toml file
    legal_moves: bool = False  # whether the prompt lists them
    seed: int | None = None
    size: int = 500

    def validate(self) -> None:
        assert self.size > 0, "size must be positive"
        read_set(self.set)


class PerfectPlayDataset(ProceduralDataset):
    """One critical position an entry; an answer scores 1 if its move keeps the value of the position, and else 0."""

    def __init__(self, config: PerfectPlayConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)
        self._made: list[Question] = []

    def __getitem__(self, idx: int) -> dict[str, Any]:
        if not 0 <= idx < self.size:
            raise IndexError(f"entry {idx} of {self.size}")
        if not self._made:  # with the first entry, for a dataset that only scores needs none
            config = self.config
            self._made = make_questions(read_set(config.set), self.seed, self.size, legal_shown=config.legal_moves)
        question = self._made[idx]
        difficulty = {"plies_to_end": question.plies_to_end, "uniform": question.uniform, "positions": question.states}
        return {
            "question": question.prompt,
            "answer": str(question.keeping[0]),  # one of those that are right; score_answer knows them all
            "metadata": {
                "source_dataset": NAME,
                "source_index": idx,
                "id": question.id,
                "record": json.loads(question.line()),
                "difficulty": difficulty,
            },
        }

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        return float(judge_reply(parse_question(entry["metadata"]["record"]), answer or "").kept)


register_dataset(NAME, PerfectPlayDataset, PerfectPlayConfig)
