"""The geometry of the learning curves on the page: scales, ticks and points, drawn by the template as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from report.document import Curve, Game

WIDTH, HEIGHT = 360, 230
LEFT, RIGHT, TOP, BOTTOM = 40, 350, 14, 190  # the frame, in the units of the view box
COLOURS = 8  # then they come again, with other dashes

Scale = Callable[[float], float]


@dataclass(frozen=True)
class Axis:
    place: Scale  # a value -> its place in the view box
    ticks: list[tuple[float, str]]  # places and labels


@dataclass(frozen=True)
class Series:
    points: str  # of an SVG polyline
    group: int
    kind: str  # "seed" or "median"
    title: str


@dataclass(frozen=True)
class Chart:
    title: str
    note: str
    across: Axis
    up: Axis
    series: list[Series]


def charts(game: Game) -> list[Chart]:
    """Blunders, exploitability and, of several runs, survival against steps; nothing where no run has a curve."""
    runs = [(player, player.curve) for player in game.players if player.curve is not None]
    order = [group.name for group in game.groups]
    if not runs:
        return []
    across = _steps_axis([curve.steps for _, curve in runs])
    drawn = []
    for title, note, up, column in (
        ("Blunders", "critical positions with a blunder", _count_axis(game.critical_states), _blunders),
        ("Exploitability", "value given away to a best response", _share_axis(), _exploitability),
    ):
        series = [
            Series(
                _points(curve.steps, column(curve), across, up), order.index(player.group or ""), "seed", player.name
            )
            for player, curve in runs
        ]
        series += [
            Series(_points(g.median.steps, column(g.median), across, up), k, "median", f"{g.name}, median")
            for k, g in enumerate(game.groups)
            if g.median is not None
        ]
        drawn.append(Chart(title, note, across, up, series))
    several = any(group.runs > 1 and group.steps_to_perfect is not None for group in game.groups)
    return [*drawn, _survival(game, across)] if several else drawn


def _blunders(curve: Curve) -> list[float]:
    return curve.blunders


def _exploitability(curve: Curve) -> list[float]:
    return curve.exploitability


def _survival(game: Game, across: Axis) -> Chart:
    up, series = _share_axis(), []
    for number, group in enumerate(game.groups):
        if (curve := group.steps_to_perfect) is None:
            continue
        steps, share = [0], [1.0]
        for step, after in zip(curve.steps, curve.not_yet, strict=True):  # level, then down
            steps += [step, step]
            share += [share[-1], after]
        steps.append(max(curve.watched, steps[-1]))
        share.append(share[-1])
        title = f"{group.name}: {curve.reached} of {curve.runs} perfect to the end"
        series.append(Series(_points(steps, share, across, up), number, "median", title))
    return Chart("Not yet perfect", "share of runs (Kaplan–Meier)", across, up, series)


def _points(steps: Sequence[float], values: Sequence[float], across: Axis, up: Axis) -> str:
    pairs = zip(steps, values, strict=True)
    return " ".join(f"{across.place(step):.1f},{up.place(value):.1f}" for step, value in pairs)


def _steps_axis(curves: Sequence[Sequence[float]]) -> Axis:
    """Logarithmic; step 0 stands at the left edge, a gap before the first evaluation."""
    largest = max(max(steps) for steps in curves)
    least = min((step for steps in curves for step in steps if step > 0), default=1)
    first, last = math.log10(least), math.log10(max(largest, least * 10))
    gap = 22

    def place(step: float) -> float:
        if step <= 0:
            return LEFT
        return LEFT + gap + (math.log10(max(step, least)) - first) / (last - first) * (RIGHT - LEFT - gap)

    tens = [10**n for n in range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)]
    return Axis(place, [(LEFT, "0"), *((place(n), short(n)) for n in tens if place(n) > LEFT + 16)])


def _count_axis(largest: int) -> Axis:
    """Logarithmic in 1 + count, so that 0 has a place: the one that matters."""
    top = math.log10(1 + max(largest, 1))

    def place(count: float) -> float:
        return BOTTOM - math.log10(1 + count) / top * (BOTTOM - TOP)

    labels = [0, *(10**n for n in range(int(math.log10(max(largest, 1))) + 1))]
    if largest > 1.6 * labels[-1]:
        labels.append(largest)
    return Axis(place, [(place(n), f"{n:,}") for n in labels])


def _share_axis() -> Axis:
    def place(share: float) -> float:
        return BOTTOM - share * (BOTTOM - TOP)

    return Axis(place, [(place(share), label) for share, label in ((0.0, "0"), (0.5, "0.5"), (1.0, "1"))])


def short(number: float) -> str:
    """1,000 as 1k: for the ticks of an axis."""
    for size, sign in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:g}{sign}"
    return f"{number:g}"
