"""Players by name: all that need no training."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from agents.fixed import optimal, safe_uniform, trembling, uniform
from agents.mcts import mcts
from agents.run import load
from agents.tips import TIPS, follower, tips
from games import GameGraph, Mistake, Policy
from games.mistake import unknown

FIXED: Mapping[str, Callable[[GameGraph], Policy]] = {
    "uniform": uniform,
    "safe-uniform": safe_uniform,
    "optimal": optimal,
    "trembling": trembling,
}
SEARCHES = (10, 100, 1000)  # simulations per state of the searching baselines
LONGEST_SEARCH = 10_000_000


def baseline_names(graph: GameGraph) -> list[str]:
    """The players that every learned one is compared with on this game."""
    return ["uniform", "safe-uniform", *tips(graph.game), *(f"mcts-{n}" for n in SEARCHES), "trembling", "optimal"]


def player(name: str, graph: GameGraph) -> Policy:
    """The player of that name; mcts-N searches with N simulations per state."""
    if name in FIXED:
        return FIXED[name](graph)
    if any(name in names for names in TIPS.values()):
        return follower(name, graph)
    search = re.fullmatch(r"mcts-([1-9]\d{0,7})", name)
    if search and int(search[1]) <= LONGEST_SEARCH:
        return mcts(graph, int(search[1]))
    raise unknown(graph.game, "player", name, baseline_names(graph))


def player_or_run(name: str, graph: GameGraph) -> Policy:
    """The player of that name, or the judged policy of the run at that path."""
    if not Path(name).exists():
        return player(name, graph)
    policy = load(name)
    if policy.graph.checksum != graph.checksum:
        raise Mistake(f"{name}: plays {policy.graph.game} {dict(policy.graph.parameters)}, another game than asked for")
    return policy
