"""The report: what there is to say about some games and whoever plays them, in one record."""

from __future__ import annotations

from collections.abc import Sequence

from arena.transcript import Annotation
from games import GameGraph
from report.document import VERSION, Comparison, Report
from report.game import game
from report.groups import across_games
from report.runs import Entry, Sitting, edits
from training.run import workshop

SNAPSHOT_CELLS = (
    2_500_000  # moves in all snapshots of a page together: about as many bytes; above this, every run keeps fewer
)


def report(
    graphs: Sequence[GameGraph],
    entries: Sequence[Entry],
    *,
    sittings: Sequence[Sitting] = (),
    command: str,
    left_out: Sequence[str] = (),
    comparison: Comparison | None = None,
    played: Sequence[tuple[GameGraph, Annotation]] = (),
) -> Report:
    """All there is to say about these games and whoever plays them."""
    cells = sum(entry.snapshots[1].size for entry in entries if entry.snapshots is not None)
    kept = min(1.0, SNAPSHOT_CELLS / max(cells, 1))
    games = [
        game(
            graph,
            [entry for entry in entries if entry.policy.graph is graph],
            [sitting for sitting in sittings if sitting.policy.graph is graph],
            [annotation for other, annotation in played if other is graph],
            kept,
        )
        for graph in graphs
    ]
    return Report(
        version=VERSION,
        command=command,
        made=workshop(),
        left_out=list(left_out),
        edited=[line for entry in entries for line in edits(entry)],
        games=games,
        across_games=across_games(games),
        comparison=comparison,
    )
