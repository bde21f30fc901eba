"""A solution and its graph as JSON, for checkers in any language; the format is in docs/solution_format.md."""

from __future__ import annotations

import json
import os
from pathlib import Path

from games.graph import GameGraph
from games.mistake import Mistake
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
    if Path(path).exists() and not Path(path).is_file():  # never a folder or a device in its place
        raise Mistake(f"{path}: is there, and is no file; name a file in a folder that exists")
    partial = Path(f"{os.fspath(path)}.partial")
    try:
        partial.write_text(json.dumps(record), encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise Mistake(f"{path}: cannot be written ({error.strerror}); name a file in a folder that exists") from error
