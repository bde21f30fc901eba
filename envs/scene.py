"""What an env shows of its game at one moment: as words, on the terminal, or as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envs.core import Core, Ending


@dataclass(frozen=True)
class Scene:
    core: Core
    state: int  # after the end, the one that was moved from
    moves: Sequence[int]
    players: Sequence[str]  # in the order of seats
    mover: int
    end: Ending | None

    @property
    def turn(self) -> str:
        """Who is to move, or how it ended."""
        if self.end is None:
            return f"{self.players[self.mover]} to move"
        return self.end.words(self.core.book, self.players, self.moves)

    @property
    def words(self) -> str:
        """The table, the moves so far, and whose turn it is."""
        book = self.core.book
        return f"{book.title}: {book.table(self.moves)}\nmoves so far: {book.line(self.moves) or 'none'}\n{self.turn}"

    def render(self, mode: str | None, *, values: bool) -> str | NDArray[np.uint8] | None:
        """As `render()` of an env answers in this mode."""
        if mode is None:
            gymnasium.logger.warn("render() shows nothing without a render mode; make the env with render_mode='ansi'")
            return None
        if mode == "rgb_array":
            from envs.picture import picture  # only who wants pictures waits for the solver and the fonts

            return picture(self, values=values)
        if mode == "ansi":
            return self.words
        print(self.words, flush=True)
        return None
