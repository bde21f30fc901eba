"""The inner loops of the tabular learners, compiled by numba. Import this module only where a learner is made.

Everything that a loop remembers lies in the arrays it is given, the random generator's state too: so a learner can be
stopped after any update, written down, and continued bit for bit. A game is a walk over `next_state`; values are told
from the mover's side, so in self-play the value of a move is minus the value of the position it leads to.
Numba keeps these functions compiled as long as this file is untouched: who changes envs/stream.py, touch this file too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from envs import stream
from games import ILLEGAL, MOVER_LOSES, MOVER_WINS
from solver.compiled import cached

WINS, LOSES, FORBIDDEN = int(MOVER_WINS), int(MOVER_LOSES), int(ILLEGAL)
Q_LEARNING, SARSA = 0, 1
# What `place` holds: where the game stands (-1: none), its plies, a move already chosen (-1: none).
STATE, PLY, CHOSEN = 0, 1, 2


Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Machine code, kept on disk for the next process; it allocates nothing, so it need not count references."""
    return cached(function, _nrt=False)


def inlined(function: Function) -> Function:
    """A part of a kernel, pasted into it."""
    return cast(Function, numba.njit(inline="always")(function))


_advance, _word = inlined(stream.advance), inlined(stream.word)
_below, _fraction = inlined(stream.below), inlined(stream.fraction)


@inlined
def draw(generator: Any) -> Any:
    """The next 64 random bits; `generator` is the stream, one uint64 in an array."""
    generator[0] = _advance(generator[0])
    return _word(generator[0])


@inlined
def below(generator: Any, count: Any) -> Any:
    """A random whole number from 0 to count - 1."""
    return np.int64(_below(draw(generator), np.uint64(count)))


@inlined
def unit(generator: Any) -> Any:
    """A random number from 0 up to, but not including, 1."""
    return _fraction(draw(generator))


@compiled
def best_actions(q: Any, legal_count: Any, legal_action: Any, best: Any) -> None:
    """best [S]: the legal action of the highest value, the lowest of several."""
    for state in range(len(q)):
        best[state] = legal_action[state, 0]
        for k in range(1, legal_count[state]):
            if q[state, legal_action[state, k]] > q[state, best[state]]:
                best[state] = legal_action[state, k]


@inlined
def record_value(q: Any, best: Any, legal_count: Any, legal_action: Any, state: Any, action: Any, value: Any) -> None:
    """Write a new value down and keep `best` true."""
    old = q[state, action]
    q[state, action] = value
    top = best[state]
    if action != top:
        if value > q[state, top] or (value == q[state, top] and action < top):
            best[state] = action
    elif value < old:
        top = legal_action[state, 0]
        for k in range(1, legal_count[state]):
            if q[state, legal_action[state, k]] > q[state, top]:
                top = legal_action[state, k]
        best[state] = top


@inlined
def _choose(best: Any, legal_count: Any, legal_action: Any, state: Any, epsilon: Any, generator: Any) -> Any:
    """Epsilon-greedy."""
    if epsilon > 0.0 and (epsilon >= 1.0 or unit(generator) < epsilon):
        return legal_action[state, below(generator, legal_count[state])]
    return best[state]


@inlined
def _reply(opponent: Any, state: Any, generator: Any) -> Any:
    """A move of the fixed opponent: opponent [S, A] holds running sums of its probabilities."""
    row = opponent[state]
    point = unit(generator) * row[-1]
    action = 0
    while row[action] <= point:
        action += 1
    return action


@inlined
def _play(
    next_state: Any, legal_count: Any, opponent: Any, state: Any, action: Any, discount: Any, generator: Any
) -> Any:
    """(value, -1, 0) if the game ends, else (0, the learner's next state, what a value there is worth here)."""
    after = next_state[state, action]
    if after < 0:
        return (1.0 if after == WINS else -1.0 if after == LOSES else 0.0), np.int64(-1), 0.0
    if legal_count[after] == 0:  # the other player cannot move
        return 1.0, np.int64(-1), 0.0
    if len(opponent) == 0:  # self-play: the other player is the learner too
        return 0.0, np.int64(after), -discount
    after = next_state[after, _reply(opponent, after, generator)]
    if after < 0:
        return (-discount if after == WINS else discount if after == LOSES else 0.0), np.int64(-1), 0.0
    if legal_count[after] == 0:
        return -discount, np.int64(-1), 0.0
    return 0.0, np.int64(after), discount * discount


@inlined
def _begin(next_state: Any, legal_count: Any, opponent: Any, starts: Any, generator: Any) -> Any:
    """The learner's first state of a new game; against an opponent a coin decides who moves first."""
    while True:
        state = starts[below(generator, len(starts))] if len(starts) > 1 else starts[0]
        if len(opponent) == 0 or draw(generator) >> np.uint64(63):
            return np.int64(state)
        state = next_state[state, _reply(opponent, state, generator)]
        if state >= 0 and legal_count[state] > 0:
            return np.int64(state)


