"""The files that a stranger may hand over: how a good one is made, and what must hold of one that is opened."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.network import load_network
from arena import gamelog
from arena.answers import adding, read_answers
from arena.protocol import Answer
from arena.transcript import annotate
from base.manifest import manifest
from games import GameGraph, Policy, compile_rulebook, make_rulebook
from games.gamefile import StoredGame, read_game
from solver import Scorecard, Solution, certify, scorecard, solve
from training.checkpoint import resumed
from training.loop import make_learner, train
from training.resolve import Settings, resolve
from training.run import Run
from training.sweeps.plan import read_plan
from training.verify import prove

GAME, TARGET = "fifty-wins", 9
SWEEP = """env = ["fifty-wins", "number-flip"]
agent = "q-learning"
seeds = "0-3, 8"
[settings]
discount = [0.9, 0.99]
[[runs]]
label = "twice"
settings.step_size = [0.5, 0.1]
settings.step_size_end = [0.05, 0.01]
zip = ["settings.step_size", "settings.step_size_end"]
"""


@dataclass(frozen=True)
class Kind:
    """`make` writes what belongs together into a folder; of that, `file` is damaged, and `open` must bear it.

    It returns where the answer is right, raises a Mistake where the file is refused, and anything else is a fault.
    """

    file: str
    make: Callable[[Path], None]
    open: Callable[[Path], None]


@cache
def graph() -> GameGraph:
    return compile_rulebook(make_rulebook(GAME, target=TARGET))


def settings_of(agent: str) -> Settings:
    small: dict[str, Any] = {"steps": 600, "evaluations": 3}
    if agent == "ppo":
        small = {"steps": 300, "evaluations": 2, "games": 10, "plies": 5, "batch": 50, "width": 4}
    return resolve(env=GAME, agent=agent, parameters={"target": TARGET}, changes=small)


def _trained(agent: str, folder: Path) -> None:
    train(settings_of(agent), Run(folder), overwrite=folder.exists())


def _open_policy(folder: Path) -> None:
    policy = Policy.load(folder / "policy.npz")
    card = scorecard(policy.graph, policy)
    assert Scorecard.from_json(card.to_json()) == card


def _open_solution(folder: Path) -> None:
    solution, true = Solution.load(folder / "solution.npz", graph()), solve(graph())
    same = all((getattr(solution, name) == getattr(true, name)).all() for name in ("value", "remoteness", "keeps"))
    assert same == (certify(graph(), solution) == [])  # which says whether it is right


def _make_network(folder: Path) -> None:
    _trained("ppo", folder)
    (folder / "manifest.json").unlink()  # else the manifest alone would refuse


def _open_network(folder: Path) -> None:
    network, policy = load_network(folder, graph()), Policy.load(folder / "policy.npz", graph())
    logits = network.logits().detach().numpy()
    played = np.where(graph().legal, logits, -np.inf).argmax(axis=1)
    assert (played == policy.probability.argmax(axis=1))[graph().legal.any(axis=1)].all()


def _make_checkpoint(folder: Path) -> None:
    _trained("q-learning", folder / "run")
    newest, *others = Run(folder / "run").checkpoints()
    (folder / "checkpoint.npz").write_bytes(newest.read_bytes())
    for file in (newest, *others):
        file.unlink()


def _open_checkpoint(folder: Path) -> None:
    settings = settings_of("q-learning")
    content = (folder / "checkpoint.npz").read_bytes()
    name = f"{600:014d}-{hashlib.sha256(content).hexdigest()[:16]}.npz"  # its checksum is right
    run = Run(folder / "run")
    for file in run.checkpoints():
        file.unlink()
    (run.path / "checkpoint" / name).write_bytes(content)
    anew = partial(make_learner, settings, graph())
    standing = resumed(run, settings, graph(), anew(), anew)
    assert standing.done == 600
    standing.learner.advance(50)
    scorecard(graph(), standing.learner.policy())


def _open_game(folder: Path) -> None:
    stored = read_game(folder / "some.game")
    arrays = compile_rulebook(stored)
    assert certify(arrays, solve(arrays)) == []
    assert all(stored.words(position) for position in arrays.positions.tolist())


def _make_transcript(folder: Path) -> None:
    moves = ((3, 3, 3), (1, 2, 3, 3), (2,))
    lines = [{"game": GAME, "parameters": {"target": TARGET}, "moves": m, "players": ["a", "b"]} for m in moves]
    (folder / "games.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def _open_transcript(folder: Path) -> None:
    games, _ = gamelog.scan(folder / "games.jsonl")
    for game in games:
        told = annotate(game)
        assert len(told.moves) <= len(game.moves)


def _make_answers(folder: Path) -> None:
    with adding(folder / "answers.jsonl") as writer:
        for key, move in (("0", 3), ("1", 2), ("2", None)):
            kind = "legal" if move else "unreadable"
            writer.add(key, Answer(kind, move, "said", {"words": 3}, {"tokens": 5}))  # type: ignore[arg-type]


def _open_answers(folder: Path) -> None:
    saved = read_answers(folder / "answers.jsonl")
    for answer in saved.answers.values():
        assert answer.said.isprintable() or "\x1b" not in answer.said
        json.dumps(answer.usage, allow_nan=False)


def _open_settings(folder: Path) -> None:
    settings = resolve(config=folder / "settings.toml")
    (folder / "again.toml").write_text(settings.toml())
    assert resolve(config=folder / "again.toml") == settings


def _open_sweep(folder: Path) -> None:
    tasks = read_plan(folder / "sweep.toml")
    assert 0 < len({task.name for task in tasks}) == len(tasks)


def _open_scorecard(folder: Path) -> None:
    card = Scorecard.from_json((folder / "scorecard.json").read_bytes())
    assert Scorecard.from_json(card.to_json()) == card


def _open_run(name: str, folder: Path) -> None:
    """The manifest is made anew, as a liar would: what can be computed is caught all the same."""
    true = (folder.parent / "true" / name).read_bytes()
    names = [
        file.name
        for file in (folder.parent / "true").iterdir()
        if file.is_file() and file.name not in ("lock", "manifest.json")
    ]
    (folder / "manifest.json").write_bytes(manifest({one: (folder / one).read_bytes() for one in names}))
    proof = prove(folder, graph())
    assert proof.edited == ()
    if proof.good and name == "scorecard.json":
        card, told = Scorecard.from_json(true), Scorecard.from_json((folder / name).read_bytes())
        told = replace(told, illegal_share=card.illegal_share)  # which only the training knew
        for ours, theirs in zip(_leaves(asdict(card)), _leaves(asdict(told)), strict=True):
            assert ours == theirs or abs(ours - theirs) <= 1e-8 * max(abs(ours), 1)


def _leaves(record: Mapping[str, Any]) -> list[Any]:
    return [one for value in record.values() for one in (_leaves(value) if isinstance(value, dict) else [value])]


KINDS = {
    "policy": Kind("policy.npz", lambda folder: Policy.uniform(graph()).save(folder / "policy.npz"), _open_policy),
    "solution": Kind(
        "solution.npz", lambda folder: solve(graph()).save(folder / "solution.npz", graph()), _open_solution
    ),
    "network": Kind("network.safetensors", _make_network, _open_network),
    "checkpoint": Kind("checkpoint.npz", _make_checkpoint, _open_checkpoint),
    "game file": Kind("some.game", lambda folder: StoredGame.of(graph()).save(folder / "some.game"), _open_game),
    "transcript": Kind("games.jsonl", _make_transcript, _open_transcript),
    "answers": Kind("answers.jsonl", _make_answers, _open_answers),
    "settings": Kind(
        "settings.toml",
        lambda folder: [(folder / "settings.toml").write_text(settings_of("q-learning").toml()), None][1],
        _open_settings,
    ),
    "sweep": Kind("sweep.toml", lambda folder: [(folder / "sweep.toml").write_text(SWEEP), None][1], _open_sweep),
    "scorecard": Kind(
        "scorecard.json",
        lambda folder: [
            (folder / "scorecard.json").write_text(scorecard(graph(), Policy.uniform(graph())).to_json()),
            None,
        ][1],
        _open_scorecard,
    ),
    "curve": Kind("curve.csv", partial(_trained, "q-learning"), partial(_open_run, "curve.csv")),
    "snapshots": Kind("snapshots.npz", partial(_trained, "q-learning"), partial(_open_run, "snapshots.npz")),
    "card of a run": Kind("scorecard.json", partial(_trained, "q-learning"), partial(_open_run, "scorecard.json")),
}
