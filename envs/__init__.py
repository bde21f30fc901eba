"""Doors to the ecosystem: Gymnasium, PettingZoo and vector envs over any rule book. Importing this registers the ids.

Each game of the folder `games` has two: `perfectplay/NumberFlip-v0` for both seats, `perfectplay/NumberFlipSolo-v0` for
one learner against a built-in opponent. `gymnasium.make("envs:perfectplay/NumberFlip-v0")` needs no import.
"""

import gymnasium

from envs.pettingzoo_env import PettingZooEnv
from envs.sampling import sample_legal
from envs.solo import SoloEnv
from envs.two_player import TwoPlayerEnv
from envs.vector import SoloVectorEnv, TwoPlayerVectorEnv
from games.find import rulebook_names

__all__ = [
    "PettingZooEnv",
    "SoloEnv",
    "SoloVectorEnv",
    "TwoPlayerEnv",
    "TwoPlayerVectorEnv",
    "env_id",
    "sample_legal",
]


def env_id(name: str, *, solo: bool = False) -> str:
    """The id of a game's env: number-flip is perfectplay/NumberFlip-v0, or perfectplay/NumberFlipSolo-v0."""
    return f"perfectplay/{''.join(word.capitalize() for word in name.split('-'))}{'Solo' if solo else ''}-v0"


for _name in rulebook_names():
    for _solo, _entry, _vector in (
        (False, "envs.two_player:TwoPlayerEnv", "envs.vector:TwoPlayerVectorEnv"),
        (True, "envs.solo:SoloEnv", "envs.vector:SoloVectorEnv"),
    ):
        if (_id := env_id(_name, solo=_solo)) not in gymnasium.registry:
            gymnasium.register(_id, entry_point=_entry, vector_entry_point=_vector, kwargs={"game": _name})