@compiled
def learn_online(
    rule: Any,  # Q_LEARNING or SARSA
    q: Any,  # [S, A]
    best: Any,  # [S]
    place: Any,  # [3]: STATE, PLY, CHOSEN
    generator: Any,  # [1]
    next_state: Any,  # [S, A]
    legal_count: Any,  # [S]
    legal_action: Any,  # [S, A]: the legal actions first
    starts: Any,  # the states a game may start from; the first move is random where there are several
    opponent: Any,  # [S, A] running sums, or [0, 0] for self-play
    schedule: Any,  # [4]: epsilon and step size, at the first update and what each update adds
    discount: Any,
    max_plies: Any,
    first: Any,
    steps: Any,
) -> None:
    """Q-learning or SARSA: one update per move of the learner."""
    state, ply, chosen = place[STATE], place[PLY], place[CHOSEN]
    for step in range(first, first + steps):
        epsilon, step_size = schedule[0] + step * schedule[1], schedule[2] + step * schedule[3]
        if state < 0:
            state, ply, chosen = _begin(next_state, legal_count, opponent, starts, generator), 0, -1
            if len(starts) > 1:
                chosen = legal_action[state, below(generator, legal_count[state])]
        action = chosen if chosen >= 0 else _choose(best, legal_count, legal_action, state, epsilon, generator)
        target, after, factor = _play(next_state, legal_count, opponent, state, action, discount, generator)
        chosen = -1
        if after >= 0:
            follow = best[after]
            if rule == SARSA:
                chosen = _choose(best, legal_count, legal_action, after, epsilon, generator)
                follow = chosen
            target = factor * q[after, follow]
        old = q[state, action]
        value = target if step_size == 1.0 else old + step_size * (target - old)
        if value != old:
            record_value(q, best, legal_count, legal_action, state, action, value)
        ply += 1
        state = np.int64(-1) if ply >= max_plies else after  # a game cut short ends here, its value does not
    place[STATE], place[PLY], place[CHOSEN] = state, ply, chosen


@compiled
def learn_from_games(
    q: Any,
    best: Any,
    place: Any,
    generator: Any,
    path: Any,  # [longest game, 2]: state and action of each of the learner's moves in the game being played
    factors: Any,  # [longest game]: what a value after that move is worth before it
    next_state: Any,
    legal_count: Any,
    legal_action: Any,
    starts: Any,
    opponent: Any,
    schedule: Any,
    discount: Any,
    max_plies: Any,
    first: Any,
    steps: Any,
) -> None:
    """Every-visit Monte Carlo: when a game is over, each of its moves is pulled towards what came of it."""
    state, ply = place[STATE], place[PLY]
    for step in range(first, first + steps):
        epsilon, step_size = schedule[0] + step * schedule[1], schedule[2] + step * schedule[3]
        if state < 0:
            state, ply = _begin(next_state, legal_count, opponent, starts, generator), 0
        explore = 1.0 if ply == 0 and len(starts) > 1 else epsilon
        action = _choose(best, legal_count, legal_action, state, explore, generator)
        value, after, factor = _play(next_state, legal_count, opponent, state, action, discount, generator)
        path[ply, 0], path[ply, 1], factors[ply] = state, action, factor
        ply += 1
        state = np.int64(-1) if ply >= max_plies else after
        if state < 0:  # a game cut short is worth 0
            for k in range(ply - 1, -1, -1):
                if k < ply - 1:
                    value *= factors[k]
                old = q[path[k, 0], path[k, 1]]
                record_value(
                    q, best, legal_count, legal_action, path[k, 0], path[k, 1], old + step_size * (value - old)
                )
    place[STATE], place[PLY] = state, ply


@compiled
def back_up(
    q: Any, best: Any, next_state: Any, legal_count: Any, legal_action: Any, discount: Any, first: Any, steps: Any
) -> Any:
    """Value iteration in place, one (state, action) pair after another, round and round; returns where it stopped."""
    pair = first  # of all S x A, the illegal ones passed over
    done = 0
    while done < steps:
        state, action = pair // q.shape[1], pair % q.shape[1]
        after = next_state[state, action]
        if after != FORBIDDEN:
            value = 1.0 if after == WINS else -1.0 if after == LOSES else 0.0
            if after >= 0:
                value = -discount * q[after, best[after]] if legal_count[after] > 0 else 1.0
            record_value(q, best, legal_count, legal_action, state, action, value)
            done += 1
        pair = (pair + 1) % q.size
    return pair
