"""The answers of an exam on disk: added line by line as they come, so that no answered question is asked twice."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.protocol import KINDS, Answer
from games import Mistake

SYNC_SECONDS = 1.0  # at most so much is lost when the machine goes down; nothing when only the program does


@dataclass(frozen=True)
class Saved:
    """What a file of answers holds."""

    answers: dict[str, Answer]  # by the key of the question
    skipped: int  # lines that cannot be read, as the last one of an exam that was killed


def read_answers(path: Path) -> Saved:
    """The answers so far; of several with one key the first counts, for the others were never needed."""
    found: dict[str, Answer] = {}
    skipped = 0
    if not path.exists():
        return Saved(found, skipped)
    for line in path.read_bytes().split(b"\n"):
        if line.strip():
            try:
                row = json.loads(line)
                answer = Answer(row["kind"], row["move"], row["said"], row["about"], row["usage"])
                if answer.kind not in KINDS or (answer.kind == "legal") != (type(answer.move) is int):
                    raise ValueError
                if not isinstance(answer.about, dict) or not isinstance(answer.usage, dict):
                    raise ValueError
                found.setdefault(str(row["key"]), answer)
            except (ValueError, KeyError, TypeError):
                skipped += 1
    return Saved(found, skipped)


class Writer:
    def __init__(self, file: Any) -> None:
        self._file, self._synced = file, time.monotonic()

    def add(self, key: str, answer: Answer, **more: Any) -> None:
        self._file.write(json.dumps({"key": key, **more, **asdict(answer)}).encode() + b"\n")
        self._file.flush()
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()


@contextmanager
def adding(path: Path) -> Iterator[Writer]:
    """A writer that adds answers to the end of the file, after whatever is there."""
    try:
        with path.open("ab+") as file:
            if file.seek(0, os.SEEK_END) > 0:
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # the writer before was killed in the middle of a line
                    file.write(b"\n")
            yield Writer(file)
            os.fsync(file.fileno())
    except OSError as error:
        raise Mistake(f"{path}: cannot be written ({error.strerror}); make room and add --resume") from error
