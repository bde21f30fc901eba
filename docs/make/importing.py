"""The page of benchmarks/importing.py: python -m docs.make.importing > docs/measured/benchmarks_importing.md"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from base.command import run

PLACE = Path(__file__).parents[1] / "measured" / "benchmarks" / "importing.json"
INTRO = """# How fast foreign games are explored

Everything here is the output of `{command}` (Python {python}, numpy {numpy}, Gymnasium {gymnasium},
PettingZoo {pettingzoo}); `make docs` makes the page from `docs/measured/benchmarks/importing.json`. All walk
all of tic-tac-toe's positions to move in. *Imported* is `python -m envs import`, with its checks (games are played
again with other seeds, some moves are made twice, games from the start are compared), the merging and the words; a
*negamax* remembers positions, knows what a position is, and checks nothing. CPU seconds, median of {rounds}
interleaved rounds.
"""


def page(stored: Mapping[str, Any]) -> Iterator[str]:
    yield INTRO.format(**stored["about"])
    yield "| game | way | positions | CPU seconds | positions a second |"
    yield "|---|---|---:|---:|---:|"
    for row in stored["rows"]:
        seconds = median(row["seconds"])
        yield f"| {row['game']} | {row['way']} | {row['positions']:,} | {seconds:.2f} | {row['rate']:,.0f} |"
    if stored["about"]["missing"]:
        yield ""
        yield f"Not installed where this was measured, and left out: {', '.join(stored['about']['missing'])}."


def main() -> None:
    print("\n".join(page(json.loads(PLACE.read_text(encoding="utf-8")))))


if __name__ == "__main__":
    run(main)
