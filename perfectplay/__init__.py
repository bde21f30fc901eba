"""Perfect Play, where it is installed: the command `perfectplay`, and the ids of the envs.

The rooms are packages of their own (games, solver, envs, agents, ...). `import perfectplay` is `import envs`: from then
on `gymnasium.make("perfectplay/NumberFlip-v0")` works.
"""

import envs

__all__ = ["envs"]
