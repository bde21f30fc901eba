"""OpenSpiel's games: `openspiel:nim`, or with parameters `openspiel:hex(board_size=3)`. The library is an extra."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from base.mistake import Mistake
from envs.importing.world import Refused, Step

EXTRA = "openspiel: OpenSpiel is not installed; pip install open_spiel"


class OpenSpielWorld:
    """One game of OpenSpiel. Its own clones lead back to a position; what `str` shows and the history are its state."""

    ways: Sequence[str] = ("clone", "replay")

    def __init__(self, label: str, game: Any) -> None:
        self.label, self.game = label, game
        self.way = self.ways[0]
        self.notes: list[str] = []
        self.state: Any = None
        self._names: dict[int, set[str]] = {}

    def names(self) -> Sequence[str]:
        """What OpenSpiel calls each move, where it calls it the same for both players."""
        told = [self._names.get(move, set()) for move in range(self.game.num_distinct_actions())]
        return [min(names) if len(names) == 1 else str(move) for move, names in enumerate(told)]

    def restart(self, seed: int = 0) -> None:
        self.state = self.game.new_initial_state()

    def legal(self) -> list[int]:
        player = self.state.current_player()
        legal: list[int] = self.state.legal_actions()
        for move in legal:
            self._names.setdefault(move, set()).add(" ".join(self.state.action_to_string(player, move).split()))
        return legal

    def seat(self) -> int | None:
        player = int(self.state.current_player())
        if player not in (0, 1):
            raise Refused(f"{self.label}: player {player} is to move; a game of this kind has the players 0 and 1")
        return player if self._first() == 0 else 1 - player

    def step(self, move: int) -> Step:
        if move not in self.state.legal_actions():  # OpenSpiel would complain on the terminal
            raise ValueError(f"{move} is not legal")
        self.state.apply_action(move)
        if not self.state.is_terminal():
            return Step(False)
        returns = [float(number) for number in self.state.returns()]
        return Step(True, rewards=tuple(returns if self._first() == 0 else returns[::-1]))

    def save(self) -> Any:
        return self.state.history() if self.way == "replay" else self.state.clone()

    def load(self, saved: Any) -> None:
        if self.way == "replay":
            self.restart()
            for move in saved:
                self.state.apply_action(move)
        else:
            self.state = saved.clone()

    def parts(self) -> dict[str, Hashable]:
        player = -1 if self.state.is_terminal() else self.state.current_player()
        return {"state": str(self.state), "player": player, "history": ("list", *self.state.history())}

    def told(self) -> dict[str, Hashable]:
        return {}  # the player to move is known

    def learn(self, path: str | None, values: tuple[Hashable, ...]) -> None:
        raise AssertionError("OpenSpiel knows who is to move")

    def dice(self) -> Hashable:
        return 0  # chance is refused before

    def leave_out(self, names: Sequence[str]) -> None:
        """Nothing is left out."""

    def settle(self, histories: Sequence[Sequence[Mapping[str, Hashable]]]) -> None:
        """There is nothing beside the state."""

    def still(self) -> Hashable:
        return ()

    def unsettle(self) -> None:
        """There is nothing beside the state."""

    def seen(self) -> Hashable:
        return str(self.state)

    def observation(self) -> Any:
        kind = self.game.get_type()
        player = self.state.current_player()
        if not kind.provides_observation_tensor or player < 0:
            return None
        return np.asarray(self.state.observation_tensor(player), dtype=np.float32)

    def shown(self) -> str:
        return str(self.state)

    def _first(self) -> int:
        """The number of the player who moves first."""
        return int(self.game.new_initial_state().current_player())


def openspiel_world(name: str, options: Mapping[str, Any]) -> OpenSpielWorld:
    """A game of OpenSpiel, if it is of the kind that can be solved here."""
    label = f"openspiel:{name}"
    try:
        import pyspiel
    except ImportError:
        raise Mistake(EXTRA) from None
    try:
        game = pyspiel.load_game(name, dict(options)) if options else pyspiel.load_game(name)
    except Exception as error:  # pyspiel's own
        raise Mistake(
            f"{label}: cannot be made ({' '.join(str(error).split())[:200]}); name one of its games"
        ) from None
    kind = game.get_type()
    if game.num_players() != 2:
        raise Refused(f"{label}: {game.num_players()} players; a game of this kind has two")
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise Refused(f"{label}: its players move at the same time; a game of this kind needs them to take turns")
    if kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC:
        raise Refused(f"{label}: random: it has chance moves; a game of this kind has none")
    if kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
        raise Refused(f"{label}: hidden information: its players do not see everything")
    if kind.utility not in (pyspiel.GameType.Utility.ZERO_SUM, pyspiel.GameType.Utility.CONSTANT_SUM):
        raise Refused(f"{label}: not zero-sum, says OpenSpiel itself")
    return OpenSpielWorld(label, game)
