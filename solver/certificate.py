"""An independent check of a solution, in one pass, that shares no code with the solver.

Won: some move wins, and the remoteness is 1 + the least among the winning moves (a move that ends the game counts 0).
Lost: every move loses, and the remoteness is 1 + the largest among them; 0 without a legal move.
Value 0: no move wins, some move holds (a draw, or a position of value 0), and the remoteness is -1.
Each decided position thus points to positions strictly nearer to the end, so no circle of claims supports itself; what
is left can be held by both sides for ever. Keeping moves and critical states are compared bit by bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from games.graph import GameGraph
from games.rulebook import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS

if TYPE_CHECKING:
    from solver.values import Solution

CHUNK = 1 << 15  # states judged at once: small enough to stay in the cache
NOT_LEGAL = 2  # worth of an illegal move: equal to no value
FAR = 1 << 40  # beyond any remoteness
MOST = 20  # faults told


def certify(graph: GameGraph, solution: Solution) -> list[str]:
    """The faults of a solution, the first twenty and a count; an empty list when it is certified."""
    states, actions = graph.next_state.shape
    shapes = {"value": (states,), "remoteness": (states,), "keeps": (states, actions), "critical": (states,)}
    for name, shape in shapes.items():
        array = getattr(solution, name)
        if array.shape != shape:
            return [f"{name}: has the shape {array.shape}, not {shape}"]
        if array.dtype.kind not in ("b" if name in ("keeps", "critical") else "i"):
            return [f"{name}: holds {array.dtype}"]
    outside = np.flatnonzero(abs(solution.value.astype(np.int64)) > 1)
    if len(outside):
        return [f"state {s}: value {solution.value[s]}; there is only +1, 0 and -1" for s in outside[:MOST].tolist()]
    # [S + 4]: worth of a move to its mover, and how far it leaves the end; verdicts, being negative, index from behind.
    worth = np.empty(states + 4, dtype=np.int8)
    far = np.zeros(states + 4, dtype=solution.remoteness.dtype)
    np.negative(solution.value, out=worth[:states], casting="unsafe")
    far[:states] = solution.remoteness
    worth[[ILLEGAL, MOVER_WINS, MOVER_LOSES, DRAW]] = NOT_LEGAL, 1, -1, 0
    faults: list[str] = []
    count = 0
    for first in range(0, states, CHUNK):
        for state, what in _judge(graph, solution, worth, far, slice(first, min(first + CHUNK, states))):
            count += 1
            if count <= MOST:
                faults.append(f"state {state} ({graph.words(state)}): {what}")
    return faults if count <= MOST else [*faults, f"and {count - MOST} more"]


def _judge(graph: GameGraph, solution: Solution, worth: Any, far: Any, rows: slice) -> list[tuple[int, str]]:
    block = graph.next_state[rows]
    value, remoteness = solution.value[rows], solution.remoteness[rows].astype(np.int64)
    if block.min() < -4 or block.max() >= graph.num_states:
        wrong = ((block < -4) | (block >= graph.num_states)).any(axis=1)
        return [(rows.start + s, "has a move that leads nowhere") for s in np.flatnonzero(wrong).tolist()]
    gain = worth[block]  # [rows, A]
    legal, wins, loses, holds = gain != NOT_LEGAL, gain == 1, gain == -1, gain == 0
    can_move, can_win, can_hold = legal.any(axis=1), wins.any(axis=1), holds.any(axis=1)
    least, largest = np.full(len(block), FAR), np.full(len(block), -FAR)
    for a in range(block.shape[1]):  # column by column: no wide table of int64
        here = far[block[:, a]]
        least = np.where(wins[:, a] & (here < least), here, least)
        largest = np.where(loses[:, a] & (here > largest), here, largest)
    won, lost = value == 1, value == -1
    keeps = gain == value[:, None]
    critical = keeps.any(axis=1) & (legal & ~keeps).any(axis=1)
    told = solution.keeps[rows]
    checks = (
        (won & ~can_win, "is called won, and no move wins"),
        (won & can_win & (remoteness != 1 + least), "is won, and its remoteness is not 1 + the least"),
        (lost & (can_win | can_hold), "is called lost, and some move does not lose"),
        (lost & can_move & (remoteness != 1 + largest), "is lost, and its remoteness is not 1 + the largest"),
        (lost & ~can_move & (remoteness != 0), "is lost for want of a move, and its remoteness is not 0"),
        ((value == 0) & can_win, "is called 0, and some move wins"),
        ((value == 0) & ~can_hold, "is called 0, and no move holds it"),
        ((value == 0) & (remoteness != -1), "has value 0, and its remoteness is not -1"),
        ((told != keeps).any(axis=1), "has a keep bit that is wrong"),
        (solution.critical[rows] != critical, "has a critical bit that is wrong"),
    )
    return [(rows.start + s, what) for wrong, what in checks for s in np.flatnonzero(wrong).tolist()]
