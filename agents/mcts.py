"""Monte Carlo tree search (UCT) as a policy: every state is searched on its own, and the most visited move is played.

Plain UCT with random games at the leaves; all paths to a state within one search share its statistics, and the next
search starts from nothing. Where play may never end, a simulation is cut after `max_plies` and worth 0.
"""

from __future__ import annotations

import numpy as np

from games import GameGraph, Mistake, Policy


def mcts(
    graph: GameGraph, simulations: int = 100, *, exploration: float = 2**0.5, max_plies: int = 100, seed: int = 0
) -> Policy:
    """The same seed gives the same policy; ties go to the lowest action."""
    if simulations < 1:
        raise Mistake(f"mcts: {simulations} simulations; a search needs at least 1")
    from agents.mcts_kernels import search_every_state

    generator = np.random.SeedSequence(seed).generate_state(1, np.uint64)  # [1]
    visits = search_every_state(
        graph.next_state, *graph.legal_actions, simulations, exploration, graph.longest(max_plies), generator
    )
    return Policy.greedy(graph, visits)
