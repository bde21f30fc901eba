"""The machine code of the vector envs: one pass over all games plays, resets and writes what changed.

Imported on first use, for numba is slow to import. numba keeps the code on disk by this file's date: after a change to
stream.py, touch this file too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envs import stream
from games.rulebook import ILLEGAL as _ILLEGAL
from solver.compiled import compiled

ILLEGAL = int(_ILLEGAL)

advance = compiled(stream.advance)
word = compiled(stream.word)
below = compiled(stream.below)
fraction = compiled(stream.fraction)


@compiled
def pick(state: Any, bits: Any, choice: Any, count: Any, share: Any) -> Any:
    """The reply that these random bits choose: as Replies.pick."""
    if share.size == 0:
        return choice[state, below(bits, count[state])]
    place, luck = 0, fraction(bits)
    while luck >= share[state, place]:
        place += 1
    return choice[state, place]


@compiled
def begin(start: Any, mover: Any, seat: Any, luck: Any, outcome: Any, choice: Any, count: Any, share: Any) -> Any:
    """The first state in which the learner is to move, the plies before it, and the stream after them; -1 tosses the seat."""
    while True:
        learner = seat
        if seat < 0:
            luck = advance(luck)
            learner = np.int64(word(luck) >> np.uint64(63))
        if learner == mover:
            return np.int64(start), 0, luck
        luck = advance(luck)
        after = outcome[start, pick(start, word(luck), choice, count, share)]
        if after >= 0:
            return np.int64(after), 1, luck


@compiled
def show(
    row: Any, state: Any, over: Any, state_of: Any, seen: Any, over_of: Any, mask: Any, allowed: Any, bits: Any
) -> None:
    """Write what changed of one game's row: its state, its mask, and the one-hot bits (none, if `bits` is empty)."""
    before = state_of[row]
    if before != state or over_of[row] != over:
        for action in range(mask.shape[1]):
            mask[row, action] = 1 if over else allowed[state, action]
        over_of[row] = over
    if before != state:
        for field in range(bits.shape[1]):
            old, new = bits[before, field], bits[state, field]
            if old != new:
                seen[row, old] = 0.0
                seen[row, new] = 1.0
        state_of[row] = state


@compiled
def reset(
    chosen: Any,  # [N]: which games
    solo: Any,
    start: Any,
    mover: Any,
    seat: Any,
    luck_of: Any,  # [N]: the streams
    plies_of: Any,  # [N]
    outcome: Any,  # [S, A]
    choice: Any,  # [S, A]: the opponent's replies, as in Replies
    count: Any,
    share: Any,
    state_of: Any,  # [N]
    over_of: Any,  # [N]: whether the mask is that of an ended game
    seen: Any,  # [N, width]: one-hot observations
    mask: Any,  # [N, A]
    allowed: Any,  # [S, A]
    bits: Any,  # [S, F]: the columns of `seen` that are set in a state
) -> None:
    """Start the chosen games."""
    for row in range(len(state_of)):
        if chosen[row]:
            state, plies = np.int64(start), 0
            if solo:
                state, plies, luck_of[row] = begin(start, mover, seat, luck_of[row], outcome, choice, count, share)
            plies_of[row] = plies
            show(row, state, False, state_of, seen, over_of, mask, allowed, bits)


@compiled
def step(
    actions: Any,  # [N]
    solo: Any,
    retry: Any,
    max_plies: Any,
    same_step: Any,
    seat: Any,
    luck_of: Any,
    plies_of: Any,
    outcome: Any,
    choice: Any,
    count: Any,
    share: Any,
    state_of: Any,
    over_of: Any,
    seen: Any,
    mask: Any,
    allowed: Any,
    bits: Any,
    reward_of: Any,  # [4]: of the verdicts -1 to -4, to the mover
    reward: Any,  # [N]
    terminated: Any,  # [N]
    truncated: Any,  # [N]
    final_state: Any,  # [N]: with same_step, the state in which an ended game was left
) -> Any:
    """Make a move in every game, and the reply; an ended game starts again. Returns how many ended."""
    ended = 0
    for row in range(len(actions)):
        if not same_step and (terminated[row] or truncated[row]):
            state, plies = np.int64(0), 0
            if solo:
                state, plies, luck_of[row] = begin(0, 0, seat, luck_of[row], outcome, choice, count, share)
            reward[row], terminated[row], truncated[row], plies_of[row] = 0.0, False, False, plies
            show(row, state, False, state_of, seen, over_of, mask, allowed, bits)
            continue
        state, plies, won, over = np.int64(state_of[row]), plies_of[row] + 1, 0.0, False
        after = outcome[state, actions[row]]
        if after >= 0:
            state = np.int64(after)
            if solo:
                plies += 1
                luck_of[row] = luck = advance(luck_of[row])
                after = outcome[state, pick(state, word(luck), choice, count, share)]
                if after >= 0:
                    state = np.int64(after)
                else:
                    won, over = 0.0 - reward_of[-1 - after], True
        elif after != ILLEGAL or not retry:
            won, over = reward_of[-1 - after], True
        stopped = not over and plies >= max_plies
        reward[row], terminated[row], truncated[row] = won, over, stopped
        if over or stopped:
            ended += 1
            if same_step:
                final_state[row] = state
                state, plies, over = np.int64(0), 0, False
                if solo:
                    state, plies, luck_of[row] = begin(0, 0, seat, luck_of[row], outcome, choice, count, share)
        plies_of[row] = plies
        show(row, state, over, state_of, seen, over_of, mask, allowed, bits)
    return ended


@compiled
def sample(luck: Any, state_of: Any, choice: Any, count: Any, actions: Any) -> Any:
    """A legal move in every game, each alike; returns the stream after them."""
    for row in range(len(actions)):
        luck = advance(luck)
        state = state_of[row]
        actions[row] = choice[state, below(word(luck), count[state])]
    return luck
