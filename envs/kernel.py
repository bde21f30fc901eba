"""The machine code of the vector envs: one pass over all games moves, replies, starts anew and writes what changed.

Imported on first use, for numba is slow to import. numba keeps the code on disk by this file's date: after a change to
stream.py, touch this file too. `play` is one long function because a call that passes arrays counts references, which
costs more than a move does. What indexes an array is unsigned, so that no code asks whether it counts from behind.
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
def play(
    actions: Any,  # [N]: the move in each game; empty: none is made, the chosen games are started
    chosen: Any,  # [N]: which games are started anew; with actions, those that have ended before
    start: Any,  # the state in which a game starts
    mover: Any,  # the seat that moves there
    solo: Any,  # whether an opponent replies
    seat: Any,  # the learner's, or -1 for a toss
    retry: Any,
    max_plies: Any,
    same_step: Any,
    outcome: Any,  # [S, A]
    answer: Any,  # [S, A]: the outcomes of the opponent's replies, in the order of Replies
    count: Any,  # [S]
    share: Any,  # [S, A], or empty
    rewards: Any,  # [4]: of the verdicts -1 to -4, to the mover
    allowed: Any,  # [S + 1, W]: masks, eight actions to a word; the last is that of an ended game
    bits: Any,  # [S, F]: the columns of `seen` that are set in a state, or [S, 0]
    luck_of: Any,  # [N] and below: what is kept and written of each game
    plies_of: Any,
    state_of: Any,
    over_of: Any,  # whether the mask is that of an ended game
    seen: Any,  # [N, width]
    mask: Any,  # [N, W]
    reward_of: Any,
    terminated_of: Any,
    truncated_of: Any,
    final_of: Any,  # with same_step, the state in which an ended game was left
) -> Any:
    """Returns how many games ended."""
    ended, moving, flat, states = 0, len(actions) > 0, share.size == 0, np.uint64(len(outcome))
    for number in range(len(state_of)):
        row = np.uint64(number)
        fresh = chosen[row]
        if not moving and not fresh:
            continue
        before = np.uint64(state_of[row])
        state, plies, luck = before, plies_of[row], luck_of[row]
        reward, terminated, truncated = 0.0, False, False
        while True:  # once, and again where a game is started after an end
            over, reply = False, solo
            if fresh:
                state, plies, learner = np.uint64(start), 0, seat
                if solo and seat < 0:
                    luck = advance(luck)
                    learner = np.int64(word(luck) >> 63)
                reply = solo and learner != mover
            else:
                plies += 1
                after = outcome[state, np.uint64(actions[row])]
                if after >= 0:
                    state = np.uint64(after)
                else:
                    reply = False
                    if after != ILLEGAL or not retry:
                        over, reward = True, rewards[-1 - after]
            if reply:
                plies += 1
                luck = advance(luck)
                place = np.uint64(0)
                if flat:
                    place = below(word(luck), count[state])
                else:
                    chance = fraction(word(luck))
                    while chance >= share[state, place]:
                        place += np.uint64(1)
                after = answer[state, place]
                if after >= 0:
                    state = np.uint64(after)
                elif fresh:
                    continue  # over before the learner's first move: no episode
                else:
                    over, reward = True, 0.0 - rewards[-1 - after]
            if fresh:
                break
            terminated, truncated = over, not over and plies >= max_plies
            if terminated or truncated:
                ended += 1
                if same_step:
                    final_of[row] = state
                    fresh = True
                    continue
            break
        plies_of[row], luck_of[row] = plies, luck
        reward_of[row], terminated_of[row], truncated_of[row] = reward, terminated, truncated
        if state != before or over != over_of[row]:
            over_of[row] = over
            state_of[row] = state
            kind = states if over else state
            for part in range(mask.shape[1]):
                mask[row, part] = allowed[kind, part]
            for field in range(bits.shape[1]):  # each field has columns of its own
                seen[row, bits[before, field]] = 0.0
                seen[row, bits[state, field]] = 1.0
    return ended


@compiled
def sample(luck: Any, state_of: Any, choice: Any, count: Any, actions: Any) -> Any:
    """A legal move in every game, each alike; returns the stream after them."""
    for row in range(len(actions)):
        luck = advance(luck)
        state = state_of[row]
        actions[row] = choice[state, below(word(luck), count[state])]
    return luck


@compiled
def draw(luck: Any, mask: Any, actions: Any) -> Any:
    """A move in every row of a mask, each that is not 0 alike; returns the first row without any, or -1."""
    for number in range(len(actions)):
        row = np.uint64(number)
        count = np.uint64(0)
        for action in range(mask.shape[1]):
            count += np.uint64(mask[row, action] != 0)
        if count == 0:
            return number
        luck = advance(luck)
        place, passed, chosen = below(word(luck), count), np.uint64(0), 0
        for action in range(mask.shape[1]):  # how many actions lie before the one at that place
            passed += np.uint64(mask[row, action] != 0)
            chosen += passed <= place
        actions[row] = chosen
    return -1
