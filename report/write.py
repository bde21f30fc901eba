"""Files of a report on disk: each appears whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from games import Mistake


def write(folder: Path, files: Mapping[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            partial = folder / f"{name}.partial"
            partial.write_bytes(text.encode("utf-8", "replace"))
            partial.replace(folder / name)
    except OSError as error:
        raise Mistake(f"{folder}: cannot be written ({error.strerror}); choose another --out") from error
