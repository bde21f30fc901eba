"""Followers of the rule books' own advice: what a reader who trusts the tips would play.

A follower makes a move that the tip recommends, any of them alike; where no legal move does, it plays safe-uniform. The
tips are told for the books' numbers; with other parameters they are read in their sense (11 is the largest plus 1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.fixed import safe_uniform
from games import GameGraph, Mistake, Policy

Tip = Callable[[NDArray[np.int64], GameGraph], Any]  # totals made -> which of them the tip recommends


def _one_below(total: NDArray[np.int64], graph: GameGraph) -> Any:
    modulus = int(graph.parameters["modulus"])
    return np.equal(total % modulus, modulus - 1)


def _key_numbers(total: NDArray[np.int64], graph: GameGraph) -> Any:
    largest = int(graph.parameters["largest"])
    return np.equal(total % (largest + 1), largest)


def _elevens(total: NDArray[np.int64], graph: GameGraph) -> Any:
    return np.equal(total % (int(graph.parameters["largest"]) + 1), 0)


TIPS: dict[str, dict[str, Tip]] = {
    "avoid-the-seventh": {"tip-one-below": _one_below},  # leave 6, 13, 20, ...
    "fifty-wins": {"tip-key-numbers": _key_numbers, "tip-elevens": _elevens},  # make 10, 21, 32, 43; multiples of 11
}


def tips(graph: GameGraph) -> list[str]:
    """The names of the players that the book of a game gives rise to; a game from elsewhere has none."""
    ours = graph.book is not None and not graph.book.is_foreign
    return list(TIPS.get(graph.game, {})) if ours else []


def follower(name: str, graph: GameGraph) -> Policy:
    if name not in tips(graph):
        raise Mistake(f"{graph.game}: its book gives no {name} (tips: {', '.join(tips(graph)) or 'none'})")
    total = graph.positions[:, list(graph.fields).index("total")].astype(np.int64)
    made = total[:, None] + graph.moves  # [S, A]: the total that each move makes
    follows = graph.legal & (graph.next_state >= 0) & TIPS[graph.game][name](made, graph)
    safe = safe_uniform(graph).probability > 0
    return Policy.alike(graph, np.where(follows.any(axis=1, keepdims=True), follows, safe))
