"""A solution and its graph as JSON, for checkers in any language; the format is in docs/formats/solution.md."""

from __future__ import annotations

import json
import os

from base.files import whole
from games.graph import GameGraph
from solver.values import Solution

FORMAT = "perfect-play-solution-1"


def export(graph: GameGraph, solution: Solution, path: str | os.PathLike[str]) -> None:
    """One JSON file. It appears whole or not at all."""
    record = {
        "format": FORMAT,
        "game": graph.game,
        "parameters": dict(graph.parameters),
        "fields": dict(graph.fields),
        "checksum": graph.checksum,
        "moves": graph.moves.tolist(),
        "positions": graph.positions.tolist(),
        "next_state": graph.next_state.tolist(),
        "value": solution.value.tolist(),
        "remoteness": solution.remoteness.tolist(),
        "keeps": solution.keeps.astype(int).tolist(),
        "critical": solution.critical.astype(int).tolist(),
    }
    with whole(path, "name a file in a folder that exists") as file:
        file.write(json.dumps(record).encode())
