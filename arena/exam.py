"""An exam: a player is asked for its move at every critical position, and the answers are judged exactly.

The folder is a run as every other, with exam.json and answers.jsonl besides. A scorecard needs an answer about every
critical position: an exam that asked fewer has none, and exam.json says what its answers prove. docs/formats/exam.md.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from arena.answers import Writer, adding, read_answers
from arena.board import Board, board
from arena.copies import Copies
from arena.marks import JUDGED, answered, counted, interval, judged_policy, kept, proved
from arena.paper import Question, questions
from arena.pipe import RESTARTS, Pipe
from arena.protocol import VERSION, Answer, digest
from arena.sitting import Sitting, Stopped, fingerprint, label_of, named
from base.arrays import packed
from base.reading import read_json
from games import Mistake
from games.find import carried_file
from solver import Scorecard, scorecard
from training.run import Run, provenance

FORMAT = "perfect-play-exam-2"
FILES = ("scorecard.json", "exam.json", "policy.npz", "provenance.json", "answers.jsonl")


@dataclass(frozen=True)
class Held:
    """An exam that was held."""

    path: Path
    exam: dict[str, Any]  # what exam.json holds
    card: Scorecard | None  # None where critical positions were not asked, or the player never answered


@dataclass(frozen=True)
class Progress:
    done: int
    total: int
    kept: int
    invalid: int


Row = tuple[str, Answer, dict[str, Any]]  # of answers.jsonl: the key, the answer, and what else is kept


def hold(
    sitting: Sitting,
    out: str | Path,
    *,
    player: Copies | None = None,
    resume: bool = False,
    overwrite: bool = False,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Held:
    """Ask whatever has no answer yet, judge, and save. `player` is one that sits several exams; else it is started."""
    table, who = board(sitting.book), fingerprint(sitting.words)
    wanted = questions(sitting, table, who)
    if player is None:
        with Copies(sitting.words, sitting.seconds, sitting.startup) as alone:
            return hold(sitting, out, player=alone, resume=resume, overwrite=overwrite, show=show)
    starts, strays, first = player.starts, player.strays, dict[str, Answer]()
    if not sitting.label:
        if resume:
            sitting = replace(sitting, label=_label_there(sitting, out, {one.key for one in wanted}))
        else:
            _look_before(sitting, out, overwrite=overwrite)
            if wanted:
                sitting, answer = named(sitting, player, wanted[0].body)
                first = {wanted[0].key: answer}
    sitting = replace(sitting, label=sitting.label or label_of(sitting.words))
    run = _look_before(sitting, out, resume=resume, overwrite=overwrite)
    with run.locked():
        if overwrite:
            for name in FILES:
                (run.path / name).unlink(missing_ok=True)
        began = time.monotonic()
        try:
            answers, skipped = _ask(sitting, table, run, wanted, first, player, show)
        except KeyboardInterrupt:
            raise Stopped(run.path, sitting.label) from None
        facts = {
            "starts": player.starts - starts,
            "strays": player.strays - strays,
            "last_words": player.last_words,
            "skipped_lines": skipped,
            **who,
        }
        return _save(sitting, table, run, wanted, answers, facts, time.monotonic() - began)


def _look_before(sitting: Sitting, out: str | Path, *, resume: bool = False, overwrite: bool = False) -> Run:
    """The folder of an exam, if what stands there allows what is wanted."""
    run = Run(sitting.path(out))
    if (run.path / "settings.toml").exists():
        raise Mistake(f"{run.path}: a training run stands there; choose another --name or --out")
    exists = (run.path / "answers.jsonl").exists()
    if exists and not (resume or overwrite):
        raise Mistake(f"{run.path}: this exam exists; add --resume to go on with it, --overwrite to start anew")
    if resume and not exists:
        raise Mistake(f"{run.path}: no exam to resume; leave out --resume to start it")
    return run


def _label_there(sitting: Sitting, out: str | Path, keys: set[str]) -> str:
    """The name under which answers to these questions are kept; by the command where there are none."""
    places = sorted(sitting.path(out).parent.parent.glob(f"*/seed-{sitting.seed}/answers.jsonl"))
    names = [_label_of_folder(place.parent) for place in places if keys & set(read_answers(place).answers)]
    if len(names) > 1:
        raise Mistake(f"--resume: {' and '.join(names)} have answered this command; say which with --name")
    return names[0] if names else label_of(sitting.words)


def _label_of_folder(place: Path) -> str:
    label = unquote(place.parent.name)
    with suppress(Mistake):  # an exam that was killed has no exam.json yet
        record = read_json(place / "exam.json")
        label = str(record["player"]) if isinstance(record, dict) and "player" in record else label
    return label


def _ask(
    sitting: Sitting,
    table: Board,
    run: Run,
    wanted: list[Question],
    first: dict[str, Answer],
    player: Copies,
    show: Callable[[Progress], None],
) -> tuple[dict[str, Answer], int]:
    """The answers by key, and how many lines there could not be read; a question that was not put has no answer."""
    saved = read_answers(run.path / "answers.jsonl")
    fitting = ((one, saved.answers[one.key]) for one in wanted if one.key in saved.answers)
    answers = {one.key: answer for one, answer in fitting if answer.move is None or answer.move in one.body["legal"]}
    if saved.answers and not answers:
        raise Mistake(
            f"{run.path}: none of the {len(saved.answers)} answers there is to these questions (the command, a file "
            "that it names, or a time limit has changed); add --overwrite to ask all anew, or choose another --name"
        )
    before = [answer.about for answer in answers.values() if answer.about]
    good = kept(table, [(one.state, answers[one.key]) for one in wanted if one.key in answers])
    invalid = sum(answer.move is None for answer in answers.values())
    deaths: dict[Pipe, list[Row]] = {pipe: [] for pipe in player.pipes}  # saved once it answers again: else asked anew

    def ask(pipe: Pipe, one: Question) -> tuple[Answer, float]:
        began = time.monotonic()
        return first.pop(one.key, None) or pipe.ask(one.body), round(time.monotonic() - began, 3)

    with adding(run.path / "answers.jsonl") as file:
        for pipe, one, result in player.each([one for one in wanted if one.key not in answers], ask):
            if result is None:
                deaths[pipe].clear()
                continue
            answer, seconds = result
            if before and answer.about and answer.about not in before:
                raise Mistake(
                    f"{run.path}: the player now says it is {answer.about}, but the answers there are by {before[-1]}; "
                    "add --overwrite, or choose another --name"
                )
            more = {"state": one.state, "repeat": one.repeat, "moves": one.body["moves"], "seconds": seconds}
            deaths[pipe].append((one.key, answer, more))
            if answer.kind != "crashed":
                _save_answers(file, deaths[pipe])
            answers[one.key] = answer
            good += answer.move is not None and answer.move in table.keeping(one.state)
            invalid += answer.move is None
            show(Progress(len(answers), len(wanted), good, invalid))
        for rows in deaths.values():
            _save_answers(file, rows)
    return answers, saved.skipped


def _save_answers(file: Writer, pending: list[Row]) -> None:
    for key, answer, more in pending:
        file.add(key, answer, **more)
    pending.clear()


def _save(
    sitting: Sitting,
    table: Board,
    run: Run,
    wanted: list[Question],
    answers: dict[str, Answer],
    facts: dict[str, Any],
    seconds: float,
) -> Held:
    judged = [(one.state, answers[one.key]) for one in wanted if one.key in answers]
    usage: dict[str, float] = {}
    about: list[Any] = []
    for _, answer in judged:
        for key, cost in answer.usage.items():
            usage[key] = usage.get(key, 0) + cost
        if answer.about and answer.about not in about:
            about.append(answer.about)
    exam = {
        "format": FORMAT,
        "protocol": VERSION,
        "player": sitting.label,
        **counted([answer for _, answer in judged]),
        **proved(table, judged),
        "repeats": sitting.repeats,
        "sample": sitting.sample,
        "seed": sitting.seed,
        "interval": asdict(interval(kept(table, judged), len(judged))) if judged else _nothing(),
        "judged": JUDGED,
        "given_up": len(wanted) - len(judged),
        "deaths_in_a_row": RESTARTS if len(judged) < len(wanted) else 0,
        "timeout": sitting.seconds,
        "startup": sitting.startup,
        "prompt_hash": digest([one.body for one in wanted if one.repeat == 0]),
        "about": about,
        "usage": usage,
        **facts,
    }
    policy, card = None, None
    if answered(exam):
        policy = judged_policy(table, judged)
    if policy is not None and not exam["not_asked"]:
        card = replace(scorecard(table.graph, policy), agent=sitting.label, seed=sitting.seed)
        exam |= {"perfect": card.perfect, "unexploitable": card.unexploitable}
    finished = len(judged) == len(wanted)
    for name in ("scorecard.json", "policy.npz"):  # of an exam that asked more, or was answered
        (run.path / name).unlink(missing_ok=True)
    files: dict[str, str | bytes] = {**carried_file(sitting.book)}
    if policy is not None:
        files["policy.npz"] = packed(policy.arrays())
    files["provenance.json"] = provenance(sitting.path("").as_posix(), table.graph.checksum, seconds, finished)
    files["exam.json"] = json.dumps(exam, indent=2) + "\n"
    if card is not None:
        files["scorecard.json"] = card.to_json()  # last: a run that has one can be shown
    run.write(files)
    return Held(run.path, exam, card)


def _nothing() -> dict[str, Any]:
    """A game without a critical position asks nothing, and leaves nothing open."""
    return {"kept": 0, "asked": 0, "low": 1.0, "high": 1.0, "confidence": 1.0, "method": "nothing to ask"}
