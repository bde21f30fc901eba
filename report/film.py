"""A film of a training: the map of the game at each evaluation, and the curve of blunders below; as a GIF or an MP4."""

from __future__ import annotations

import importlib
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from base.canvas import DIM, INK, RULE, Box, Canvas, cut
from base.files import whole
from base.mistake import Mistake
from games import GameGraph
from report.document import Panel
from report.layout import layout
from report.runs import Entry, readable
from solver.facts import facts

WIDTH, HEIGHT = 960, 544  # multiples of 16, as codecs want them
MARGIN, GAP = 24, 14
MAP: Box = (MARGIN, 74, WIDTH - MARGIN, 398)
CURVE: Box = (MARGIN + 46, 434, WIDTH - MARGIN, 514)
KEEPS, BLUNDER, NOTHING = "#9cc9e8", "#d9621a", "#e6e6e1"
LARGEST_CELL = 26
MOST_FRAMES, FPS, HOLD = 120, 10, 2.0  # the last frame stays for so many seconds
ENDINGS = (".gif", ".mp4")
WHAT_NOW = "choose another --film"


@dataclass(frozen=True)
class Take:
    """What changes from frame to frame."""

    steps: list[int]
    blundered: NDArray[np.bool_]  # [E, S]: a critical state where the greedy move is a blunder
    critical: NDArray[np.int64]

    @property
    def counts(self) -> list[int]:
        return [int(count) for count in self.blundered.sum(axis=1)]


def check_film(name: str, runs: Sequence[str]) -> None:
    """Refuse before any work what could not be written in the end."""
    if Path(name).suffix not in ENDINGS:
        raise Mistake(f"--film {name}: a film is a .gif or an .mp4; name it so")
    if not Path(name).absolute().parent.is_dir():
        raise Mistake(f"--film {name}: there is no folder {Path(name).parent}; make it first")
    if not runs:
        raise Mistake(f"--film {name}: name the run whose training it shows")
    if Path(name).suffix == ".mp4":
        _imageio()


def film(entries: Sequence[Entry], name: str) -> None:
    """Write the film of the one run among them that kept its evaluations."""
    filmed = [entry for entry in entries if entry.snapshots is not None]
    if len(filmed) != 1:
        what = f"are {len(filmed)} runs" if filmed else "is no run with snapshots of its training"
        raise Mistake(f"--film {name}: there {what} here; name one run that train.py has written")
    frames = drawn(filmed[0])
    content = _gif(frames) if Path(name).suffix == ".gif" else _mp4(frames)
    with whole(name, WHAT_NOW) as file:
        file.write(content)


def drawn(entry: Entry) -> list[Image.Image]:
    """A picture for each evaluation, of more than `MOST_FRAMES` for as many of them."""
    assert entry.snapshots is not None
    steps, action = entry.snapshots
    chosen = np.unique(np.linspace(0, len(steps) - 1, min(len(steps), MOST_FRAMES)).round().astype(int))
    graph, known = entry.policy.graph, facts(entry.policy.graph)
    there = np.maximum(action[chosen], 0)
    blundered = np.zeros((len(chosen), graph.num_states), dtype=np.bool_)
    blundered[:, known.critical] = known.blunder[known.critical, there[:, known.critical]]
    take = Take([steps[k] for k in chosen], blundered, known.critical)
    cells, fields = places(graph)
    seed = "" if entry.card.seed is None else f", seed {entry.card.seed}"
    title = f"{entry.book.title}: {readable(entry.agent)}{seed}"
    return [_frame(take, number, cells, title, fields) for number in range(len(chosen))]


def places(graph: GameGraph) -> tuple[list[Box], str]:
    """Where each state is drawn: as on the page's map, or dot by dot where that has no room; and what its axes are."""
    panels = layout(graph) if graph.num_states <= (MAP[2] - MAP[0]) * (MAP[3] - MAP[1]) / 9 else []
    for size in range(LARGEST_CELL, 2, -1):
        corners = _packed(panels, size) if panels else None
        if corners is not None:
            cells: list[Box] = [(0.0, 0.0, 0.0, 0.0)] * graph.num_states
            for panel, (left, top) in zip(panels, corners, strict=True):
                for state, x, y in panel.cells:
                    at = (left + x * size, top + y * size)
                    cells[state] = (at[0], at[1], at[0] + size - 2, at[1] + size - 2)
            across, down = panels[0].across.field, panels[0].down.field
            named = ", ".join(words for words in (across and f"{across} across", down and f"{down} down") if words)
            return cells, f"a square is a position: {named}" if named else "a square is a position"
    return _dots(graph.num_states), "a dot is a position"


