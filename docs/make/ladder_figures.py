"""The figures of the ladders: how far each entry comes, and the performance profile of its runs."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from base.figure import COLOURS, axes_side_by_side, per_cent
from report.comparison import profile
from training.ladders.judge import Judgement
from training.ladders.ladder import Ladder


def draw(ladder: Ladder, entries: Sequence[tuple[str, Judgement]], folder: Path) -> Path:
    """Left the frontier, or the score of every run; right the share of runs with at most so many blunders."""
    folder.mkdir(parents=True, exist_ok=True)
    file, plies = folder / f"ladder_{ladder.name}.svg", ladder.score == "plies"
    what = "plies until perfect, by the limit" if plies else "critical positions with a blunder"
    most = max([1.0, *(one.measure(run) for _, one in entries for run in one.runs)])
    with axes_side_by_side([file], 2, (8.6, 3.4), share=False) as (left, right):
        for place, (name, judgement) in enumerate(entries):
            colour = COLOURS[place % len(COLOURS)]
            if ladder.score == "size":
                _frontier(left, ladder, judgement, colour, place)
            elif ladder.judged is not None:
                _curve(left, judgement, colour)
            else:
                _dots(left, judgement, colour, place)
            games: dict[Any, list[float]] = {}
            for each in judgement.runs:
                games.setdefault(each.claim.env + str(dict(each.claim.parameters)), []).append(judgement.measure(each))
            limits = sorted({0.0, most, *(number for runs in games.values() for number in runs)})
            right.step(
                limits, profile(list(games.values()), limits), where="post", color=colour, linewidth=2, label=name
            )
        if ladder.judged is not None:
            left.set(xlabel=str(ladder.size), ylim=(-0.02, 1.02))
            left.yaxis.set_major_formatter(per_cent())
            left.set_title("Critical positions with a blunder")
        elif ladder.score == "size":
            left.set(xlabel=str(ladder.size), ylim=(-0.02, 1.02))
            left.xaxis.get_major_locator().set_params(integer=True)
            left.yaxis.set_major_formatter(per_cent())
            left.set_title("Critical positions with a blunder")
        else:
            left.set_yticks(range(len(entries)), [name for name, _ in entries])
            left.set(ylim=(len(entries) - 0.5, -0.5), xlim=(-0.02 * most, None), xlabel=what)
            left.set_title("Every run")
        left.grid()
        right.set(xlim=(-0.02 * most, 1.02 * most), ylim=(0, 1.04), xlabel=f"{what}, at most")
        for axes in (right,) if ladder.size is not None else (left, right):
            if plies:
                axes.set(xscale="log", xlim=(0.8, most))
            else:
                axes.xaxis.set_major_formatter(per_cent())
        right.yaxis.set_major_formatter(per_cent())
        right.set_title("Share of runs")
        right.grid()
        right.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=9)
    return file


def _frontier(axes: Any, ladder: Ladder, judgement: Judgement, colour: str, place: int) -> None:
    """A line through the medians, a dot for every run, a little aside so that entries do not cover each other."""
    sizes = judgement.sizes
    runs = [[run.share for run in judgement.runs if judgement.size(run) == size] for size in sizes]
    aside = 0.04 * (place - 1)
    axes.plot([size + aside for size in sizes], list(map(statistics.median, runs)), color=colour, linewidth=2)
    for size, shares in zip(sizes, runs, strict=True):
        axes.scatter([size + aside] * len(shares), shares, s=12, color=colour, alpha=0.6, linewidth=0, clip_on=False)


def _curve(axes: Any, judgement: Judgement, colour: str) -> None:
    """Member by member, the median over seeds."""
    sizes = [member.size for member in judgement.runs[0].curve]
    shares = np.array([[member.share for member in run.curve] for run in judgement.runs])
    axes.plot(sizes, np.median(shares, axis=0), color=colour, linewidth=1.5)


def _dots(axes: Any, judgement: Judgement, colour: str, place: int) -> None:
    shares = [judgement.measure(run) for run in judgement.runs]
    spread = place + np.linspace(-0.25, 0.25, len(shares)) if len(shares) > 1 else [place]
    axes.scatter(shares, spread, s=14, color=colour, alpha=0.75, linewidth=0, clip_on=False)
