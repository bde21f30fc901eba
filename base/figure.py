"""Figures for papers and pages, drawn by matplotlib in one style: the same numbers give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from base.mistake import Mistake

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito's: told apart by all eyes
INK, FAINT = "#222222", "#8a8a8a"
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "font.family": "sans-serif",
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
    "svg.hashsalt": "perfect play",
}
DOTS_PER_INCH = 200  # of a PNG


def check_matplotlib() -> None:
    """Refuse before any work where nothing could be drawn in the end."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise Mistake("figures need matplotlib; install it with: pip install 'perfect-play[figures]'") from error


@contextmanager
def axes_side_by_side(
    files: Sequence[Path], panels: int, inches: tuple[float, float], *, share: bool = True
) -> Iterator[Sequence[Any]]:
    """Axes to draw on, with one scale upwards if they `share` it; every file is written when the block is done."""
    check_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=inches, layout="constrained")
        yield figure.subplots(1, panels, sharey=share, squeeze=False)[0]
        for file in files:
            dated = {"Date": None} if file.suffix == ".svg" else {}
            figure.savefig(file, metadata=dated, dpi=DOTS_PER_INCH)


def per_cent() -> Any:
    from matplotlib.ticker import PercentFormatter

    return PercentFormatter(1.0, decimals=0)


def short_numbers() -> Any:
    """10k, 100k, 1M"""
    from matplotlib.ticker import EngFormatter

    return EngFormatter(sep="")
