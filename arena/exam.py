"""An exam: a player is asked for its move at every critical position, and the answers are judged exactly.

The folder is a run as every other, with exam.json and answers.jsonl besides. A scorecard needs an answer about every
critical position: an exam that asked fewer has none, and exam.json says what its answers prove. docs/formats/exam.md.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from agents.settings import AGENTS
from arena.answers import Writer, adding, read_answers
from arena.board import Board, board
from arena.marks import JUDGED, answered, counted, interval, judged_policy, kept, proved
from arena.pipe import RESTARTS, GaveUp, Pipe
from arena.protocol import VERSION, Answer, digest, question
from base.arrays import packed
from games import Mistake, RuleBook
from games.find import carried_file
from solver import Scorecard, scorecard
from training.resolve import spelled
from training.run import Run, provenance

FORMAT = "perfect-play-exam-2"
FILES = ("scorecard.json", "exam.json", "policy.npz", "provenance.json", "answers.jsonl")
INTERPRETERS = ("python", "node", "bash", "sh", "ruby", "perl", "deno", "java")
SCRIPTS = (".py", ".js", ".mjs", ".sh", ".rb", ".pl")
LOGS = (".log", ".jsonl")
LARGEST_FILE = 1 << 28  # bytes of a file in the command that is looked into


@dataclass(frozen=True)
class Sitting:
    """All that decides an exam."""

    book: RuleBook
    words: list[str]  # the command
    label: str  # the player's name, in the report and as a folder
    seconds: float = 60.0  # for an answer
    startup: float = 30.0  # and more for the first after a start
    repeats: int = 1
    sample: int | None = None  # how many critical positions are asked; None: all
    seed: int = 0

    def path(self, out: str | Path) -> Path:
        game = spelled(self.book.name, self.book.parameters, self.book.defaults)
        return Path(out) / game / folder(self.label) / f"seed-{self.seed}"


@dataclass(frozen=True)
class Question:
    state: int
    repeat: int
    body: dict[str, Any]  # what the player is told, but for the id
    key: str  # of everything that could change the answer


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


def folder(label: str) -> str:
    """A player's name as the name of a folder; the names of our own agents are taken."""
    if not label.strip():
        raise Mistake("--name: the name is empty; leave it out or give one")
    if label in AGENTS:
        raise Mistake(f"--name {label}: that is an agent of train.py, whose runs stand there; choose another name")
    safe = quote(label, safe="")
    return spelled(f"%2E{safe[1:]}" if safe.startswith(".") else safe, {}, {})


def label_of(words: Sequence[str]) -> str:
    """A name for the player of a command: its script and arguments, without the interpreter."""
    rest = list(words)
    if len(rest) > 1 and Path(rest[0]).name.rstrip("0123456789.") in INTERPRETERS:
        rest = rest[2:] if rest[1] == "-m" and len(rest) > 2 else rest[1:]
    name = Path(rest[0])
    said = [name.stem if name.suffix in SCRIPTS else name.name, *rest[1:]]
    return "-".join(word.strip("-") for word in said if word.strip("-")) or "player"


def fingerprint(words: Sequence[str]) -> dict[str, Any]:
    """The command, and the content of the files that it names: a player that was edited is another player.

    Logs are left out: the player itself changes them.
    """
    files = {}
    for place, word in enumerate(words):
        path = Path(shutil.which(word) or word) if place == 0 else Path(word)
        try:
            if path.suffix not in LOGS and path.is_file() and path.stat().st_size <= LARGEST_FILE:
                files[word] = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:
            continue  # it cannot be read by us, so it cannot be told apart
    return {"command": list(words), "files": files}


def questions(sitting: Sitting, table: Board, who: dict[str, Any]) -> list[Question]:
    """Every critical position, or a sample, as reached by its shortest line; the shortest lines come first."""
    critical = table.solution.critical.nonzero()[0].tolist()
    if sitting.sample is not None:
        if not 1 <= sitting.sample <= len(critical):
            most = f"{table.graph.game} has {len(critical)} critical positions"
            raise Mistake(f"--sample {sitting.sample}: {most}; take 1 to {len(critical)}, or leave it out")
        chance = np.random.default_rng(sitting.seed)
        critical = chance.permutation(critical)[: sitting.sample].tolist()  # a larger sample holds the smaller
    lines = table.lines(critical)
    found = []
    for repeat in range(sitting.repeats):
        for state in sorted(critical, key=lambda state: (len(lines[state]), lines[state])):
            body = question(table, lines[state], sitting.seconds)
            key = digest({"question": body, "startup": sitting.startup, "player": who, "repeat": repeat})
            found.append(Question(state, repeat, body, key))
    return found


def hold(
    sitting: Sitting,
    out: str | Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    show: Callable[[Progress], None] = lambda progress: None,
) -> Held:
    """Ask whatever has no answer yet, judge, and save."""
    run = Run(sitting.path(out))
    if (run.path / "settings.toml").exists():
        raise Mistake(f"{run.path}: a training run stands there; choose another --name or --out")
    if (run.path / "answers.jsonl").exists() and not (resume or overwrite):
        raise Mistake(f"{run.path}: this exam exists; add --resume to go on with it, --overwrite to start anew")
    if resume and not (run.path / "answers.jsonl").exists():
        raise Mistake(f"{run.path}: no exam to resume; leave out --resume to start it")
    table = board(sitting.book)
    who = fingerprint(sitting.words)
    wanted = questions(sitting, table, who)
    with run.locked():
        if overwrite:
            for name in FILES:
                (run.path / name).unlink(missing_ok=True)
        began = time.monotonic()
        answers, facts = _ask(sitting, table, run, wanted, show)
        return _save(sitting, table, run, wanted, answers, {**facts, **who}, time.monotonic() - began)


def _ask(
    sitting: Sitting, table: Board, run: Run, wanted: list[Question], show: Callable[[Progress], None]
) -> tuple[dict[str, Answer], dict[str, Any]]:
    """The answers by key; a question that could not be put any more has none."""
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
    deaths = list[tuple[str, Answer, dict[str, Any]]]()  # saved once it answers again: else --resume asks anew
    with adding(run.path / "answers.jsonl") as file, Pipe(sitting.words, sitting.seconds, sitting.startup) as player:
        for one in wanted:
            if one.key in answers:
                continue
            began = time.monotonic()
            try:
                answer = player.ask(one.body)
            except GaveUp:
                deaths.clear()
                break
            if before and answer.about and answer.about not in before:
                raise Mistake(
                    f"{run.path}: the player now says it is {answer.about}, but the answers there are by {before[-1]}; "
                    "add --overwrite, or choose another --name"
                )
            seconds = round(time.monotonic() - began, 3)
            more = {"state": one.state, "repeat": one.repeat, "moves": one.body["moves"], "seconds": seconds}
            deaths.append((one.key, answer, more))
            if answer.kind != "crashed":
                _save_answers(file, deaths)
            answers[one.key] = answer
            good += answer.move is not None and answer.move in table.keeping(one.state)
            invalid += answer.move is None
            show(Progress(len(answers), len(wanted), good, invalid))
        _save_answers(file, deaths)
    return answers, {
        "starts": player.starts,
        "strays": player.strays,
        "last_words": player.last_words_clean(),
        "skipped_lines": saved.skipped,
    }


def _save_answers(file: Writer, pending: list[tuple[str, Answer, dict[str, Any]]]) -> None:
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
