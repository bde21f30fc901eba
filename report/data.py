"""The report as one JSON document (docs/formats/report.md): the only source of page, Markdown and LaTeX."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from arena.transcript import Annotation
from games import GameGraph
from report.game import game
from report.groups import across_games
from report.recorded import told
from report.runs import Entry
from training.run import workshop

VERSION = 1
SNAPSHOT_CELLS = (
    2_500_000  # moves in all snapshots of a page together: about as many bytes; above this, every run keeps fewer
)


def report(
    graphs: Sequence[GameGraph],
    entries: Sequence[Entry],
    *,
    command: str,
    left_out: Sequence[str] = (),
    comparison: dict[str, Any] | None = None,
    played: Sequence[tuple[GameGraph, Annotation]] = (),
) -> dict[str, Any]:
    """All there is to say about these games and whoever plays them."""
    cells = sum(entry.snapshots[1].size for entry in entries if entry.snapshots is not None)
    kept = min(1.0, SNAPSHOT_CELLS / max(cells, 1))
    games = []
    for graph in graphs:
        made = game(graph, [entry for entry in entries if entry.policy.graph is graph], kept)
        games.append(made | {"recorded": told([one for of, one in played if of is graph])})
    return {
        "version": VERSION,
        "command": command,
        "made": workshop(),
        "left_out": list(left_out),
        "games": games,
        "across_games": across_games(games),
        "comparison": comparison,
    }


def as_json(data: Any) -> str:
    """The document as text; a number that is not finite is a fault of ours and stops here."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # a file name need not be valid text
