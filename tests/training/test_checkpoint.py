"""A checkpoint that is damaged, or of another run, is never resumed from."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.settings import AGENTS
from base.arrays import packed
from games import Mistake, compile_rulebook
from training import loop
from training.checkpoint import Standing, Unusable, checkpoint, resumed
from training.loop import make_learner, train
from training.resolve import Settings, resolve
from training.run import KEPT, Run

GAME = "fifty-wins"
PPO = {"games": 30, "plies": 5, "batch": 150, "width": 8}
SMALL: dict[str, dict[str, Any]] = {
    "ppo": PPO | {"opponent": "pool", "pool": 2},
    "expert-iteration": {"games": 30, "plies": 5, "width": 8},
}


def settings_of(agent: str, seed: int = 0, **parameters: Any) -> Settings:
    changes = {"steps": 3000, "evaluations": 8, **SMALL.get(agent, {})}
    return resolve(env=GAME, agent=agent, seed=seed, changes=changes, parameters=parameters)


def stopped(settings: Settings, out: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run that was stopped after its last evaluation, with a checkpoint of every one."""
    run = Run(settings.path(out))

    def die(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(loop, "CHECKPOINT_SECONDS", 0.0)
        patched.setattr(loop, "scorecard", die)
        with pytest.raises(KeyboardInterrupt):
            train(settings, run)
    assert len(run.checkpoints()) == KEPT
    return run


def standing(run: Run, settings: Settings) -> Standing:
    graph = compile_rulebook(settings.book)
    anew = partial(make_learner, settings, graph)
    return resumed(run, settings, graph, anew(), anew)


def changed(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """The same checkpoint with other arrays, and the checksum of these in its name."""
    with np.load(file) as saved:
        arrays = {name: saved[name] for name in saved.files}
    change(arrays)
    content = packed(arrays)
    file.unlink()
    file.with_name(f"{file.name[:14]}-{hashlib.sha256(content).hexdigest()[:16]}.npz").write_bytes(content)


def test_a_damaged_checkpoint_is_passed_over_for_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of("q-learning")
    run = stopped(settings, tmp_path, monkeypatch)
    newest, older = run.checkpoints()
    newest.write_bytes(newest.read_bytes()[:-7])
    assert standing(run, settings).done == int(older.name[:14])
    older.write_bytes(b"")
    with pytest.raises(Unusable, match=r"damaged; no checkpoint of this run can be used; add --overwrite"):
        standing(run, settings)


@pytest.mark.parametrize("other", [{"seed": 1}, {"target": 60}, {"agent": "sarsa"}], ids=str)
def test_a_whole_checkpoint_of_another_run_is_not_resumed(
    other: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of("q-learning")
    run = stopped(settings, tmp_path / "ours", monkeypatch)
    stranger = stopped(settings_of(**{"agent": "q-learning", **other}), tmp_path / "theirs", monkeypatch)
    newest, older = run.checkpoints()
    newest.unlink()
    shutil.copy(stranger.checkpoints()[0], newest.parent)
    assert standing(run, settings).done == int(older.name[:14])
    older.unlink()
    with pytest.raises(Unusable, match="of another run"):
        standing(run, settings)


def mutations(arrays: dict[str, Any]) -> list[tuple[str, Any]]:
    """Every array of another shape, type or range: cut, longer, a number too far, infinite, missing."""
    bad: list[tuple[str, Any]] = []
    for name, array in arrays.items():
        if name == "belongs_to":
            continue
        bad += [(name, None), (name, np.array([*array.shape])), (name, np.array("text"))]
        if array.ndim and array.size:
            bad += [(name, array[:-1]), (name, array[None]), (name, np.concatenate([array, array]))]
        if array.dtype.kind == "i":
            bad += [
                (name, np.full_like(array, extreme))
                for extreme in (np.iinfo(array.dtype).min, np.iinfo(array.dtype).max, -2)
            ]
            bad.append((name, array.astype(np.float64)))
    return bad


INDICES = ("place", "path", "pair", "done", "steps", "action", "state", "plies", "opponent", "joined", "observation")


@pytest.mark.parametrize("agent", AGENTS)
def test_no_damaged_array_reaches_a_learner(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(agent)
    run = stopped(settings, tmp_path, monkeypatch)
    newest = run.checkpoints()[0]
    for older in run.checkpoints()[1:]:
        older.unlink()
    good = newest.read_bytes()
    with np.load(newest) as saved:
        arrays = {name: saved[name] for name in saved.files}
    refused, taken = 0, set()
    for name, bad in mutations(arrays):

        def change(saved: dict[str, Any], name: str = name, bad: Any = bad) -> None:
            saved.pop(name)
            saved |= {} if bad is None else {name: bad}

        changed(newest, change)
        try:
            standing(run, settings).learner.advance(500)  # what is taken must not crash
            taken.add(name)
        except Unusable:
            refused += 1
        for file in run.checkpoints():
            file.unlink()
        newest.write_bytes(good)
    assert refused > 3 * len(arrays) - 6
    assert not [name for name in taken if any(word in name for word in INDICES)]


@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_saved_is_what_is_resumed(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(agent)
    run = stopped(settings, tmp_path, monkeypatch)
    graph, again = compile_rulebook(settings.book), standing(run, settings)
    saved = run.checkpoints()[0]
    assert checkpoint(settings, graph, again) == {f"checkpoint/{saved.name}": saved.read_bytes()}


def test_a_checkpoint_larger_than_any_of_this_run_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of("q-learning")
    run = stopped(settings, tmp_path, monkeypatch)
    for file in run.checkpoints():
        with file.open("r+b") as content:
            content.truncate(1 << 40)  # takes no room on disk
    with pytest.raises(Mistake, match="larger than"):
        standing(run, settings)
