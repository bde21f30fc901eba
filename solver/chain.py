"""A Markov chain that may end, solved exactly where elimination is affordable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

LARGEST = 3_000  # nodes of a strong component that are eliminated as a dense table
QUICK = 300  # the same where it is done many times, and the answer checked

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Chain:
    start: Ints  # [n + 1]: the edges of node i are start[i] to start[i + 1] - 1
    target: Ints  # [edges]
    probability: Floats  # [edges]
    ends: Floats  # [n]: the probability of ending from here

    @cached_property
    def components(self) -> tuple[Ints, Ints]:
        """Nodes grouped by strong component, sinks first, and where each group begins."""
        from solver import chain_kernels as kernels

        return kernels.components(self.start, self.target)

    @property
    def largest(self) -> int:
        """How many nodes the largest strong component has."""
        return int(np.diff(self.components[1]).max(initial=0))

    @property
    def affordable(self) -> bool:
        return self.largest <= LARGEST

    @cached_property
    def closed(self) -> NDArray[np.bool_]:
        """[n]: nodes of a component that play never leaves."""
        order, bound = self.components
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.repeat(np.arange(len(bound) - 1), np.diff(bound))
        source = np.repeat(np.arange(len(order)), np.diff(self.start))
        open_group = np.zeros(len(bound) - 1, dtype=bool)
        open_group[group[source[group[source] != group[self.target]]]] = True
        open_group[group[self.ends > 0]] = True
        return np.asarray(~open_group[group])

    def backward(self, reward: Floats) -> Floats:
        """[n]: the expected sum of rewards from every node; 0 from where no end can be reached."""
        from solver import chain_kernels as kernels

        if self.largest <= QUICK:
            return kernels.backward(self.start, self.target, self.probability, self.ends, reward, *self.components)
        return self._sparse(reward)

    def forward(self, mass: Floats) -> tuple[Floats, Floats, bool]:
        """[n], [n]: expected visits of nodes that play leaves, and the long-run share of those that it never leaves.

        Also whether a number on the way was too small or too large for a float, so that these may be wrong.
        """
        from solver import chain_kernels as kernels

        return kernels.forward(self.start, self.target, self.probability, self.ends, mass, *self.components)

    def _sparse(self, reward: Floats) -> Floats:
        """Beyond elimination: a sparse factorisation, refined once; it may lose digits where play hardly ever ends."""
        from scipy.sparse import csc_array, csr_array
        from scipy.sparse.linalg import splu

        n = len(self.ends)
        inside = np.where(np.repeat(self.closed, np.diff(self.start)), 0.0, self.probability)
        diagonal = csr_array((np.ones(n), np.arange(n), np.arange(n + 1)), shape=(n, n))
        system = csc_array(diagonal - csr_array((inside, self.target, self.start), shape=(n, n)))
        right = np.where(self.closed, 0.0, reward)
        factors = splu(system)
        worth = factors.solve(right)
        return np.asarray(worth + factors.solve(right - system @ worth))
