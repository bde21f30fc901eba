"""The page of evaluate.py inside a notebook: about runs on disk, and about what was only ever in memory."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from base.mistake import Mistake
from games import Policy
from report import page
from report.evaluate import evaluate
from training import Training

HEIGHT = 900  # pixels


@dataclass(frozen=True)
class Inline:
    """A page that a notebook shows where it is the last line of a cell."""

    html: str = field(repr=False)
    height: int = HEIGHT

    def _repr_html_(self) -> str:
        document = escape(self.html, quote=True)
        return f'<iframe srcdoc="{document}" title="Perfect Play" width="100%" height="{self.height}"></iframe>'


def inline(*things: str | os.PathLike[str] | Training | Policy, height: int = HEIGHT) -> Inline:
    """The page about these runs, folders, policy files, trainings and policies; without any, about every game."""
    with TemporaryDirectory() as folder:
        places = [_place(thing, Path(folder), number) for number, thing in enumerate(things, 1)]
        made = evaluate(places, command="report.inline").report
    return Inline(page.page(made), height)


def _place(thing: object, folder: Path, number: int) -> str:
    if isinstance(thing, str | os.PathLike):
        return os.fspath(thing)
    policy = thing.policy if isinstance(thing, Training) else thing
    if not isinstance(policy, Policy):
        raise Mistake(f"inline: a {type(thing).__name__} has no page; name a run, a Training or a Policy")
    name = f"{thing.settings.agent}-{number}" if isinstance(thing, Training) else f"policy-{number}"
    policy.save(folder / f"{name}.npz")
    return str(folder / f"{name}.npz")
