"""Where a policy's blunders hurt most: those that it meets most often in games against uniform play, in either seat."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from games import Policy
from solver.facts import facts
from solver.results import visitation_of_tables


def worst_blunders(policy: Policy, most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The states, worst first, and how often a game meets each; infinite where play stays for ever."""
    graph, known = policy.graph, facts(policy.graph)
    states = np.flatnonzero((policy.probability * known.blunder).any(axis=1))
    if not len(states):
        return states, np.zeros(0)
    first = visitation_of_tables(graph, policy.probability, known.uniform).visits[:, 0]
    second = visitation_of_tables(graph, known.uniform, policy.probability).visits[:, 1]
    met = (first + second) / 2
    order = states[np.lexsort((states, -met[states]))][:most]
    return order, met[order]
