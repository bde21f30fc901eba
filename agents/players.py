"""Players by name: all that need no training; and whoever may sit opposite, a saved run too."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agents.fixed import optimal, safe_uniform, trembling, uniform
from agents.mcts import mcts
from agents.saved import load, not_asked
from agents.tips import TIPS, follower, tips
from base.mistake import unknown
from base.text import named
from games import GameGraph, Mistake, Policy

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
    return ["uniform", "safe-uniform", *tips(graph), *(f"mcts-{n}" for n in SEARCHES), "trembling", "optimal"]


def player(name: str, graph: GameGraph, others: Sequence[str] = ()) -> Policy:
    """The player of that name; mcts-N searches with N simulations per state. A mistake suggests `others` as well."""
    if name in FIXED:
        return FIXED[name](graph)
    if any(name in names for names in TIPS.values()):
        return follower(name, graph)
    if search := re.fullmatch(r"mcts-(\d{1,1000})", name):
        simulations = int(search[1])
        if not 1 <= simulations <= LONGEST_SEARCH:
            raise Mistake(f"{name}: a search has 1 to {LONGEST_SEARCH} simulations a move; write mcts-100, for example")
        return mcts(graph, simulations)
    raise unknown(graph.game, "player", name, [*baseline_names(graph), *others])


def seated(name: str, graph: GameGraph, others: Sequence[str] = ()) -> Policy:
    """Who sits on the other side: the player of that name, or the judged policy of that run, if it plays this game."""
    try:
        return player(name, graph, others)
    except Mistake:
        if os.sep not in name and not Path(name).exists():
            raise
    policy = load(name)
    if policy.graph.checksum != graph.checksum:
        theirs = named(policy.graph.game, policy.graph.parameters)
        raise Mistake(f"{name}: plays {theirs}, not {graph.game} as chosen; take a run of that game")
    if missing := not_asked(policy):
        raise Mistake(f"{name}: an exam that did not ask {missing} critical positions; ask them with --resume first")
    return policy


def called(name: str) -> str:
    """What the player of that name is called at the table: a run by its agent and seed, not by its path."""
    if os.sep not in name and not Path(name).exists():
        return name
    path = Path(name).resolve()
    run = path.parent if path.suffix == ".npz" else path
    seed = re.fullmatch(r"seed-(\d+)", run.name)
    return f"{run.parent.name} (seed {seed[1]})" if seed else run.name
