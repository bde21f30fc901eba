"""Doors to the ecosystem: Gymnasium, PettingZoo and vector envs over any rule book. Importing this registers the ids.

Each game of the folder `games` has two: `perfectplay/NumberFlip-v0` for both seats, `perfectplay/NumberFlipSolo-v0` for
one learner against a built-in opponent. `gymnasium.make("envs:perfectplay/NumberFlip-v0")` needs no import.
`perfectplay/Game-v0` and `perfectplay/GameSolo-v0` are any game: `gymnasium.make("perfectplay/Game-v0", game=PATH)`.
Where PettingZoo has a registry (1.26 and newer), `pettingzoo.make("aec", "perfectplay/NumberFlip-v0")` works alike.
"""

import gymnasium
import pettingzoo

from envs.masked import MaskInObservation
from envs.pettingzoo_env import PettingZooEnv
from envs.sampling import sample_legal
from envs.solo import SoloEnv
from envs.two_player import TwoPlayerEnv
from envs.vector import SoloVectorEnv, TwoPlayerVectorEnv
from games.find import rulebook_names

__all__ = [
    "MaskInObservation",
    "PettingZooEnv",
    "SoloEnv",
    "SoloVectorEnv",
    "TwoPlayerEnv",
    "TwoPlayerVectorEnv",
    "env_id",
    "sample_legal",
]

ANY_GAME = "game"  # the ids to which `game=` tells a name, a path or a RuleBook


def env_id(name: str, *, solo: bool = False) -> str:
    """The id of a game's env: number-flip is perfectplay/NumberFlip-v0, or perfectplay/NumberFlipSolo-v0."""
    return f"perfectplay/{''.join(word.capitalize() for word in name.split('-'))}{'Solo' if solo else ''}-v0"


for _name in (*rulebook_names(), ANY_GAME):
    _given = {} if _name == ANY_GAME else {"game": _name}
    for _solo, _entry, _vector in (
        (False, "envs.two_player:TwoPlayerEnv", "envs.vector:TwoPlayerVectorEnv"),
        (True, "envs.solo:SoloEnv", "envs.vector:SoloVectorEnv"),
    ):
        if (_id := env_id(_name, solo=_solo)) not in gymnasium.registry:
            gymnasium.register(_id, entry_point=_entry, vector_entry_point=_vector, kwargs=_given)
    if env_id(_name) not in getattr(pettingzoo, "aec_registry", [env_id(_name)]):  # older ones have no registry
        pettingzoo.register("aec", env_id(_name), "envs.pettingzoo_env:PettingZooEnv", kwargs=_given)
