"""The page of benchmarks/rewards.py: python -m docs.make.rewards > docs/measured/benchmarks_rewards.md"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from base.command import run

PLACE = Path(__file__).parents[1] / "measured" / "benchmarks" / "rewards.json"
COLUMNS = 4  # moments of the learning that are shown, the last one included
GOAL = 0.5
INTRO = """# What dense exact rewards are worth

Everything here is the output of `{command}` (Python {python}, numpy {numpy}, torch {torch});
`make docs` makes the page from `docs/measured/benchmarks/rewards.json`. The learner is the loop of
`examples/dense_rewards.py`, a network with one hidden layer that plays against itself. *Dense*: each move is told its
exact change of value ([rewards](../rewards.md)). *Outcome*: each move is told how the game ended for its player.
Nothing else differs.

The numbers are the exact share of keeping moves over all critical positions, mean of {seeds} seeds (least to most)
after that many games, for each kind at that of its step sizes ({steps}) which ended best. *Half*: games until the
share was {goal:.0%}.
"""


def page(stored: Mapping[str, Any]) -> Iterator[str]:
    runs: Sequence[Mapping[str, Any]] = stored["runs"]
    steps, seeds = sorted({one["step"] for one in runs}), {one["seed"] for one in runs}
    played = [games for games, _ in runs[0]["curve"]]
    shown = [len(played) * (k + 1) // COLUMNS - 1 for k in range(COLUMNS)]
    yield INTRO.format(**stored["about"], seeds=len(seeds), steps=", ".join(map(str, steps)), goal=GOAL)
    yield f"| game | rewards | step size | {' | '.join(f'{played[place]:,} games' for place in shown)} | half |"
    yield f"|---|---|---:|{'---:|' * (len(shown) + 1)}"
    for game in dict.fromkeys(one["game"] for one in runs):
        for kind in dict.fromkeys(one["rewards"] for one in runs):
            there = [one for one in runs if (one["game"], one["rewards"]) == (game, kind)]
            step = max(steps, key=lambda size: fmean(_last(one) for one in there if one["step"] == size))
            curves = [[share for _, share in one["curve"]] for one in there if one["step"] == step]
            cells = [_spread([curve[place] for curve in curves]) for place in shown]
            half = _half([_arrival(played, curve) for curve in curves])
            yield f"| {game} | {kind} | {step} | {' | '.join(cells)} | {half} |"


def _last(one: Mapping[str, Any]) -> float:
    return float(one["curve"][-1][1])


def _arrival(played: Sequence[int], curve: Sequence[float]) -> int | None:
    return next((games for games, share in zip(played, curve, strict=True) if share >= GOAL), None)


def _half(arrivals: Sequence[int | None]) -> str:
    known = [games for games in arrivals if games is not None]
    if not known:
        return "never"
    return f"{fmean(known):,.0f}" + ("" if len(known) == len(arrivals) else f", {len(known)} of {len(arrivals)} seeds")


def _spread(shares: Sequence[float]) -> str:
    return f"{fmean(shares):.3f} ({min(shares):.3f} to {max(shares):.3f})"


def main() -> int:
    for line in page(json.loads(PLACE.read_text(encoding="utf-8"))):
        print(line)
    return 0


if __name__ == "__main__":
    run(main)
