"""A player that also says illegal moves, judged exactly: each of them forfeits the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from games import ILLEGAL, MOVER_LOSES, GameGraph, Policy
from solver import Result, best_response, grade, versus
from solver.facts import facts


@dataclass(frozen=True)
class AsPlayed:
    """What a model is worth as it plays: with its own chances and its own illegal moves."""

    illegal: float  # mean probability of an illegal move, over the positions that have a legal one
    blunders: int  # critical states with any probability on a blunder or an illegal move
    accuracy: float  # mean probability of keeping moves over critical states; 1 if there is none
    exploitability: float
    guaranteed_first: float  # worst-case value when the player moves first
    guaranteed_second: float
    perfect: bool
    unexploitable: bool
    versus: Mapping[str, Mapping[str, Result]]  # opponent, then the player's own seat


def judge_as_played(graph: GameGraph, probability: NDArray[np.float64]) -> AsPlayed:
    """[S, A]: the probability of every move a player may say, the illegal ones included."""
    can_move, known, wider = np.asarray(graph.legal.any(axis=1)), facts(graph), _with_forfeits(graph)
    said = np.where(can_move[:, None], probability, 0.0)
    illegal = (said * ~graph.legal).sum(axis=1)  # [S]
    player = Policy(wider, np.column_stack([said * graph.legal, illegal]))
    marks, response = grade(wider, player), best_response(wider, player)
    at_critical = said[known.critical]
    bad = np.asarray(((at_critical > 0.0) & ~known.keeps_there).any(axis=1))
    results = {}
    for name, table in (("uniform", known.uniform), ("optimal", known.optimal)):
        other = Policy(wider, np.column_stack([table, np.zeros(len(table))]))  # it forfeits nothing
        results[name] = {
            "first": versus(wider, player, other),
            "second": versus(wider, other, player).other_side(),
        }
    return AsPlayed(
        illegal=float(illegal[can_move].mean()),
        blunders=int(bad.sum()),
        accuracy=float((at_critical * known.keeps_there).sum() / len(bad)) if len(bad) else 1.0,
        exploitability=marks.exploitability,
        guaranteed_first=-response.second,
        guaranteed_second=-response.first,
        perfect=marks.perfect,
        unexploitable=marks.unexploitable,
        versus=results,
    )


_wider: WeakKeyDictionary[GameGraph, GameGraph] = WeakKeyDictionary()


def _with_forfeits(graph: GameGraph) -> GameGraph:
    """The same game with one more move that can always be said and loses at once."""
    if graph not in _wider:
        loses = np.where(graph.legal.any(axis=1), np.int32(MOVER_LOSES), np.int32(ILLEGAL))
        _wider[graph] = GameGraph(
            f"{graph.game} with forfeits",
            graph.parameters,
            graph.fields,
            graph.positions,
            np.append(graph.moves, graph.moves.max() + 1),
            np.column_stack([graph.next_state, loses]).astype(np.int32),
        )
    return _wider[graph]
