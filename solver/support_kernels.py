"""Kernels that decide without numbers: what a responder can make sure of, from which moves a policy plays at all.

Only the support of the policy is looked at, so that a chance of 1e-300 counts as what it is. "Choices" of a responder
are its legal moves, and, inside an end component (a set of states that it can keep play in for ever), to stop for 0.
Moves that stay inside their end component are no choices: all its states are one node.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.chain_kernels import components
from solver.compiled import compiled
from solver.support import NONE as _NONE
from solver.support import STOP as _STOP
from solver.value_kernels import ILLEGAL, MOVER_LOSES, MOVER_WINS

Table = NDArray[np.int32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

STOP, NONE = _STOP, _NONE


@compiled
def able_to_move(next_state: Table) -> Bools:
    """[S]: whether there is a legal move."""
    states, actions = next_state.shape
    able = np.zeros(states, dtype=np.bool_)
    for s in range(states):
        for a in range(actions):
            if next_state[s, a] != ILLEGAL:
                able[s] = True
                break
    return able


@compiled
def worth_of(verdict: int) -> int:
    """What a verdict is worth to the one who moved."""
    return 1 if verdict == MOVER_WINS else (-1 if verdict == MOVER_LOSES else 0)


@compiled
def _prune(next_state: Table, policy: Floats, holds: Bools, stays: Bools) -> None:
    """The largest set closed under staying: `holds` where the responder can, `stays` where the policy always does."""
    states, actions = next_state.shape
    changed, backwards = True, True
    while changed:
        changed = False
        for i in range(states):
            s = states - 1 - i if backwards else i
            if stays[s]:
                moves = False
                for b in range(actions):
                    if policy[s, b] > 0.0:
                        u = next_state[s, b]
                        moves = True
                        if u < 0 or not holds[u]:
                            moves = False
                            break
                if not moves:
                    stays[s] = False
                    changed = True
            if holds[s]:
                able = False
                for a in range(actions):
                    t = next_state[s, a]
                    if t >= 0 and stays[t]:
                        able = True
                        break
                if not able:
                    holds[s] = False
                    changed = True
        backwards = not backwards


@compiled
def holdable(next_state: Table, policy: Floats, among: Bools) -> Bools:
    """[S]: from where the responder, to move, can surely keep play endless within `among`."""
    holds, stays = among.copy(), np.ones(len(next_state), dtype=np.bool_)
    _prune(next_state, policy, holds, stays)
    return holds


@compiled
def _inner_edges(next_state: Table, policy: Floats, holds: Bools, stays: Bools) -> tuple[Ints, Ints]:
    """Responder's turns are nodes 0 to S - 1, the policy's S to 2 S - 1; the moves that stay."""
    states, actions = next_state.shape
    start = np.zeros(2 * states + 1, dtype=np.int64)
    target = np.empty(2 * states * actions, dtype=np.int64)
    edge = 0
    for s in range(states):
        for a in range(actions):
            t = next_state[s, a]
            if holds[s] and t >= 0 and stays[t]:
                target[edge] = states + t
                edge += 1
        start[s + 1] = edge
    for t in range(states):
        for b in range(actions):
            if stays[t] and policy[t, b] > 0.0:
                target[edge] = next_state[t, b]
                edge += 1
        start[states + t + 1] = edge
    return start, target[:edge].copy()


@compiled
def end_components(next_state: Table, policy: Floats) -> tuple[Ints, Ints]:
    """The maximal end components: [S] for the responder's turns, [S] for the policy's; a number, or -1 outside.

    Inside one the responder can go from everywhere to everywhere, with probability 1, for ever.
    """
    states = len(next_state)
    holds, stays = np.ones(states, dtype=np.bool_), np.ones(states, dtype=np.bool_)
    inside, around = np.full(states, -1, dtype=np.int64), np.full(states, -1, dtype=np.int64)
    while True:
        _prune(next_state, policy, holds, stays)
        if not holds.any():
            return inside, around
        start, target = _inner_edges(next_state, policy, holds, stays)
        order, bound = components(start, target)
        group = np.empty(2 * states, dtype=np.int64)
        for c in range(len(bound) - 1):
            for i in range(bound[c], bound[c + 1]):
                group[order[i]] = c
        changed = False
        for t in range(states):
            for e in range(start[states + t], start[states + t + 1]):
                if group[target[e]] != group[states + t]:
                    stays[t] = False
                    changed = True
        for s in range(states):
            if holds[s]:
                able = False
                for e in range(start[s], start[s + 1]):
                    able = able or (group[target[e]] == group[s] and stays[target[e] - states])
                if not able:
                    holds[s] = False
                    changed = True
        if not changed:
            for s in range(states):
                if holds[s]:
                    inside[s] = group[s]
                if stays[s]:
                    around[s] = group[states + s]
            return inside, around


@compiled
def nodes_of(inside: Ints) -> Ints:
    """[S]: the node of each state: the lowest state of its end component, or itself."""
    states = len(inside)
    lowest = np.full(2 * states, -1, dtype=np.int64)
    node = np.arange(states)
    for s in range(states):
        if inside[s] >= 0:
            if lowest[inside[s]] < 0:
                lowest[inside[s]] = s
            node[s] = lowest[inside[s]]
    return node


@compiled
def _leads_into(next_state: Table, policy: Floats, t: int, node: Ints, members: Bools, low: int, high: int) -> bool:
    """Whether each move that the policy may make at t leads to a member, or to an end within that range."""
    for b in range(next_state.shape[1]):
        if policy[t, b] > 0.0:
            u = next_state[t, b]
            if u >= 0:
                if not members[node[u]]:
                    return False
            elif not low <= -worth_of(u) <= high:
                return False
    return True


@compiled
def is_choice(next_state: Table, inside: Ints, around: Ints, s: int, a: int) -> bool:
    """Whether a move is legal and does not stay inside the end component."""
    t = next_state[s, a]
    return t != ILLEGAL and not (t >= 0 and inside[s] >= 0 and around[t] == inside[s])


@compiled
def _choice_that(
    next_state: Table, able: Bools, inside: Ints, around: Ints, leads: Bools, s: int, low: int, high: int, good: bool
) -> tuple[bool, int]:
    """Whether some choice at s is good: it leads into the set or to an end within that range (or is not), and which."""
    if inside[s] >= 0 and (low <= 0 <= high) == good:
        return True, STOP
    if not able[s]:
        return (low <= -1 <= high) == good, NONE
    actions = next_state.shape[1]
    for a in range(actions):
        if is_choice(next_state, inside, around, s, a):
            t = next_state[s, a]
            fits = leads[t] if t >= 0 and able[t] else low <= (worth_of(t) if t < 0 else 1) <= high
            if fits == good:
                return True, s * actions + a
    return False, NONE


@compiled
def closed_set(
    next_state: Table,
    policy: Floats,
    able: Bools,
    node: Ints,
    inside: Ints,
    around: Ints,
    low: int,
    high: int,
    every: bool,
) -> tuple[Bools, Ints]:
    """The largest set from which play need not go but to ends worth `low` to `high`; with `every`: cannot go.

    Without `every` also a choice that stays within it: [S], at the lowest state of each node, state * A + action or
    STOP. As choices cannot go round for ever, play that stays within the set ends, with probability 1.
    """
    states = len(next_state)
    members, leads = np.ones(states, dtype=np.bool_), np.ones(states, dtype=np.bool_)
    choice = np.full(states, NONE, dtype=np.int64)
    changed, backwards = True, True
    while changed:
        changed = False
        met = np.zeros(states, dtype=np.bool_)  # a good choice, or, with `every`, a bad one
        for i in range(states):
            s = states - 1 - i if backwards else i
            if leads[s] and able[s] and not _leads_into(next_state, policy, s, node, members, low, high):
                leads[s] = False
                changed = True
            n = node[s]
            if members[n] and not met[n]:
                met[n], choice[n] = _choice_that(next_state, able, inside, around, leads, s, low, high, not every)
                if members[n] and met[n] == every and (every or inside[s] < 0):
                    members[n] = False
                    changed = True
        for n in range(states):
            if node[n] == n and members[n] and met[n] == every:
                members[n] = False
                changed = True
        backwards = not backwards
    for s in range(states):
        members[s] = members[node[s]]
    return members, choice


@compiled
def meets_blunder(next_state: Table, policy: Floats, keeps: Bools) -> bool:
    """Whether the policy may blunder against a responder that never does, in a game that nobody can force a win in."""
    states, actions = next_state.shape
    reached = np.zeros(2 * states, dtype=np.bool_)  # 2 * state + 1 where the policy is to move
    queue = np.empty(2 * states, dtype=np.int64)
    queue[0], queue[1] = 0, 1
    reached[0] = reached[1] = True
    count, i = 2, 0
    while i < count:
        s, moves_policy = queue[i] // 2, queue[i] % 2
        i += 1
        for a in range(actions):
            t = next_state[s, a]
            if moves_policy and policy[s, a] > 0.0 and not keeps[s, a]:
                return True
            if t >= 0 and (policy[s, a] > 0.0 if moves_policy else keeps[s, a]):
                to = 2 * t + 1 - moves_policy
                if not reached[to]:
                    reached[to] = True
                    queue[count] = to
                    count += 1
    return False
