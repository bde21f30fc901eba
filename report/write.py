"""Files of a report on disk: each appears whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from games import Mistake
from games.files import write_together

WHAT_NOW = "choose another --out"


def write(folder: Path, files: Mapping[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Mistake(f"{folder}: cannot be written ({error.strerror}); {WHAT_NOW}") from error
    write_together({folder / name: text.encode("utf-8", "replace") for name, text in files.items()}, WHAT_NOW)
