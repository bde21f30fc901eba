"""Inspect asks our questions as a task, and its accuracy is the share of exam.py."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.questions import Question, make_questions, read_set
from arena.questions.make import content, describe
from arena.questions.score import read_given, score
from tests.integrations.replies import COUNT, PLAYERS, SEEDS, card_of

inspect_ai = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
adapter = pytest.importorskip("integrations.inspect_ai.perfect_play_inspect")
pytestmark = pytest.mark.filterwarnings("ignore")  # of third parties

STANDARD = read_set("standard")


@pytest.fixture(autouse=True)
def _swept() -> Iterator[None]:
    """Its open ends are closed before pytest looks for them."""
    yield
    gc.collect()


def evaluate(task: Any, asked: list[Question], reply: Callable[[Question], str], folder: Path) -> Any:
    """A log of a stub model that finds its question by the prompt."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    by_prompt = {one.prompt: one for one in asked}

    def say(said: Any, *_: Any) -> Any:
        output = ModelOutput.from_content("stub", reply(by_prompt[said[-1].text]))
        output.usage = ModelUsage()  # or tokens would be counted, with a table from the network
        return output

    model = get_model("mockllm/model", memoize=False, custom_outputs=say)
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


def metrics(log: Any) -> dict[str, float]:
    return {name: one.value for scores in log.results.scores for name, one in scores.metrics.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_its_accuracy_is_the_share_of_exam_py_to_the_last_digit(seed: int, tmp_path: Path) -> None:
    asked = make_questions(STANDARD, seed, COUNT)
    task = adapter.perfect_play(seed=seed, count=COUNT)
    for who, reply in PLAYERS.items():
        measured, card = metrics(evaluate(task, asked, reply, tmp_path)), card_of(asked, who)
        assert measured["accuracy"] == card.overall.share
        assert measured["value_lost"] == card.overall.lost / card.overall.answers
        assert measured["uniform_expects"] == card.overall.uniform == describe(STANDARD, asked)["uniform"]
        assert {name: measured[name] for name in card.by["game"]} == {
            name: part.share for name, part in card.by["game"].items()
        }


def test_the_replies_in_a_log_make_the_same_card(tmp_path: Path) -> None:
    asked = make_questions(STANDARD, 5, 40)
    (tmp_path / "q.jsonl").write_bytes(content(asked))
    task = adapter.perfect_play(questions=str(tmp_path / "q.jsonl"))
    log = evaluate(task, asked, PLAYERS["hostile"], tmp_path)
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in adapter.answers(log)))
    assert score(asked, read_given(tmp_path / "a.jsonl")[0]) == card_of(asked, "hostile")


def test_a_question_that_was_edited_is_refused(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_bytes(content(make_questions(STANDARD, 5, 1)).replace(b'"value": 1', b'"value": 0'))
    with pytest.raises(ValueError, match="question"):
        adapter.perfect_play(questions=str(tmp_path / "q.jsonl"))


def test_the_target_is_all_keeping_moves_and_the_legal_ones_are_shown_on_request() -> None:
    for sample in adapter.perfect_play(seed=1, count=20, legal_moves=True).dataset:
        assert sample.target == [str(move) for move in sample.metadata["keeping"]]
        assert "You may choose one of" in sample.input
