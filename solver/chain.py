"""A Markov chain that may end, solved exactly where elimination is affordable."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 3_000  # nodes of a strong component that are eliminated as a dense table
QUICK = 300  # the same where it is done many times, and the answer checked

FACTORED = 20_000  # nodes that are factored where there is another way
REFINED = 12  # times that an iterated solution is refined, and the steps of each
STEPS = 300
ROUNDING = 8 * float(np.finfo(np.float64).eps)  # what may be left of a system that is solved

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

    def solve(self, right: Floats, transposed: bool = False, most: int = FACTORED) -> Floats:
        """x = P x + right over the nodes that play leaves, 0 elsewhere; or x = x P + right: expected visits.

        Beyond elimination: iterated, else factored, each refined; digits may be lost where play hardly ever ends. With
        more nodes than `most`, whose factors might not fit into memory, what cannot be iterated is NaN.
        """
        system = self._system.T if transposed else self._system
        answer = _iterated(system, right)
        if answer is not None:
            return answer
        if len(right) > most:
            return np.full(len(right), np.nan)
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        factors = splu(csc_array(system))
        answer = factors.solve(right)
        return np.asarray(answer + factors.solve(right - system @ answer))

    def residual(self, answer: Floats, right: Floats) -> float:
        """How far off x = P x + right is at any node, roundings included, P being the rows divided by their sums."""
        most = int(np.diff(self.start).max(initial=0)) + 4
        rounding = 2 * most * float(np.finfo(np.float64).eps) * max(float(np.abs(answer).max(initial=0.0)), 1.0)
        return float(np.abs(right - self._system @ answer).max(initial=0.0)) + rounding

    @cached_property
    def _system(self) -> Any:
        from scipy.sparse import csr_array

        n = len(self.ends)
        inside = np.where(np.repeat(self.closed, np.diff(self.start)), 0.0, self.probability)
        diagonal = csr_array((np.ones(n), np.arange(n), np.arange(n + 1)), shape=(n, n))
        return csr_array(diagonal - csr_array((inside, self.target, self.start), shape=(n, n)))

    def _sparse(self, reward: Floats) -> Floats:
        return self.solve(np.where(self.closed, 0.0, reward), most=sys.maxsize)


def _iterated(system: Any, right: Floats) -> Floats | None:
    """By BiCGSTAB, its error solved for again until only rounding is left; None where it does not come to that."""
    from scipy.sparse.linalg import bicgstab

    answer, before = np.zeros(len(right)), np.inf
    for _ in range(REFINED):
        rest = right - system @ answer
        off, scale = float(np.abs(rest).max(initial=0.0)), max(float(np.abs(answer).max(initial=0.0)), 1.0)
        if not off < before / 2:  # it no longer shrinks
            break
        if off <= ROUNDING * scale:
            return answer
        before = off
        with np.errstate(all="ignore"):  # where it breaks down, the answer is looked at and left
            correction, _ = bicgstab(system, rest, rtol=1e-6, maxiter=STEPS)
        answer = answer + correction
    return None
