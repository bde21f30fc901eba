"""lm-evaluation-harness asks our questions as a task, and its mean is the share of exam.py."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.questions import Question, make_questions, read_set
from arena.questions.make import content, describe
from arena.questions.score import read_given, score
from tests.integrations.replies import COUNT, PLAYERS, SEEDS, card_of

lm_eval = pytest.importorskip("lm_eval", reason="lm-eval is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of third parties

STANDARD = read_set("standard")
PACKAGE = Path(__file__).parents[2] / "integrations" / "lm_eval" / "perfect_play_lm_eval"


def evaluate(asked: list[Question], reply: Callable[[Question], str], **metadata: Any) -> Any:
    """The results of a stub model that finds its question by the prompt."""
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    by_prompt = {one.prompt: one for one in asked}

    class Stub(LM):
        def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:
            return [reply(by_prompt[request.args[0]]) for request in requests]

        def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    manager = TaskManager(include_path=str(PACKAGE), include_defaults=False, metadata=metadata)
    return lm_eval.simple_evaluate(Stub(), tasks=["perfect_play"], task_manager=manager, bootstrap_iters=0)


@pytest.mark.parametrize("seed", SEEDS)
def test_its_mean_is_the_share_of_exam_py_to_the_last_digit(seed: int) -> None:
    asked = make_questions(STANDARD, seed, COUNT)
    for who, reply in PLAYERS.items():
        results = evaluate(asked, reply, seed=seed, count=COUNT)["results"]["perfect_play"]
        card = card_of(asked, who)
        assert results["kept,none"] == card.overall.share
        assert results["value_lost,none"] == card.overall.lost / card.overall.answers
        assert results["uniform_expects,none"] == card.overall.uniform == describe(STANDARD, asked)["uniform"]


def test_the_logged_samples_make_the_same_card(tmp_path: Path) -> None:
    asked = make_questions(STANDARD, 5, 40, legal_shown=True)
    (tmp_path / "q.jsonl").write_bytes(content(asked))
    samples = evaluate(asked, PLAYERS["hostile"], questions=str(tmp_path / "q.jsonl"))["samples"]["perfect_play"]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(one, default=str) + "\n" for one in samples))
    command = [sys.executable, str(PACKAGE / "__main__.py")]
    done = subprocess.run([*command, str(tmp_path / "s.jsonl")], capture_output=True, text=True, check=True)
    (tmp_path / "a.jsonl").write_text(done.stdout)
    assert score(asked, read_given(tmp_path / "a.jsonl")[0]) == card_of(asked, "hostile")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(PACKAGE)
