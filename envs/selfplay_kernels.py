"""The machine code of self-play: every game moves several plies at once, under one table of probabilities.

Imported on first use. As in kernel.py, what is drawn comes from each game's own streams: `luck` decides where a game
starts, who plays the other side and what is replied; `hand` decides the learner's moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envs import stream
from solver.compiled import compiled

OPENING, RANDOM_OPENING, ANYWHERE = range(3)  # where games start

advance = compiled(stream.advance)
word = compiled(stream.word)
below = compiled(stream.below)
fraction = compiled(stream.fraction)


@compiled
def play(
    actions: Any,  # [N, T]: the learner's moves; written where `sums` is given, else read
    sums: Any,  # [S, A]: running sums of the probabilities of its moves, or [0, 0]
    outcome: Any,  # [S, A]
    longest: Any,  # the plies after which a game is cut
    start: Any,  # OPENING, RANDOM_OPENING or ANYWHERE
    legal: Any,  # ([S], [S, A]): GameGraph.legal_actions
    starts: Any,  # the states in which a game may start anywhere
    opponents: Any,  # ([K, S, A], [K, S], [K, S, A], [K]): Replies, one below the other; K is 0 in self-play
    worth: Any,  # [5]: WORTH
    state_of: Any,  # [N] and below: what is kept of each game
    plies_of: Any,
    luck_of: Any,
    hand_of: Any,
    opponent_of: Any,
    states: Any,  # [N, T] and below: written
    rewards: Any,
    ends: Any,  # whether the game ended or was cut
    cuts: Any,  # whether it was cut
    lasts: Any,  # the state in which it was left then, else -1
) -> None:
    drawing = sums.size > 0
    for row in range(len(state_of)):
        state, plies, luck, hand, opponent = state_of[row], plies_of[row], luck_of[row], hand_of[row], opponent_of[row]
        for time in range(states.shape[1]):
            states[row, time] = state
            action = 0
            if drawing:
                hand = advance(hand)
                chance = fraction(word(hand))
                while sums[state, action] <= chance:
                    action += 1
                actions[row, time] = action
            else:
                action = actions[row, time]
            plies += 1
            after, last = np.int64(outcome[state, action]), state
            reward = worth[-after] if after < 0 else worth[0]
            if after >= 0 and len(opponents[1]) > 0:
                plies, last = plies + 1, after
                luck, after = reply(luck, after, opponent, opponents, outcome)
                reward = -worth[-after] if after < 0 else worth[0]
            cut = after >= 0 and plies >= longest
            over = after < 0 or cut
            rewards[row, time], ends[row, time], cuts[row, time] = reward, over, cut
            lasts[row, time] = (after if cut else last) if over else -1
            if over:
                state, plies, luck, opponent = begin(outcome, longest, start, legal, starts, opponents, luck)
            else:
                state = after
        state_of[row], plies_of[row], luck_of[row], hand_of[row], opponent_of[row] = state, plies, luck, hand, opponent


@compiled
def begin_all(
    outcome: Any, longest: Any, start: Any, legal: Any, starts: Any, opponents: Any,
    state_of: Any, plies_of: Any, luck_of: Any, opponent_of: Any,
) -> None:  # fmt: skip
    """Start every game anew; the arguments are those of `play`."""
    for row in range(len(state_of)):
        state, plies, luck, opponent = begin(outcome, longest, start, legal, starts, opponents, luck_of[row])
        state_of[row], plies_of[row], luck_of[row], opponent_of[row] = state, plies, luck, opponent


@compiled
def begin(outcome: Any, longest: Any, start: Any, legal: Any, starts: Any, opponents: Any, luck: Any) -> Any:
    """A game's first state with the learner to move, the plies played to it, its stream and its opponent."""
    opponent = np.int64(0)
    if len(opponents[1]) > 1:
        luck = advance(luck)
        opponent = np.int64(below(word(luck), np.uint64(len(opponents[1]))))
    if start == RANDOM_OPENING:
        luck, state = random_opening(outcome, longest, legal, luck)
        return state, np.int64(0), luck, opponent
    if start == ANYWHERE:
        luck = advance(luck)
        return starts[np.int64(below(word(luck), np.uint64(len(starts))))], np.int64(0), luck, opponent
    if len(opponents[1]) > 0:
        while True:  # until a game goes on to the learner's first move: as in SoloEnv
            luck = advance(luck)
            if word(luck) >> np.uint64(63) == 0:
                break
            luck, after = reply(luck, np.int64(0), opponent, opponents, outcome)
            if after >= 0:
                return after, np.int64(1), luck, opponent
    return np.int64(0), np.int64(0), luck, opponent


@compiled
def random_opening(outcome: Any, longest: Any, legal: Any, luck: Any) -> Any:
    """Play one whole uniformly random game, and hand over at one of its positions, each alike."""
    count, action = legal
    here, kept, positions = np.int64(0), np.int64(0), np.uint64(1)
    for _ in range(longest):
        luck = advance(luck)
        after = np.int64(outcome[here, action[here, np.int64(below(word(luck), np.uint64(count[here])))]])
        if after < 0:
            break
        here, positions = after, positions + np.uint64(1)
        luck = advance(luck)
        if below(word(luck), positions) == 0:
            kept = here
    return luck, kept


@compiled
def reply(luck: Any, state: Any, opponent: Any, opponents: Any, outcome: Any) -> Any:
    """What the opponent's move leads to; drawn as `Replies.pick` does."""
    choice, count, share, flat = opponents
    luck, place = advance(luck), np.int64(0)
    if flat[opponent]:
        place = np.int64(below(word(luck), count[opponent, state]))
    else:
        chance = fraction(word(luck))
        while chance >= share[opponent, state, place]:
            place += 1
    return luck, np.int64(outcome[state, choice[opponent, state, place]])
