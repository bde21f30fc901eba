"""A scorecard: everything exact about one policy in one record, JSON in and out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from base.text import named
from games.graph import GameGraph
from games.notebook import table_html
from games.policy import Policy
from solver.facts import facts, tremble_of
from solver.response import Response, given_away, response_to_table
from solver.results import STRICT, Result, Visitation, table, visitation_of_tables
from solver.verdicts import always_finishes, gives_nothing_away

OPPONENTS = ("uniform", "optimal", "self")
SEATS = ("first", "second")  # where the judged policy sits
ALMOST_1 = float(np.nextafter(1.0, 0.0))


@dataclass(frozen=True)
class Grade:
    """What a learning curve asks, hundreds of times in a training."""

    blunders: int  # critical states with any probability on a blunder
    accuracy: float  # mean probability of keeping moves over critical states; 1 if there is none
    exploitability: float  # 0 to 1: mean over the seats of the value given away to a best response
    perfect: bool  # no blunder at any critical state, and no best response gains anything from any state
    unexploitable: bool  # nothing is given away from the start, in either seat


@dataclass(frozen=True, kw_only=True)
class Scorecard:
    """Measured by `scorecard`, but for what only a training knows: those fields are None until it fills them in."""

    __pydantic_config__ = STRICT

    game: str
    parameters: Mapping[str, int | str]
    agent: str | None = None
    seed: int | None = None
    states: int
    critical_states: int
    blunders: int
    accuracy: float
    exploitability: float
    guaranteed_first: float  # worst-case value when the policy moves first
    guaranteed_second: float
    exploitability_error: float = 0.0  # the three numbers above are off by no more than this
    tremble_regret: float
    tremble_error: float = 0.0  # the number above is off by no more than this; 0.0 where that is within 1e-9
    perfect: bool
    unexploitable: bool
    steps: int | None = None
    steps_to_unexploitable: int | None = None  # sustained to the end of the budget
    steps_to_perfect: int | None = None
    first_steps_to_unexploitable: int | None = None  # first time ever
    first_steps_to_perfect: int | None = None
    illegal_share: float | None = None  # what a network, unmasked, puts on illegal moves: the mean over positions
    versus: Mapping[str, Mapping[str, Result]]  # opponent, then the policy's own seat; told for the policy
    blunder_rate: Mapping[str, Mapping[str, float | None]]  # share of its moves in those games that are blunders

    def __repr__(self) -> str:
        from solver.words import describe

        return describe(self)

    def _repr_html_(self) -> str:
        from solver.words import number, share

        facts = f"{self.blunders} of {self.critical_states} critical positions are blunders"
        worst = f"exploitability {number(self.exploitability, self.exploitability_error)}"
        verdict = "perfect" if self.perfect else "unexploitable" if self.unexploitable else "not perfect"
        title = f"{named(self.game, self.parameters)}: {facts}, {worst}, {verdict}"
        rows = [
            (f"{name}, moving {seat}", share(one.win), share(one.draw), share(one.endless), share(one.loss))
            for name, seats in self.versus.items()
            for seat, one in seats.items()
        ]
        return table_html(title, ("against", "won", "drawn", "endless", "lost"), rows)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, allow_nan=False) + "\n"

    @staticmethod
    def from_json(text: str | bytes, where: str = "scorecard") -> Scorecard:
        """A scorecard from its JSON; what does not fit is refused in one line."""
        from solver.card_file import read_card  # pydantic comes with it, and only who reads waits for that

        return read_card(text, where)


def grade(graph: GameGraph, policy: Policy) -> Grade:
    """Blunders, accuracy, exploitability and the two verdicts, and nothing slower."""
    probability = table(graph, policy)
    return _grade(graph, probability, response_to_table(graph, probability))


def _grade(graph: GameGraph, probability: NDArray[np.float64], response: Response) -> Grade:
    known = facts(graph)
    there = probability[known.critical]
    blunders = int(((there > 0.0) & ~known.keeps_there).any(axis=1).sum())
    accuracy = 1.0  # said of nothing else than no blunder
    if blunders:
        accuracy = min(float((there * known.keeps_there).sum() / len(there)), ALMOST_1)
    perfect = blunders == 0 and always_finishes(graph, probability, known.solution.value < 0)
    unexploitable = perfect or gives_nothing_away(graph, probability, known.solution, response)
    given = 0.0 if unexploitable else given_away(response)
    return Grade(blunders, accuracy, given, perfect, unexploitable)


def scorecard(graph: GameGraph, policy: Policy, *, epsilon: float = 0.05) -> Scorecard:
    """Everything that can be computed about a policy."""
    probability, known = table(graph, policy), facts(graph)
    response = response_to_table(graph, probability)
    marks = _grade(graph, probability, response)
    value = float(known.solution.value[0])
    guaranteed = (value, 0.0 - value)  # never -0.0
    if not marks.unexploitable:
        guaranteed = (0.0 - response.second, 0.0 - response.first)
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
    shaken = tremble_of(graph, epsilon)
    return Scorecard(
        game=graph.game,
        parameters=dict(graph.parameters),
        states=graph.num_states,
        critical_states=len(known.critical),
        blunders=marks.blunders,
        accuracy=marks.accuracy,
        exploitability=marks.exploitability,
        guaranteed_first=guaranteed[0],
        guaranteed_second=guaranteed[1],
        exploitability_error=0.0 if marks.unexploitable else response.error,
        tremble_regret=shaken.regret_of_table(probability),
        tremble_error=shaken.regret_error(graph),
        perfect=marks.perfect,
        unexploitable=marks.unexploitable,
        versus=results,
        blunder_rate=rates,
    )


def _rate(met: Visitation, seat: int, blunder: NDArray[np.float64], can_move: NDArray[np.bool_]) -> float | None:
    """Blunders per own move, in the long run: where some play never ends, only that play counts in the limit."""
    if met.share is None:
        return None
    weight = met.share[:, seat] if met.result.endless > 0.0 else met.visits[:, seat] * can_move
    weight = weight / max(float(weight.max()), 1.0)  # the sum of large ones may be beyond floats
    moves = float(weight.sum())
    return min(float(weight @ blunder) / moves, 1.0) if moves > 0.0 else None