def _packed(panels: Sequence[Panel], size: int) -> list[tuple[float, float]] | None:
    """The corner of each panel, in rows from the top left; None where they do not fit."""
    corners, left, top, tallest = [], MAP[0], MAP[1], 0.0
    for panel in panels:
        wide, high = len(panel.across.labels) * size, len(panel.down.labels) * size
        if left > MAP[0] and left + wide > MAP[2]:
            left, top, tallest = MAP[0], top + tallest + GAP, 0.0
        if left + wide > MAP[2] or top + high > MAP[3]:
            return None
        corners.append((left, top))
        left, tallest = left + wide + GAP, max(tallest, high)
    return corners


def _dots(count: int) -> list[Box]:
    wide, high = MAP[2] - MAP[0], MAP[3] - MAP[1]
    size = max(math.sqrt(wide * high / count), 0.05)
    columns = max(int(wide / size), 1)
    rows = -(-count // columns)
    size = min(size, high / rows)
    corners = [(MAP[0] + k % columns * size, MAP[1] + k // columns * size) for k in range(count)]
    return [(left, top, left + max(size - 1, 0), top + max(size - 1, 0)) for left, top in corners]


def _frame(take: Take, number: int, cells: Sequence[Box], title: str, fields: str) -> Image.Image:
    canvas, count, critical = Canvas(WIDTH, HEIGHT), take.counts[number], set(take.critical.tolist())
    canvas.text(MARGIN, 18, cut(title, 22, 560), 22)
    canvas.text(WIDTH - MARGIN, 18, f"step {take.steps[number]:,}", 22, INK, "ra")
    left: float = MARGIN
    for colour, words in ((KEEPS, "keeps the value"), (BLUNDER, "blunders"), (NOTHING, "nothing to decide")):
        canvas.box((left, 52, left + 11, 63), colour)
        canvas.text(left + 17, 50, words, 13, DIM)
        left += 160
    canvas.text(WIDTH - MARGIN, 50, fields, 13, DIM, "ra")
    for state, at in enumerate(cells):
        canvas.box(at, BLUNDER if take.blundered[number, state] else KEEPS if state in critical else NOTHING)
    words = f"{count:,} of {len(critical):,} critical positions with a blunder"
    canvas.text(MARGIN, 404, words if count else f"{words}: perfect moves everywhere", 16)
    _curve(canvas, take, number)
    return canvas.image


def _curve(canvas: Canvas, take: Take, number: int) -> None:
    """Blunders against evaluations; logarithmic in 1 + count, so that the last ones are seen."""
    top = math.log1p(max(*take.counts, 1))

    def place(k: int) -> tuple[float, float]:
        across = k / max(len(take.counts) - 1, 1)
        down = 1.0 - math.log1p(take.counts[k]) / top
        return CURVE[0] + across * (CURVE[2] - CURVE[0]), CURVE[1] + down * (CURVE[3] - CURVE[1])

    for label, y in ((f"{max(take.counts):,}", CURVE[1]), ("0", CURVE[3])):
        canvas.line([(CURVE[0], y), (CURVE[2], y)], RULE, 1)
        canvas.text(CURVE[0] - 8, y, label, 13, DIM, "rm")
    canvas.text(CURVE[0], CURVE[3] + 6, f"step {take.steps[0]:,}", 13, DIM)
    canvas.text(CURVE[2], CURVE[3] + 6, f"step {take.steps[-1]:,}, evaluation by evaluation", 13, DIM, "ra")
    if number:
        canvas.line([place(k) for k in range(number + 1)], BLUNDER, 3)
    x, y = place(number)
    canvas.box((x - 4, y - 4, x + 4, y + 4), BLUNDER)


def _gif(frames: Sequence[Image.Image]) -> bytes:
    file = io.BytesIO()
    few = [frame.convert("P", palette=Image.Palette.ADAPTIVE, colors=64) for frame in frames]
    times = [1000 // FPS] * (len(few) - 1) + [round(1000 * HOLD)]
    few[0].save(file, "GIF", save_all=True, append_images=few[1:], duration=times, loop=0)
    return file.getvalue()


def _mp4(frames: Sequence[Image.Image]) -> bytes:
    file = io.BytesIO()
    every = [np.asarray(frame) for frame in [*frames, *[frames[-1]] * round(HOLD * FPS)]]
    _imageio().imwrite(file, every, extension=".mp4", fps=FPS, codec="libx264", plugin="FFMPEG")
    return file.getvalue()


def _imageio() -> Any:
    try:
        importlib.import_module("imageio_ffmpeg")
        return importlib.import_module("imageio.v3")
    except ImportError as error:
        what = "an .mp4 needs imageio and its ffmpeg; name a .gif, or: pip install 'perfect-play[film]'"
        raise Mistake(f"--film: {what}") from error
