"""Players that follow from the rules or from perfect play: no search, no learning."""

from __future__ import annotations

import numpy as np

from games import MOVER_LOSES, GameGraph, Policy


def uniform(graph: GameGraph) -> Policy:
    """Any legal move alike."""
    return Policy.uniform(graph)


def safe_uniform(graph: GameGraph) -> Policy:
    """Any legal move alike that does not lose at once; any legal move where all of them do."""
    safe = graph.legal & (graph.next_state != MOVER_LOSES)
    allowed = np.where(safe.any(axis=1, keepdims=True), safe, graph.legal)
    return Policy.alike(graph, allowed)


def optimal(graph: GameGraph) -> Policy:
    """Perfect play: any move alike that keeps the value of the position."""
    from solver import optimal as solved

    return solved(graph)


def trembling(graph: GameGraph) -> Policy:
    """The reference of the trembling game: perfect play that also makes the most of the other side's slips."""
    from solver import tremble

    return tremble(graph).policy(graph)
