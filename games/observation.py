"""What a player sees: a position as numbers for a network. Each view shows the position and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake, need
from games.gamefile import StoredGame
from games.graph import GameGraph

VIEWS = ("onehot", "binary", "digits", "scalar", "sequence", "index")
OWN = "own"


def views(graph: GameGraph) -> tuple[str, ...]:
    """The views of a game; an imported one may also have kept the observations of the env that it came from."""
    return VIEWS if _own(graph) is None else (*VIEWS, OWN)


def _own(graph: GameGraph) -> NDArray[np.float32] | None:
    return graph.book.own if isinstance(graph.book, StoredGame) else None


def width(graph: GameGraph, view: str) -> int:
    """How many numbers the view has; 0 for "index", which is one whole number."""
    need(graph.game, "observation", view, views(graph))
    if view == OWN and (own := _own(graph)) is not None:
        return int(own.shape[1])
    sizes = graph.fields.values()
    widths = {"onehot": sum(sizes), "binary": sum(map(_bits, sizes)), "digits": 10 * sum(map(_digits, sizes))}
    widths |= {"sequence": 10 * places(graph) * numbers(graph)}
    return (widths | {"scalar": len(graph.fields), "index": 0})[view]


def observe(graph: GameGraph, view: str = "onehot", states: NDArray[np.integer] | None = None) -> NDArray[np.generic]:
    """[S, width] float32, from 0 to 1: the view of these states (of all, if none are named); "index": [S] int64.
    Only "own" may have other numbers.

    onehot   a bit per value of each field, one of them set; "none yet" has its bit too
    binary   each field as a binary number, lowest bit first
    digits   each field as a decimal number, a bit per value of each digit, lowest digit first
    scalar   each field divided by its largest value
    sequence all fields and all parameters that are numbers, aligned: the lowest digit of each, then the next of each,
             a bit per value of a digit; what belongs to one place does not depend on how large the game is
    index    the state's number
    own      what the env showed that the game was imported from, where the game file kept it
    """
    if view == OWN and (own := _own(graph)) is not None:
        return own if states is None else own[states]
    if view == "index":
        return np.arange(graph.num_states) if states is None else np.asarray(states, dtype=np.int64)
    sights = look(graph, states)
    table = np.zeros((len(sights), width(graph, view)), dtype=np.float32)
    if view == "onehot":
        table[np.arange(len(sights))[:, None], bits(graph, states)] = 1.0
        return table
    if view == "sequence":
        return _sequence(graph, sights)
    column = 0
    for values, size in zip(sights.T, graph.fields.values(), strict=True):
        if view == "binary":
            for bit in range(_bits(size)):
                table[:, column] = values >> bit & 1
                column += 1
        elif view == "digits":
            for digit in range(_digits(size)):
                table[np.arange(len(values)), column + values // 10**digit % 10] = 1.0
                column += 10
        else:
            table[:, column] = values / max(size - 1, 1)
            column += 1
    return table


def numbers(graph: GameGraph) -> int:
    """How many numbers the view "sequence" shows at each place."""
    return len(graph.fields) + len(_shown_parameters(graph))


def places(graph: GameGraph) -> int:
    """How many places the view "sequence" has: the digits of the largest number that it shows."""
    return max(_digits(size) for size in (*graph.fields.values(), *(value + 1 for value in _shown_parameters(graph))))


def whole_numbers(graph: GameGraph) -> NDArray[np.float32]:
    """[S, numbers]: what the digits of the view "sequence" spell."""
    return _numbers(graph, look(graph)).astype(np.float32)


def _sequence(graph: GameGraph, sights: NDArray[np.int64]) -> NDArray[np.float32]:
    """[S, 10 for each number of each place]"""
    values = _numbers(graph, sights)
    table = np.zeros((len(values), places(graph), values.shape[1], 10), dtype=np.float32)
    for place in range(table.shape[1]):
        np.put_along_axis(table[:, place], (values // 10**place % 10)[:, :, None], 1.0, axis=2)
    return table.reshape(len(values), -1)


def _numbers(graph: GameGraph, sights: NDArray[np.int64]) -> NDArray[np.int64]:
    """[S, numbers]: the fields, and the same parameters in every row."""
    return np.concatenate([sights, np.tile(np.array(_shown_parameters(graph), np.int64), (len(sights), 1))], axis=1)


def _shown_parameters(graph: GameGraph) -> list[int]:
    return [value for value in graph.parameters.values() if isinstance(value, int)]


def bits(graph: GameGraph, states: NDArray[np.integer] | None = None) -> NDArray[np.int64]:
    """[S, F]: which numbers of the one-hot view are 1, field by field."""
    sizes = list(graph.fields.values())
    return np.asarray(look(graph, states) + np.cumsum([0, *sizes[:-1]]))


def look(graph: GameGraph, states: NDArray[np.integer] | None = None) -> NDArray[np.int64]:
    """[S, F]: what a player sees of each field: the field itself, unless the book shows another number for it."""
    positions = (graph.positions if states is None else graph.positions[states]).astype(np.int64)
    if graph.book is None:
        return positions
    sights = np.empty_like(positions)
    for column, values in zip(sights.T, graph.book.look(*positions.T), strict=True):
        column[:] = values
    if ((sights < 0) | (sights >= list(graph.fields.values()))).any():
        raise Mistake(f"{graph.game}: look() shows a number outside its field; show each field within its own size")
    return sights


def _bits(size: int) -> int:
    return max(int(size - 1).bit_length(), 1)


def _digits(size: int) -> int:
    return len(str(size - 1))
