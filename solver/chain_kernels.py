"""Kernels for Markov chains that may end: strong components, and elimination without subtraction (GTH) inside each.

A chain is a sparse table: from node i to target[e] with probability[e], for e in start[i] to start[i + 1] - 1, and with
probability ends[i] to an end. What leaves a node is always summed from its parts and never taken as 1 minus what stays,
so a leak of 1e-14 a ply keeps all its digits (Grassmann, Taksar and Heyman 1985).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TINY = 1e-280  # products below this may have lost digits, or all of them


@compiled
def components(start: Ints, target: Ints) -> tuple[Ints, Ints]:
    """Tarjan, without recursion: strong components, sinks first; component c is order[bound[c]:bound[c + 1]]."""
    n = len(start) - 1
    index = np.full(n, -1, dtype=np.int64)
    low = np.zeros(n, dtype=np.int64)
    on_stack = np.zeros(n, dtype=np.bool_)
    stack = np.empty(n, dtype=np.int64)
    path = np.empty(n, dtype=np.int64)
    edge = np.empty(n, dtype=np.int64)
    order = np.empty(n, dtype=np.int64)
    bound = np.zeros(n + 1, dtype=np.int64)
    count, height, placed, components = 0, 0, 0, 0
    for root in range(n):
        if index[root] >= 0:
            continue
        depth = 0
        path[0], edge[0] = root, start[root]
        index[root] = low[root] = count
        count += 1
        stack[height] = root
        height += 1
        on_stack[root] = True
        while depth >= 0:
            v = path[depth]
            if edge[depth] < start[v + 1]:
                w = target[edge[depth]]
                edge[depth] += 1
                if index[w] < 0:
                    index[w] = low[w] = count
                    count += 1
                    stack[height] = w
                    height += 1
                    on_stack[w] = True
                    depth += 1
                    path[depth], edge[depth] = w, start[w]
                elif on_stack[w]:
                    low[v] = min(low[v], index[w])
                continue
            if low[v] == index[v]:
                w = -1
                while w != v:
                    height -= 1
                    w = stack[height]
                    on_stack[w] = False
                    order[placed] = w
                    placed += 1
                components += 1
                bound[components] = placed
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[v])
    return order, bound[: components + 1].copy()


@compiled
def _inside(
    start: Ints, target: Ints, probability: Floats, ends: Floats, members: Ints, local: Ints
) -> tuple[Floats, Floats]:
    """The moves inside one component as a matrix, and what leaves it. `local` is -1 outside the component."""
    n = len(members)
    matrix, leaves = np.zeros((n, n)), np.empty(n)
    for i in range(n):
        v = members[i]
        leaves[i] = ends[v]
        for e in range(start[v], start[v + 1]):
            j = local[target[e]]
            if j >= 0:
                matrix[i, j] += probability[e]
            else:
                leaves[i] += probability[e]
    return matrix, leaves


@compiled
def _eliminate(matrix: Floats, leaves: Floats) -> tuple[Floats, bool]:
    """Take nodes away, the last first; the pivot is the probability of going on to an earlier one or leaving.

    Also whether a product was too small for a float, so that digits may be lost.
    """
    n = len(leaves)
    pivot = np.empty(n)
    lossy = False
    for k in range(n - 1, -1, -1):
        total, least = leaves[k], leaves[k] if leaves[k] > 0.0 else np.inf
        for j in range(k):
            total += matrix[k, j]
            if matrix[k, j] > 0.0:
                least = min(least, matrix[k, j])
        pivot[k] = total
        if total == 0.0:
            lossy = lossy or k > 0
            continue
        lossy = lossy or total < TINY
        for i in range(k):
            factor = matrix[i, k] / total
            if matrix[i, k] > 0.0:
                lossy = lossy or factor * least < TINY
                leaves[i] += factor * leaves[k]
                for j in range(k):
                    matrix[i, j] += factor * matrix[k, j]
    return pivot, lossy


@compiled
def backward(
    start: Ints, target: Ints, probability: Floats, ends: Floats, reward: Floats, order: Ints, bound: Ints
) -> Floats:
    """The expected sum of rewards from every node; 0 from where no end can be reached."""
    n = len(start) - 1
    worth = np.zeros(n)
    local = np.full(n, -1, dtype=np.int64)
    for c in range(len(bound) - 1):
        members = order[bound[c] : bound[c + 1]]
        size = len(members)
        right = np.empty(size)
        for i in range(size):
            local[members[i]] = i
        for i in range(size):
            v = members[i]
            right[i] = reward[v]
            for e in range(start[v], start[v + 1]):
                if local[target[e]] < 0:
                    right[i] += probability[e] * worth[target[e]]
        if size == 1:
            v = members[0]
            leaves = ends[v]
            for e in range(start[v], start[v + 1]):
                if target[e] != v:
                    leaves += probability[e]
            worth[v] = right[0] / leaves if leaves > 0.0 else 0.0
        else:
            matrix, out = _inside(start, target, probability, ends, members, local)
            if out.any():
                pivot, _ = _eliminate(matrix, out)
                for k in range(size - 1, 0, -1):
                    if pivot[k] > 0.0:
                        for i in range(k):
                            right[i] += matrix[i, k] * right[k] / pivot[k]
                for k in range(size):
                    total = right[k]
                    for j in range(k):
                        total += matrix[k, j] * worth[members[j]]
                    worth[members[k]] = total / pivot[k] if pivot[k] > 0.0 else 0.0
        for i in range(size):
            local[members[i]] = -1
    return worth


@compiled
def forward(
    start: Ints, target: Ints, probability: Floats, ends: Floats, mass: Floats, order: Ints, bound: Ints
) -> tuple[Floats, Floats, bool]:
    """Expected visits of every node that play leaves again, and the long-run share of those that it never leaves.

    Also whether a number on the way was too small or too large for a float.
    """
    n = len(start) - 1
    lossy = False
    inflow = mass.copy()
    visits, share = np.zeros(n), np.zeros(n)
    local = np.full(n, -1, dtype=np.int64)
    for c in range(len(bound) - 2, -1, -1):
        members = order[bound[c] : bound[c + 1]]
        size = len(members)
        total = 0.0
        for i in range(size):
            total += inflow[members[i]]
        if total == 0.0:
            continue
        for i in range(size):
            local[members[i]] = i
        if size == 1:
            v = members[0]
            leaves = ends[v]
            for e in range(start[v], start[v + 1]):
                if target[e] != v:
                    leaves += probability[e]
            if leaves > 0.0:
                visits[v] = inflow[v] / leaves
                lossy = lossy or leaves < TINY
            else:
                share[v] = total
        else:
            matrix, out = _inside(start, target, probability, ends, members, local)
            closed = not out.any()
            pivot, lost = _eliminate(matrix, out)
            lossy = lossy or lost
            flow = np.zeros(size)
            if closed:
                flow[0], pivot[0] = 1.0, 1.0
            else:
                for i in range(size):
                    flow[i] = inflow[members[i]]
                for k in range(size - 1, 0, -1):
                    if pivot[k] > 0.0:
                        for j in range(k):
                            flow[j] += flow[k] * matrix[k, j] / pivot[k]
            for k in range(size):
                arrived = flow[k]
                for i in range(k):
                    arrived += flow[i] * matrix[i, k]
                if pivot[k] > 0.0:
                    flow[k] = arrived / pivot[k]
                else:  # leaves with a probability below the smallest float
                    flow[k] = 0.0
            whole = flow.sum()
            for i in range(size):
                if closed:
                    share[members[i]] = total * flow[i] / whole
                else:
                    visits[members[i]] = flow[i]
        lossy = lossy or total < TINY
        for i in range(size):
            v = members[i]
            lossy = lossy or visits[v] > 1.0 / TINY
            if visits[v] > 0.0:
                for e in range(start[v], start[v + 1]):
                    if local[target[e]] < 0:
                        inflow[target[e]] += visits[v] * probability[e]
        for i in range(size):
            local[members[i]] = -1
    return visits, share, lossy
