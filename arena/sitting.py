"""Who sits an exam or plays a match, under which name and conditions, and where that is kept."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from agents.settings import AGENTS
from arena.copies import Copies
from arena.pipe import GaveUp
from arena.protocol import Answer
from games import Mistake, RuleBook
from training.resolve import spelled

INTERPRETERS = ("python", "node", "bash", "sh", "ruby", "perl", "deno", "java")
SCRIPTS = (".py", ".js", ".mjs", ".sh", ".rb", ".pl")
LOGS = (".log", ".jsonl")
LARGEST_FILE = 1 << 28  # bytes of a file in the command that is looked into
NAMED_BY = ("name", "model")  # in what a player says about itself: by what it is called, the first that is there


@dataclass(frozen=True)
class Sitting:
    """All that decides an exam."""

    book: RuleBook
    words: list[str]  # the command
    label: str = ""  # the player's name, in the report and as a folder; empty: as it calls itself, or by its command
    seconds: float = 60.0  # for an answer
    startup: float = 30.0  # and more for the first after a start
    repeats: int = 1
    sample: int | None = None  # how many critical positions are asked; None: all
    seed: int = 0

    def path(self, out: str | Path) -> Path:
        game = spelled(self.book.name, self.book.parameters, self.book.defaults)
        return Path(out) / game / folder(self.label or label_of(self.words)) / f"seed-{self.seed}"


class Stopped(KeyboardInterrupt):
    """Ctrl-C in the middle of an exam or a match: what was done so far is saved."""

    def __init__(self, path: Path, label: str) -> None:
        super().__init__(str(path))
        self.path, self.label = path, label


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
    if Path(rest[0]).name.rstrip("0123456789.") in INTERPRETERS:
        own = 1
        while own < len(rest) - 1 and rest[own].startswith("-"):  # options of the interpreter, and -m
            own += 1
        rest = rest[own:] or rest
    name = Path(rest[0])
    names = [name.stem if name.suffix in SCRIPTS else name.name, *rest[1:]]
    return "-".join(word.strip("-") for word in names if word.strip("-")) or "player"


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


def named(sitting: Sitting, player: Copies, question: Mapping[str, Any]) -> tuple[Sitting, Answer]:
    """The sitting under the name by which the player calls itself when it is asked this, and its answer."""
    try:
        answer = player.pipes[0].ask(question)
    except GaveUp:
        answer = Answer("crashed")
    names = [name for key in NAMED_BY if isinstance(name := answer.about.get(key), str) and name.strip()]
    label = names[0] if names and names[0] not in AGENTS else label_of(sitting.words)
    return replace(sitting, label=label), answer
