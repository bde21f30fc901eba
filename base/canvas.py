"""Pictures of text and boxes, as arrays: what the envs and the films draw with."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Box = tuple[float, float, float, float]  # left, top, right, bottom
Frame = NDArray[np.uint8]  # [height, width, 3]

PAPER, INK, DIM, RULE = "#fdfdfb", "#1d2126", "#5c646e", "#d9dad4"  # those of the report's page
GOOD, GOOD_SOFT, BAD, BAD_SOFT, NONE_SOFT = "#0b6aa8", "#d3e6f3", "#b04a00", "#fbdcc4", "#eeeeea"


class Canvas:
    def __init__(self, width: int, height: int) -> None:
        self.image = Image.new("RGB", (width, height), PAPER)
        self._draw = ImageDraw.Draw(self.image)

    def box(self, at: Box, fill: str, outline: str | None = None, width: int = 1) -> None:
        self._draw.rectangle(at, fill=fill, outline=outline, width=width)

    def line(self, points: list[tuple[float, float]], colour: str, width: int = 2) -> None:
        self._draw.line(points, fill=colour, width=width, joint="curve")

    def text(self, x: float, y: float, text: str, size: int, colour: str = INK, anchor: str = "la") -> None:
        self._draw.text((x, y), text, fill=colour, font=_font(size), anchor=anchor)

    def fitted(self, at: Box, text: str, largest: int, colour: str = INK, smallest: int = 8) -> None:
        """The text from the top left of a box, in lines, as large as it fits; what does not fit is cut, with dots."""
        wide, high = at[2] - at[0], at[3] - at[1]
        for size in range(largest, smallest - 1, -1):
            lines = wrapped(text, size, wide)
            if len(lines) * 1.25 * size <= high:
                break
        else:
            kept = max(int(high / (1.25 * smallest)), 1)
            lines = [*lines[: kept - 1], cut(" ".join(lines[kept - 1 :]), smallest, wide)]
        for number, line in enumerate(lines):
            self.text(at[0], at[1] + number * 1.25 * size, line, size, colour)

    def frame(self) -> Frame:
        return np.asarray(self.image).copy()


def length(text: str, size: int) -> float:
    """How wide a text is, in pixels."""
    return float(_font(size).getlength(text))


def wrapped(text: str, size: int, width: float) -> list[str]:
    """The lines of a text, broken at words, and within a word that is longer than a line."""
    lines = []
    for paragraph in text.splitlines() or [""]:
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if length(longer, size) <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            line = word
            while length(line, size) > width and len(line) > 1:
                fits = next(n for n in range(len(line) - 1, 0, -1) if n == 1 or length(line[:n], size) <= width)
                lines.append(line[:fits])
                line = line[fits:]
        lines.append(line)
    return lines


def cut(text: str, size: int, width: float) -> str:
    """The beginning of a text that fits."""
    if length(text, size) <= width:
        return text
    while text and length(f"{text} ...", size) > width:
        text = text[:-1]
    return f"{text} ..."


@lru_cache(maxsize=64)
def _font(size: int) -> Any:
    return ImageFont.load_default(size)
