"""Where each position is drawn: a map made from the fields of a graph, whatever the game.

One field is a line, wrapped after one more than there are moves, so that totals that play alike stand below each other.
Two fields are a grid. With more, each setting of the leading fields is a small grid of its own for the last two.
Only values that occur get a row or column, and a grid of many columns is cut into several.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from games import GameGraph
from report.document import Axis, Panel

SHORT = 20  # positions that fit into one line
LONG = 60  # columns that fit beside each other


def layout(graph: GameGraph) -> list[Panel]:
    """Panels, each with a title, the two axes and its cells: [state, column, row]."""
    names = [name.replace("_", " ") for name in graph.fields]
    if len(names) == 1:
        return [_line(graph.positions[:, 0], names[0], graph.num_actions + 1)]
    leading, across = graph.positions[:, :-2], _axes(graph)
    settings, panel_of = np.unique(leading, axis=0, return_inverse=True)
    panels = []
    for number, setting in enumerate(settings.tolist()):
        states = np.flatnonzero(panel_of.ravel() == number)
        title = ", ".join(f"{name} {value}" for name, value in zip(names, setting, strict=False))
        values = np.unique(graph.positions[states, across[0]])
        for part in np.array_split(values, -(-len(values) // LONG)):  # a long grid is cut into several
            within = states[np.isin(graph.positions[states, across[0]], part)]
            cut = [f"{names[across[0]]} {part[0]} to {part[-1]}"] if len(part) < len(values) else []
            panels.append(_grid(graph.positions, within, names, across, ", ".join([title] * bool(title) + cut)))
    return panels


def _axes(graph: GameGraph) -> tuple[int, int]:
    """The fields that run across and down: the longer of the last two runs across."""
    last = graph.positions.shape[1] - 1
    many = [len(np.unique(graph.positions[:, field])) for field in (last - 1, last)]
    return (last - 1, last) if many[0] > many[1] else (last, last - 1)


def _line(values: NDArray[np.int32], name: str, wrap: int) -> Panel:
    last = int(values.max())
    wide = last + 1 if last < SHORT else wrap
    starts = list(range(0, last + 1, wide))
    labels = list(range(wide)) if len(starts) == 1 else [f"+{offset}" for offset in range(wide)]
    across = Axis(name, labels) if len(starts) == 1 else Axis("", labels)
    down = Axis("", [""]) if len(starts) == 1 else Axis(name, starts)
    return Panel(
        "", across, down, [[state, value % wide, value // wide] for state, value in enumerate(values.tolist())]
    )


def _grid(
    positions: NDArray[np.int32], states: NDArray[np.int64], names: list[str], across: tuple[int, int], title: str
) -> Panel:
    axes, places = [], []
    for field in across:
        used, place = np.unique(positions[states, field], return_inverse=True)
        axes.append(Axis(names[field], used.tolist()))
        places.append(place.ravel().tolist())
    cells = [list(cell) for cell in zip(states.tolist(), *places, strict=True)]
    return Panel(title, axes[0], axes[1], cells)
