"""The figures of a report for papers, as SVG and PNG: the learning curves of a game, and a map of each run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from base.figure import COLOURS, FAINT, axes_side_by_side, short_numbers
from base.mistake import Mistake
from base.printable import printable
from report.document import Game, Report
from report.film import BLUNDER, KEEPS, NOTHING, places
from report.runs import Entry
from solver.facts import facts

ENDINGS = (".svg", ".png")
MOST_MAPS = 20
LARGEST_MAP = 200_000  # states of a game whose map is drawn


def draw_figures(report: Report, entries: Sequence[Entry], folder: Path) -> list[Path]:
    """Draw what there is to draw, and say which files that are."""
    curves = [game for game in report.games if any(player.curve is not None for player in game.players)]
    mapped = [entry for entry in entries if entry.policy.graph.num_states <= LARGEST_MAP][:MOST_MAPS]
    if not (curves or mapped):
        raise Mistake("--figures: there is no run with a curve or a map here; name a run that train.py has written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Mistake(f"{folder}: cannot be written ({error.strerror}); choose another --out") from error
    files = list[Path]()
    for game in curves:
        files += _curves(game, folder)
    for entry in mapped:
        files += _map(entry, folder)
    return files


def _files(folder: Path, name: str) -> list[Path]:
    plain = re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.")[:120]
    return [folder / f"{plain}{ending}" for ending in ENDINGS]


def _curves(game: Game, folder: Path) -> list[Path]:
    """Blunders and exploitability of every run against steps, and the median of each group."""
    files, order = _files(folder, f"{game.id}-curves"), [group.name for group in game.groups]
    with axes_side_by_side(files, 2, (8.6, 3.2), share=False) as (blunders, exploitability):
        for player in game.players:
            if player.curve is None:
                continue
            several = player.group is not None and game.groups[order.index(player.group)].runs > 1
            colour = COLOURS[order.index(player.group) % len(COLOURS) if player.group is not None else 0]
            thin: dict[str, Any] = {"linewidth": 0.8, "alpha": 0.5} if several else {"linewidth": 1.8}
            label = None if several else printable(player.name)
            blunders.plot(player.curve.steps, player.curve.blunders, color=colour, label=label, **thin)
            exploitability.plot(player.curve.steps, player.curve.exploitability, color=colour, label=label, **thin)
        for place, group in enumerate(game.groups):
            if group.runs > 1 and group.median is not None:
                bold: dict[str, Any] = {"color": COLOURS[place % len(COLOURS)], "linewidth": 2.2}
                label = f"{printable(group.name)}, median of {group.runs}"
                blunders.plot(group.median.steps, group.median.blunders, label=label, **bold)
                exploitability.plot(group.median.steps, group.median.exploitability, label=label, **bold)
        least = _first_step(game)
        for axes in (blunders, exploitability):
            axes.set_xscale("symlog", linthresh=least)  # step 0 has a place too
            axes.set(xlabel="steps", xlim=(0, None))
            axes.xaxis.set_major_formatter(short_numbers())
            axes.grid(axis="y")
        blunders.set_yscale("symlog", linthresh=1)
        blunders.set(ylim=(0, None), title=f"{game.title}: blunders")
        blunders.set_ylabel(f"of {game.critical_states:,} critical positions")
        blunders.yaxis.set_major_formatter(short_numbers())
        exploitability.set(ylim=(-0.02, 1.02), title="Exploitability")
        exploitability.legend(loc="lower left", fontsize=8)
    return files


def _first_step(game: Game) -> int:
    steps = [step for player in game.players if player.curve is not None for step in player.curve.steps if step > 0]
    return min(steps, default=1)


def _map(entry: Entry, folder: Path) -> list[Path]:
    """Every position of the game, and where this player may blunder."""
    graph, known = entry.policy.graph, facts(entry.policy.graph)
    risky = np.zeros(graph.num_states, dtype=np.bool_)
    risky[known.critical] = (entry.policy.probability * known.blunder).sum(axis=1)[known.critical] > 0
    colours = np.full(graph.num_states, NOTHING, dtype=object)
    colours[known.critical] = KEEPS
    colours[risky] = BLUNDER
    boxes, fields = places(graph)
    seed = "" if entry.card.seed is None else f", seed {entry.card.seed}"
    name = f"{graph.game}-{entry.agent}{'' if entry.card.seed is None else f'-seed-{entry.card.seed}'}-map"
    files = _files(folder, name)
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    wide, high = max(box[2] for box in boxes) - left, max(box[3] for box in boxes) - top
    with axes_side_by_side(files, 1, (8.6, max(8.2 * high / wide, 0.3) + 0.9)) as (axes,):
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Patch, Rectangle

        squares = [Rectangle((x, y), max(right - x, 0.5), max(low - y, 0.5)) for x, y, right, low in boxes]
        axes.add_collection(PatchCollection(squares, facecolors=colours.tolist(), linewidths=0))
        axes.set(xlim=(left, left + wide), ylim=(top + high, top), aspect="equal", xticks=(), yticks=())
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.set_title(f"{entry.book.title}: {printable(entry.agent)}{seed}")
        words = {KEEPS: "keeps the value", BLUNDER: f"may blunder ({int(risky.sum()):,})", NOTHING: "nothing to decide"}
        keys = [Patch(color=colour, label=label) for colour, label in words.items()]
        axes.legend(handles=keys, loc="upper left", bbox_to_anchor=(0, 0), ncols=3, fontsize=8)
        axes.text(1, -0.02, fields, transform=axes.transAxes, ha="right", va="top", fontsize=8, color=FAINT)
    return files
