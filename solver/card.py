"""A scorecard: everything exact about one policy in one record, JSON in and out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games.graph import GameGraph
from games.policy import Policy
from solver.facts import facts, tremble_of
from solver.response import TOLERANCE, Response, always_finishes, given_away, response_to_table
from solver.results import Result, Visitation, table, visitation_of_tables

OPPONENTS = ("uniform", "optimal", "self")
SEATS = ("first", "second")  # where the judged policy sits


@dataclass(frozen=True)
class Grade:
    """What a learning curve asks, hundreds of times in a training."""

    blunders: int  # critical states with any probability on a blunder
    accuracy: float  # mean probability of keeping moves over critical states; 1 if there is none
    exploitability: float  # 0 to 1: mean over the seats of the value given away to a best response
    perfect: bool  # no blunder at any critical state, and no best response gains anything from any state
    unexploitable: bool  # nothing is given away from the start, in either seat


@dataclass(frozen=True)
class Scorecard:
    game: str
    parameters: Mapping[str, int | str]
    agent: str | None
    seed: int | None
    states: int
    critical_states: int
    blunders: int
    accuracy: float
    exploitability: float
    guaranteed_first: float  # worst-case value when the policy moves first
    guaranteed_second: float
    tremble_regret: float
    perfect: bool
    unexploitable: bool
    steps: int | None
    steps_to_unexploitable: int | None  # sustained to the end of the budget
    steps_to_perfect: int | None
    first_steps_to_unexploitable: int | None  # first time ever
    first_steps_to_perfect: int | None
    versus: Mapping[str, Mapping[str, Result]]  # opponent, then the policy's own seat; told for the policy
    blunder_rate: Mapping[str, Mapping[str, float | None]]  # share of its moves in those games that are blunders

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, allow_nan=False) + "\n"

    @staticmethod
    def from_json(text: str, where: str = "scorecard") -> Scorecard:
        """A scorecard from its JSON; keys that we do not know are refused, as are missing ones and wrong kinds."""
        try:
            found = json.loads(text)
        except ValueError as error:
            raise Mistake(f"{where}: not JSON ({error}); make the run anew with --overwrite") from error
        return _card(found, where)


def grade(graph: GameGraph, policy: Policy) -> Grade:
    """Blunders, accuracy, exploitability and the two verdicts, and nothing slower."""
    probability = table(graph, policy)
    return _grade(graph, probability, response_to_table(graph, probability))


def _grade(graph: GameGraph, probability: NDArray[np.float64], response: Response) -> Grade:
    known = facts(graph)
    there = probability[known.critical]
    blunders = int(((there > 0.0) & ~known.keeps_there).any(axis=1).sum())
    accuracy = float((there * known.keeps_there).sum() / len(there)) if len(there) else 1.0
    given = given_away(response)
    perfect = blunders == 0 and always_finishes(graph, probability, known.solution.value < 0)
    if perfect:
        given, accuracy = 0.0, 1.0  # what is left is rounding
    return Grade(blunders, min(accuracy, 1.0), given, perfect, perfect or given <= TOLERANCE)


def scorecard(
    graph: GameGraph,
    policy: Policy,
    *,
    agent: str | None = None,
    seed: int | None = None,
    steps: int | None = None,
    steps_to_unexploitable: int | None = None,
    steps_to_perfect: int | None = None,
    first_steps_to_unexploitable: int | None = None,
    first_steps_to_perfect: int | None = None,
    epsilon: float = 0.05,
) -> Scorecard:
    """Everything that can be computed about a policy; what training alone knows is passed through."""
    probability, known = table(graph, policy), facts(graph)
    response = response_to_table(graph, probability)
    marks = _grade(graph, probability, response)
    value = float(known.solution.value[0])
    guaranteed = (value, -value) if marks.perfect else (-response.second, -response.first)
    blunder = (probability * known.blunder).sum(axis=1)  # [S]: the probability of a blunder there
    can_move = np.asarray(graph.legal.any(axis=1))
    results: dict[str, dict[str, Result]] = {}
    rates: dict[str, dict[str, float | None]] = {}
    for name, other in zip(OPPONENTS, (known.uniform, known.optimal, probability), strict=True):
        sits_first = visitation_of_tables(graph, probability, other)
        sits_second = sits_first if name == "self" else visitation_of_tables(graph, other, probability)
        results[name] = {"first": sits_first.result, "second": sits_second.result.other_side()}
        met = zip(SEATS, (sits_first, sits_second), strict=True)
        rates[name] = {seat: _rate(visits, k, blunder, can_move) for k, (seat, visits) in enumerate(met)}
    return Scorecard(
        game=graph.game,
        parameters=dict(graph.parameters),
        agent=agent,
        seed=seed,
        states=graph.num_states,
        critical_states=len(known.critical),
        blunders=marks.blunders,
        accuracy=marks.accuracy,
        exploitability=marks.exploitability,
        guaranteed_first=guaranteed[0],
        guaranteed_second=guaranteed[1],
        tremble_regret=tremble_of(graph, epsilon).regret_of_table(probability),
        perfect=marks.perfect,
        unexploitable=marks.unexploitable,
        steps=steps,
        steps_to_unexploitable=steps_to_unexploitable,
        steps_to_perfect=steps_to_perfect,
        first_steps_to_unexploitable=first_steps_to_unexploitable,
        first_steps_to_perfect=first_steps_to_perfect,
        versus=results,
        blunder_rate=rates,
    )


def _rate(met: Visitation, seat: int, blunder: NDArray[np.float64], can_move: NDArray[np.bool_]) -> float | None:
    """Blunders per own move, in the long run: where some play never ends, only that play counts in the limit."""
    if met.share is None:
        return None
    weight = met.share[:, seat] if met.result.endless > 0.0 else met.visits[:, seat] * can_move
    moves = float(weight.sum())
    return float(weight @ blunder) / moves if moves > 0.0 else None


def _card(found: Any, where: str) -> Scorecard:
    hints = get_type_hints(Scorecard)
    names = [field.name for field in fields(Scorecard)]
    if not isinstance(found, dict) or sorted(found) != sorted(names):
        odd = sorted(set(found) ^ set(names)) if isinstance(found, dict) else [type(found).__name__]
        raise Mistake(
            f"{where}: not a scorecard (missing or unknown: {', '.join(odd)}); make the run anew with --overwrite"
        )
    for name in names:
        if name not in ("parameters", "versus", "blunder_rate") and not _fits(found[name], hints[name]):
            raise Mistake(f"{where}: {name} is {found[name]!r}; it must be {hints[name]}")
    if not isinstance(found["parameters"], dict):
        raise Mistake(f"{where}: parameters is {found['parameters']!r}; it must be an object")
    results = _nested(found["versus"], where, "versus")
    rates = _nested(found["blunder_rate"], where, "blunder_rate")
    kinds = get_type_hints(Result)
    for place, item in ((f"versus.{name}.{seat}", results[name][seat]) for name in OPPONENTS for seat in SEATS):
        if not isinstance(item, dict) or sorted(item) != sorted(kinds):
            raise Mistake(f"{where}: {place} is {item!r}; it must have {', '.join(kinds)}")
        for key, kind in kinds.items():
            if not _fits(item[key], kind):
                raise Mistake(f"{where}: {place}.{key} is {item[key]!r}; it must be {kind}")
    for name in OPPONENTS:
        for seat in SEATS:
            if not _fits(rates[name][seat], float | None):
                raise Mistake(
                    f"{where}: blunder_rate.{name}.{seat} is {rates[name][seat]!r}; it must be a number or null"
                )
    versus = {name: {seat: Result(**results[name][seat]) for seat in SEATS} for name in OPPONENTS}
    return Scorecard(**{**found, "versus": versus, "blunder_rate": rates})


def _nested(found: Any, where: str, name: str) -> dict[str, dict[str, Any]]:
    good = isinstance(found, dict) and set(found) == set(OPPONENTS)
    if not good or not all(isinstance(item, dict) and set(item) == set(SEATS) for item in found.values()):
        raise Mistake(f"{where}: {name} must have {', '.join(OPPONENTS)}, each with {' and '.join(SEATS)}")
    return dict(found)


def _fits(value: Any, kind: Any) -> bool:
    """Whether a JSON value is of a kind: str, int, float or bool, perhaps or None; an int passes for a float."""
    kinds = getattr(kind, "__args__", (kind,))
    if isinstance(value, bool) or value is None:
        return type(value) in kinds
    if isinstance(value, int) and float in kinds:
        return True
    return type(value) in kinds and not (isinstance(value, float) and not math.isfinite(value))
