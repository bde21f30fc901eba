"""The run directory: whole or absent, locked, and read by strangers."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agents import load
from games import Mistake, Policy, compile_rulebook, rulebook_names
from solver import Scorecard, grade, scorecard
from training import loop
from training.loop import grid, train
from training.resolve import Settings, resolve
from training.run import FILES, KEPT, Run

GAME = rulebook_names()[0]


SMALL_PPO = {"games": 30, "plies": 5, "batch": 150, "width": 8}


def short(game: str = GAME, agent: str = "q-learning", **changes: object) -> Settings:
    return resolve(env=game, agent=agent, changes={"steps": 3000, "evaluations": 8, **changes})


@pytest.mark.parametrize("agent", ["q-learning", "ppo"])
def test_a_run_holds_what_the_design_says(agent: str, tmp_path: Path) -> None:
    for game in rulebook_names():
        settings = short(game, agent, **(SMALL_PPO if agent == "ppo" else {}))
        run = Run(settings.path(tmp_path))
        card = train(settings, run).card
        files = {*FILES} if agent == "ppo" else {*FILES} - {"network.safetensors"}
        assert {file.name for file in run.path.iterdir()} == {*files, "checkpoint", "lock"}
        graph = compile_rulebook(settings.book)
        rows = list(csv.DictReader((run.path / "curve.csv").read_text().splitlines()))
        assert list(rows[0]) == ["steps", "blunders", "accuracy", "exploitability"]
        with np.load(run.path / "snapshots.npz", allow_pickle=False) as snapshots:
            steps, action = snapshots["steps"], snapshots["action"]
        assert [int(row["steps"]) for row in rows] == steps.tolist()
        if agent == "ppo":
            assert steps[-1] == 3000  # whole rollouts of 150 steps
        else:
            assert steps.tolist() == grid(3000, 8)
        for row, chosen in zip(rows, action, strict=True):  # each snapshot is the policy that its row judges
            marks = grade(graph, Policy.greedy(graph, np.arange(graph.num_actions) == chosen[:, None]))
            assert (int(row["blunders"]), float(row["accuracy"])) == (marks.blunders, marks.accuracy)
            assert float(row["exploitability"]) == marks.exploitability
        policy = load(run.path)
        assert (policy.probability.argmax(axis=1) == np.maximum(action[-1], 0)).all()
        told = Scorecard.from_json((run.path / "scorecard.json").read_text())
        assert told == card
        assert told.blunders == scorecard(graph, policy).blunders
        provenance = json.loads((run.path / "provenance.json").read_text())
        assert provenance["finished"] is True
        assert provenance["graph_checksum"] == graph.checksum
        assert len(list((run.path / "checkpoint").iterdir())) <= KEPT


def test_first_and_sustained_steps_are_those_of_the_curve(tmp_path: Path) -> None:
    settings = resolve(env=GAME, agent="q-learning", seed=1)
    card = train(settings, Run(settings.path(tmp_path))).card
    rows = list(csv.DictReader((settings.path(tmp_path) / "curve.csv").read_text().splitlines()))
    perfect = [int(row["steps"]) for row in rows if row["blunders"] == "0"]
    spoiled = max((int(row["steps"]) for row in rows if row["blunders"] != "0"), default=-1)
    assert card.first_steps_to_perfect == perfect[0]
    assert card.steps_to_perfect == min(steps for steps in perfect if steps > spoiled)


def test_until_perfect_stops_there_and_says_so(tmp_path: Path) -> None:
    settings = resolve(env=GAME, agent="q-learning", changes={"until": "perfect"})
    card = train(settings, Run(settings.path(tmp_path))).card
    assert card.perfect
    assert card.steps == card.first_steps_to_perfect
    assert card.steps is not None
    assert card.steps < settings.options.steps
    assert "until=perfect" in str(settings.path(""))


def test_a_run_that_was_killed_after_it_became_perfect_stops_there_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = short(steps=200_000, until="perfect")
    whole, killed = Run(settings.path(tmp_path / "whole")), Run(settings.path(tmp_path / "killed"))
    card = train(settings, whole).card
    assert card.steps is not None
    assert card.steps < 200_000

    def die(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(loop, "CHECKPOINT_SECONDS", 0.0)
        patched.setattr(loop, "scorecard", die)
        with pytest.raises(KeyboardInterrupt):
            train(settings, killed)
    assert train(settings, killed, resume=True).card == card
    assert (killed.path / "curve.csv").read_bytes() == (whole.path / "curve.csv").read_bytes()


def test_a_run_that_never_got_there_is_marked_as_such(tmp_path: Path) -> None:
    settings = short(steps=1, evaluations=1)
    card = train(settings, Run(settings.path(tmp_path))).card
    assert not card.perfect
    assert (card.first_steps_to_perfect, card.steps_to_perfect) == (None, None)


def test_a_second_writer_is_kept_out_and_a_dead_one_is_not_waited_for(tmp_path: Path) -> None:
    hold = (
        "import sys, time; sys.path.insert(0, '.')\n"
        "from training.run import Run; from training.resolve import resolve\n"
        f"with Run({str(tmp_path / 'run')!r}).held(resolve(env={GAME!r}, agent='q-learning')):\n"
        "    print('held', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        again = Run(tmp_path / "run").held(resolve(env=GAME, agent="q-learning"), resume=True)
        with pytest.raises(Mistake, match="another process"):
            again.__enter__()
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
    assert (tmp_path / "run" / "lock").exists()
    with Run(tmp_path / "run").held(resolve(env=GAME, agent="q-learning"), resume=True):
        pass


def test_a_kill_while_a_run_is_cleared_leaves_no_checkpoint_without_its_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unlink, settings = Path.unlink, short()
    for number in range(len(FILES) + KEPT):
        run = Run(settings.path(tmp_path / str(number)))
        train(settings, run)
        left = iter(range(number))

        def until_killed(file: Path, missing_ok: bool = False, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            unlink(file, missing_ok)

        monkeypatch.setattr(Path, "unlink", until_killed)
        with pytest.raises(KeyboardInterrupt):
            train(settings, run, overwrite=True)
        monkeypatch.setattr(Path, "unlink", unlink)
        assert (run.path / "settings.toml").exists() or not any((run.path / "checkpoint").iterdir())


def test_a_folder_that_is_no_run_is_neither_written_nor_cleared(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    for how in ({}, {"resume": True}, {"overwrite": True}):
        with pytest.raises(Mistake, match="not a run"):
            train(short(), Run(tmp_path), **how)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_unfinished_run_and_none_at_all_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="no such run"):
        load(tmp_path / "nothing")
    with pytest.raises(Mistake, match="not finished"):
        load(tmp_path)


@pytest.mark.parametrize(("steps", "evaluations"), [(1, 1), (1, 50), (7, 100), (100, 3), (10**9, 1), (10**13, 10_000)])
def test_the_grid_begins_at_0_ends_at_the_budget_and_is_bounded(steps: int, evaluations: int) -> None:
    times = grid(steps, evaluations)
    assert (times[0], times[-1]) == (0, steps)
    assert times == sorted(set(times))
    assert len(times) <= evaluations + 2
