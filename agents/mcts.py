"""Monte Carlo tree search (UCT) as a policy: every state is searched on its own, and the most visited move is played.

Plain UCT with random games at the leaves; all paths to a state within one search share its statistics, and the next
search starts from nothing. Where play may never end, a simulation is cut after `max_plies` and worth 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from games import GameGraph, Mistake, Policy


def mcts(
    graph: GameGraph,
    simulations: int = 100,
    *,
    exploration: float = 2**0.5,
    max_plies: int = 100,
    seed: int = 0,
    states: Sequence[int] | None = None,
) -> Policy:
    """The same seed gives the same policy; ties go to the lowest action. With `states` no others are searched."""
    if simulations < 1:
        raise Mistake(f"mcts: {simulations} simulations; a search needs at least 1")
    from agents.mcts_kernels import search_every_state

    generator = np.random.SeedSequence(seed).generate_state(1, np.uint64)  # [1]
    roots = np.arange(graph.num_states) if states is None else np.asarray(states, dtype=np.int64)
    visits = search_every_state(
        graph.next_state, *graph.legal_actions, simulations, exploration, graph.longest(max_plies), generator, roots
    )
    return Policy.greedy(graph, visits)
