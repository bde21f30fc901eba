"""The machine code that starts self-play games somewhere else than at the opening. Imported on first use."""

from __future__ import annotations

from typing import Any

from envs import stream
from solver.compiled import compiled

advance = compiled(stream.advance)
word = compiled(stream.word)
below = compiled(stream.below)


@compiled
def random_openings(
    rows: Any,  # [K]: the games to start
    luck: Any,  # [N]: each game's stream
    state: Any,  # [N]: written
    outcome: Any,  # [S, A]
    legal_count: Any,  # [S]
    legal_action: Any,  # [S, A]
    longest: Any,
) -> None:
    """Play one whole uniformly random game from the opening, and hand over at one of its positions, each alike."""
    for row in rows:
        here, kept, met, draw = 0, 0, 1, luck[row]
        for _ in range(longest):
            draw = advance(draw)
            after = outcome[here, legal_action[here, below(word(draw), legal_count[here])]]
            if after < 0:
                break
            here, met = after, met + 1
            draw = advance(draw)
            if below(word(draw), met) == 0:
                kept = here
        luck[row], state[row] = draw, kept


@compiled
def anywhere(rows: Any, luck: Any, state: Any, starts: Any) -> None:
    """Start at any of these positions, each alike."""
    for row in rows:
        luck[row] = advance(luck[row])
        state[row] = starts[below(word(luck[row]), len(starts))]
