"""An independent check of a solution, in one pass, that shares no code with the solver.

Won: some move wins, and the remoteness is 1 + the least among the winning moves (a move that ends the game counts 0).
Lost: every move loses, and the remoteness is 1 + the largest among them; 0 without a legal move.
Value 0: no move wins, some move holds (a draw, or a position of value 0), and the remoteness is -1.
Each decided position thus points to positions strictly nearer to the end, so no circle of claims supports itself; what
is left can be held by both sides for ever. Keeping moves and critical states are compared bit by bit.

A claim is written as one number, positive for a win and the larger the nearer it is, negative for a loss: the worth of
a move is the number of what it leads to, the other way round, and a position is judged by the largest of its moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from base.slabs import each_slab
from games.graph import GameGraph
from games.rulebook import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS

if TYPE_CHECKING:
    from solver.values import Solution

CHUNK = 1 << 13  # states judged at once: small enough to stay in the cache
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
    # [S + 4]: worth of a move to its mover; verdicts, being negative, index from behind. A win at once is worth `end`,
    # and each ply to wait for it takes 1 away: no more than there are states. Illegal is worth less than any loss.
    end = states + 1
    worth = np.empty(states + 4, dtype=np.int32)
    np.multiply(solution.value, np.subtract(solution.remoteness, end, dtype=np.int32), out=worth[:states])
    worth[[ILLEGAL, MOVER_WINS, MOVER_LOSES, DRAW]] = -end - 1, end, -end, 0
    faults: list[str] = []
    count = 0
    for wrong in each_slab(lambda rows: _judge(graph, solution, worth, rows), states, CHUNK):
        count += len(wrong)
        for state, what in wrong[: MOST - len(faults)]:
            claim = f"value {solution.value[state]}, remoteness {solution.remoteness[state]}"
            faults.append(f"state {state} ({graph.words(state)}), {claim}: {what}")
    return faults if count <= MOST else [*faults, f"and {count - MOST} more"]


def _judge(graph: GameGraph, solution: Solution, worth: Any, rows: slice) -> list[tuple[int, str]]:
    block = graph.next_state[rows]
    if block.min() < -4 or block.max() >= graph.num_states:
        wrong = ((block < -4) | (block >= graph.num_states)).any(axis=1)
        return [(rows.start + s, "has a move that leads nowhere") for s in np.flatnonzero(wrong).tolist()]
    value, remoteness = solution.value[rows].astype(np.int32), solution.remoteness[rows]
    end, illegal = int(worth[MOVER_WINS]), worth[ILLEGAL]
    moves = worth.take(block.T, mode="wrap")  # [A, rows]
    best = moves.max(axis=0)  # where nothing is legal, this makes the remoteness of a lost position 0
    legal = moves != illegal
    keeps = legal & (np.sign(moves) == value)
    critical = keeps.any(axis=0) & (legal != keeps).any(axis=0)
    won, lost, none = value == 1, value == -1, value == 0
    checks = (
        (~(won | lost | none), "there is no value but +1, 0 and -1"),
        (none & (remoteness != -1), "has value 0, and its remoteness is not -1"),
        (~none & ((remoteness < 0) | (remoteness >= end)), "has a remoteness that is no number of plies"),
        (won & (best <= 0), "is called won, and no move wins"),
        (won & (best > 0) & (remoteness != 1 + (end - best)), "is won, and its remoteness is not 1 + the least"),
        (lost & (best >= 0), "is called lost, and some move does not lose"),
        (lost & (best < 0) & (remoteness != 1 + (end + best)), "is lost, and its remoteness is not 1 + the largest"),
        (none & (best > 0), "is called 0, and some move wins"),
        (none & (best < 0), "is called 0, and no move holds it"),
        ((keeps != solution.keeps[rows].T).any(axis=0), "has a keep bit that is wrong"),
        (solution.critical[rows] != critical, "has a critical bit that is wrong"),
    )
    return [(rows.start + s, what) for wrong, what in checks for s in np.flatnonzero(wrong).tolist()]
