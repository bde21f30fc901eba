"""One network on many members of a family: the curve of blunders, member by member, exact to the last."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from base.files import write_folder
from training.ladders.members import Member, horizon

ROWS = 24  # of the curve on a screen


def told(run: str, name: str, curve: Sequence[Member]) -> Iterator[str]:
    """The curve on a screen: a line for each member, or for as many together as fit."""
    together = -(-len(curve) // ROWS)
    yield f"{run} on {len(curve)} member{'s' * (len(curve) > 1)} that a player sees alike"
    for first in range(0, len(curve), together):
        part = curve[first : first + together]
        sizes = f"{part[0].size}" if len(part) == 1 else f"{part[0].size}-{part[-1].size}"
        blunders, critical = sum(one.blunders for one in part), sum(one.critical for one in part)
        clean = sum(not one.blunders for one in part)
        bar = "#" * round(30 * blunders / max(critical, 1))
        counts = f"{blunders:>7} of {critical:>7} blunders  {clean:>4} of {len(part)} without"
        yield f"  {name} {sizes:>11}  {counts}  {bar}".rstrip()
    reached, start = horizon(curve), f"{name}={curve[0].size}"
    if reached is None:
        yield f"horizon  none: {start} has a blunder"
    else:
        yield f"horizon  {name}={reached}: none has a blunder from {start} on"


def write_curve(folder: Path, run: str, name: str, curve: Sequence[Member]) -> Path:
    """members.csv and members.json"""
    rows = [asdict(member) for member in curve]
    text = io.StringIO()
    writer = csv.DictWriter(text, [name, *list(rows[0])[1:]], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name if key == "size" else key: value for key, value in row.items()} for row in rows)
    table = {"run": run, "parameter": name, "horizon": horizon(curve), "members": rows}
    files = {"members.csv": text.getvalue(), "members.json": json.dumps(table, indent=1) + "\n"}
    write_folder(folder, files, "choose another --out")
    return folder / "members.csv"
