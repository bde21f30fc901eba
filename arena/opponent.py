"""Who sits on the other side: a player by name, or a run by its folder."""

from __future__ import annotations

import os
from pathlib import Path

from agents import load, player
from games import GameGraph, Mistake, Policy


def seated(name: str, graph: GameGraph) -> Policy:
    """The player of that name, or the policy of that run, if it plays this game."""
    try:
        return player(name, graph)
    except Mistake:
        if os.sep not in name and not Path(name).exists():
            raise
    policy = load(name)
    if policy.graph.checksum != graph.checksum:
        told = ", ".join(f"{key}={value}" for key, value in policy.graph.parameters.items())
        raise Mistake(
            f"{name}: plays {policy.graph.game} ({told}), not {graph.game} as chosen; take a run of that game"
        )
    return policy
