"""The judged policy that a run or an exam has left on disk."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import numpy as np

from base.mistake import Mistake
from games import Policy
from solver.facts import facts

MOST_LISTED, MOST_LOOKED_AT = 10, 10_000  # runs of a folder


def load(run: str | os.PathLike[str]) -> Policy:
    """The judged policy of a finished run; `policy.act(state)` plays it."""
    path = Path(run)
    file = path / "policy.npz" if path.is_dir() else path
    if not file.exists():
        if not path.exists():
            raise Mistake(f"{path}: no such run; name a folder that train.py or exam.py has written")
        if (path / "exam.json").exists():
            raise Mistake(f"{path}: an exam whose player never answered; there is nothing to judge")
        if runs := _runs_in(path):
            more = f", and {len(runs) - MOST_LISTED} more" if len(runs) > MOST_LISTED else ""
            raise Mistake(f"{path}: a folder of runs, not a run; name one of {', '.join(runs[:MOST_LISTED])}{more}")
        raise Mistake(f"{path}: not finished (no policy.npz); train it to the end with --resume")
    return Policy.load(file)


def _runs_in(folder: Path) -> list[str]:
    """The finished runs in a folder of runs, as train.py and sweep.py lay them out."""
    patterns = ("*/policy.npz", "*/*/policy.npz", "*/*/*/policy.npz")
    return sorted(str(file.parent) for pattern in patterns for file in islice(folder.glob(pattern), MOST_LOOKED_AT))


def not_asked(policy: Policy) -> int:
    """How many critical positions an exam did not ask about: there the policy is uniform, and not its player's."""
    asked = policy.extra.get("asked")
    if asked is None:
        return 0
    if asked.shape != (policy.graph.num_states,) or asked.dtype != np.bool_:
        raise Mistake(f"{policy.graph.game}: asked has the shape {asked.shape}; it must tell of each state yes or no")
    return int((~asked[facts(policy.graph).critical]).sum())
