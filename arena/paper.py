"""The questions of an exam, each with the key under which its answer is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.board import Board
from arena.protocol import digest, question
from arena.sitting import Sitting
from games import Mistake


@dataclass(frozen=True)
class Question:
    state: int
    repeat: int
    body: dict[str, Any]  # what the player is told, but for the id
    key: str  # of everything that could change the answer


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
    asked = []
    for repeat in range(sitting.repeats):
        for state in sorted(critical, key=lambda state: (len(lines[state]), lines[state])):
            body = question(table, lines[state], sitting.seconds)
            key = digest({"question": body, "startup": sitting.startup, "player": who, "repeat": repeat})
            asked.append(Question(state, repeat, body, key))
    return asked
