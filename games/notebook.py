"""What a notebook shows of things made of arrays: a line or two as text, a small map as HTML, never a whole array."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_NUMBERS = 12  # of an array that a message shows
WIDEST = 1_000  # positions on a map
MAP_WIDTH = 900  # pixels


def shortened(values: NDArray[Any]) -> str:
    """The numbers of an array, or its first and last ones where they are many."""
    flat = values.ravel().tolist()
    if len(flat) <= MOST_NUMBERS:
        return str(flat)
    half = MOST_NUMBERS // 2
    ends = [", ".join(map(str, part)) for part in (flat[:half], flat[-half:])]
    return f"[{ends[0]}, ... {ends[1]}] ({len(flat)} numbers)"


def map_html(title: str, marks: NDArray[np.integer], positions: int, legend: Sequence[tuple[str, str]]) -> str:
    """A picture with a column for each of the first positions and a row for each move.

    marks [S, A], of WIDEST positions at most: each a line of the legend (what it means, colour), or -1 for nothing.
    """
    states, actions = marks.shape
    paths = []
    for mark, (_, colour) in enumerate(legend):
        runs = []
        for action in range(actions):
            edges = np.flatnonzero(np.diff(marks[:, action] == mark, prepend=False, append=False))
            runs += [f"M{first} {action}h{last - first}v1H{first}z" for first, last in edges.reshape(-1, 2).tolist()]
        paths.append(f'<path fill="{escape(colour)}" d="{"".join(runs)}"/>')
    keys = " ".join(f'<span style="color:{escape(colour)}">&#9632;</span> {escape(words)}' for words, colour in legend)
    rest = f"; the first {states:,} of {positions:,} positions" if states < positions else ""
    height = min(max(12 * actions, 24), 240)
    return (
        f"<figure style='margin:0'><figcaption>{escape(title)}</figcaption>"
        f'<svg role="img" aria-label="{escape(title)}" width="{MAP_WIDTH}" height="{height}" style="max-width:100%" '
        f'viewBox="0 0 {states} {actions}" preserveAspectRatio="none">{"".join(paths)}</svg>'
        f"<div><small>a column for each position, a row for each move{rest}: {keys}</small></div></figure>"
    )


def table_html(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A small table: the first cell of each row is its head."""
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(one)}</td>" for one in row[1:]) + "</tr>"
        for row in rows
    )
    return f"<table><caption>{escape(title)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
