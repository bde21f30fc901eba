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

from arena.protocol import KINDS, Answer, costs, flat, shown
from base.reading import each_line, opened
from games import Mistake

LONGEST_LINE = 1 << 20  # bytes; twenty texts of 500 characters each take less
SYNC_SECONDS = 1.0  # at most so much is lost when the machine goes down; nothing when only the program does


@dataclass(frozen=True)
class Saved:
    """What a file of answers holds."""

    answers: dict[str, Answer]  # by the key of the question
    skipped: int  # lines that cannot be read, as the last one of an exam that was killed


def read_answers(path: Path) -> Saved:
    """The answers so far; of several with one key the first counts, for the others were never needed."""
    answers: dict[str, Answer] = {}
    skipped = 0
    if not path.exists():
        return Saved(answers, skipped)
    with opened(path, "move it away, or choose another --name") as file:
        for line in each_line(file, LONGEST_LINE):
            row = None if line is None else _row(line)
            if row is not None:
                answers.setdefault(*row)
            elif line is None or line.strip():
                skipped += 1
    return Saved(answers, skipped)


def _row(line: bytes) -> tuple[str, Answer] | None:
    """The key and the answer in a line; None where it holds none, as the last line of an exam that was killed."""
    try:
        row = json.loads(line)
        key, kind, move, said, about, usage = (row[name] for name in ("key", "kind", "move", "said", "about", "usage"))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = isinstance(key, str) and isinstance(said, str) and isinstance(kind, str) and kind in KINDS
    fits = type(move) is int if kind == "legal" else move is None
    if not texts or not fits or flat(about) != about or costs(usage) != usage:
        return None
    return key, Answer(kind, move, shown(said.encode("utf-8", "backslashreplace")), about, usage)


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
