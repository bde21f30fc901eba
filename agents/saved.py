"""The judged policy that a run or an exam has left on disk."""

from __future__ import annotations

import os
from pathlib import Path

from base.mistake import Mistake
from games import Policy


def load(run: str | os.PathLike[str]) -> Policy:
    """The judged policy of a finished run; `policy.act(state)` plays it."""
    path = Path(run)
    file = path / "policy.npz" if path.is_dir() else path
    if not file.exists():
        if not path.exists():
            raise Mistake(f"{path}: no such run; name a folder that train.py or exam.py has written")
        raise Mistake(f"{path}: not finished (no policy.npz); train it to the end with --resume")
    return Policy.load(file)
