"""What the explorer asks of a foreign game: to start, to move, to come back, and to show the state it is in."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from base.mistake import Mistake

UNKNOWN = "unknown"  # of a winner: the env does not tell


class Refused(Mistake):
    """A game that cannot be imported, with the reason and the moves that show it."""


@dataclass(frozen=True)
class Step:
    """What a foreign game answered to a move."""

    over: bool
    truncated: bool = False  # stopped by a limit rather than by the rules
    rewards: tuple[float, ...] = ()  # one number, of whomever it belongs to, or one for each seat
    winner: object = UNKNOWN  # a seat, None for a draw, or UNKNOWN
    named: object = None  # the same as the env names it
    scores: tuple[float, float] | None = None  # of the seats, where the env keeps some
    complaint: str = ""  # what the env said of the move, where it called it illegal


class World(Protocol):
    """One foreign game. Moves are whole numbers; seats are 0 for who moves first, and 1."""

    label: str  # how the game was named
    ways: Sequence[str]  # the ways of coming back to a position, the best first
    way: str  # the one in use
    notes: list[str]  # what a user should know, told in the summary

    def names(self) -> Sequence[str]:
        """[A]: what each move is called."""

    def restart(self, seed: int = 0) -> None:
        """A new game, as if nothing had been played before."""

    def legal(self) -> list[int]:
        """The moves that the env names as legal now."""

    def seat(self) -> int | None:
        """Who is to move; None where the env does not tell."""

    def step(self, move: int) -> Step:
        """Make a move. What the env raises is raised."""

    def save(self) -> Any:
        """What `load` takes to come back here."""

    def load(self, saved: Any) -> None:
        """Come back to a saved position, any number of times."""

    def parts(self) -> Mapping[str, Hashable]:
        """The canonical state, part by part."""

    def told(self) -> Mapping[str, Hashable]:
        """All single values that may say whose turn it is."""

    def learn(self, path: str | None, values: tuple[Hashable, ...]) -> None:
        """Which of them says it, and its values: the first player's first."""

    def dice(self) -> Hashable:
        """Changes when the game draws from a generator."""

    def leave_out(self, names: Sequence[str]) -> None:
        """Take these parts for no state."""

    def settle(self, histories: Sequence[Sequence[Mapping[str, Hashable]]]) -> None:
        """Look no more at what never changed while these lines were played."""

    def still(self) -> Hashable:
        """The data beside the env that nobody looks at each time: they have to stay as they are."""

    def unsettle(self) -> None:
        """Look at everything again."""

    def seen(self) -> Hashable:
        """What the player to move has been shown."""

    def observation(self) -> Any:
        """The same as numbers, or None."""

    def shown(self) -> str:
        """The position as the env itself prints it; empty where it does not."""
