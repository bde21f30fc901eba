"""Training from Python: in memory, with columns, callbacks, and learners that fail."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from games import Policy, rulebook_names
from solver import Grade, scorecard
from training import Run, resolve, train

GAME = rulebook_names()[0]


def test_a_training_in_memory_is_the_training_in_a_folder(tmp_path: Path) -> None:
    settings = resolve(env=GAME, agent="q-learning", changes={"steps": 3000, "evaluations": 8})
    memory, first, again = (
        train(settings),
        train(settings, Run(tmp_path / "run")),
        train(settings, Run(tmp_path / "run"), resume=True),
    )
    for training in (memory, first, again):
        assert training.card == memory.card
        assert (training.policy.probability == memory.policy.probability).all()
        assert list(training.curve) == ["steps", "blunders", "accuracy", "exploitability"]
        for name, column in training.curve.items():
            assert (column == memory.curve[name]).all()
    assert memory.curve["blunders"][-1] == memory.card.blunders
    assert len(repr(memory)) < 200


def test_the_callback_sees_every_evaluation_and_may_stop_the_training() -> None:
    seen: list[tuple[int, Grade, Policy]] = []
    settings = resolve(env=GAME, agent="q-learning", changes={"steps": 3000, "evaluations": 8})
    training = train(settings, on_evaluation=lambda *what: seen.append(what))
    assert [steps for steps, _, _ in seen] == training.curve["steps"].tolist()
    for _, marks, policy in seen:
        assert marks.blunders == scorecard(policy.graph, policy).blunders
    assert training.policy.act(0) == int(np.argmax(training.policy.probability[0]))

    class Enough(Exception):
        pass

    def stop(steps: int, marks: Grade, policy: Policy) -> None:
        raise Enough

    with pytest.raises(Enough):
        train(settings, on_evaluation=stop)


def test_what_a_callback_breaks_leaves_the_curve_and_a_run_to_resume(tmp_path: Path) -> None:
    settings = resolve(env=GAME, agent="q-learning", changes={"steps": 3000, "evaluations": 8})
    whole, broken = Run(tmp_path / "whole"), Run(tmp_path / "broken")
    train(settings, whole)

    def fail_late(steps: int, marks: Grade, policy: Policy) -> None:
        if steps > 2000:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        train(settings, broken, on_evaluation=fail_late)
    curve = (broken.path / "curve.csv").read_text()
    assert (whole.path / "curve.csv").read_text().startswith(curve)
    assert curve.count("\n") > 3
    assert json.loads((broken.path / "provenance.json").read_text())["finished"] is False
    train(settings, broken, resume=True)
    for name in ("curve.csv", "policy.npz", "scorecard.json", "snapshots.npz"):
        assert (broken.path / name).read_bytes() == (whole.path / name).read_bytes()
