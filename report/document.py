"""What a report consists of: one frozen record for each thing in report.json, whose keys are the names written here.

The records stay records for the page, the Markdown and the LaTeX. They become JSON once, in `as_json`.
The meaning of every key stands in the format page of reports in docs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, is_dataclass
from typing import Any

from arena.transcript import Annotation
from report.audit import Finding
from solver import Result, Scorecard

VERSION = 1


@dataclass(frozen=True)
class Mean:
    """An interquartile mean over runs, with the interval that comes from which seeds were run."""

    iqm: float
    low: float | None
    high: float | None
    runs: int


@dataclass(frozen=True)
class Curve:
    """One entry per exact evaluation; for the median of several runs, one per step where any was evaluated."""

    steps: list[int]
    blunders: list[float]
    accuracy: list[float]
    exploitability: list[float]


@dataclass(frozen=True)
class Survival:
    """The share of runs that are not perfect yet, by steps (Kaplan-Meier)."""

    steps: list[int]
    not_yet: list[float]
    reached: int
    runs: int
    median: int | None
    watched: int


@dataclass(frozen=True)
class PolicyTable:
    """The distinct rows of a policy, and which of them each state has."""

    rows: list[list[float]]
    row: list[int]


@dataclass(frozen=True)
class Snapshots:
    """The greedy move at every state at some evaluations, one text each; None where nothing has changed."""

    steps: list[int]
    evaluations: int
    width: int
    actions: list[str | None]


@dataclass(frozen=True)
class Blunder:
    """A position where a player may throw value away, and how that is punished."""

    state: int
    move: int
    move_probability: float
    probability: float
    met: float | None
    value: int
    after: int
    keeps: list[int]
    line: list[int]
    endless: bool


@dataclass(frozen=True)
class Player:
    name: str
    kind: str
    group: str | None
    path: str | None
    card: Scorecard
    seconds: float | None
    seconds_to_perfect: float | None
    policy: PolicyTable | None
    blunders: list[Blunder]
    curve: Curve | None
    snapshots: Snapshots | None
    settings: dict[str, Any] | None
    provenance: dict[str, Any] | None
    exam: dict[str, Any] | None
    command: str | None


@dataclass(frozen=True)
class PartialExam:
    """A player that was asked about some of the critical positions: what its answers prove, and nothing more."""

    name: str
    path: str
    asked: list[int]
    positions: int
    not_asked: int
    blundered: int
    exploitability_at_least: float
    low: float | None
    high: float | None
    policy: PolicyTable | None
    blunders: list[Blunder]
    exam: dict[str, Any] | None
    provenance: dict[str, Any] | None


@dataclass(frozen=True)
class Group:
    """Runs that differ by their seed alone."""

    name: str
    runs: int
    perfect: int
    unexploitable: int
    blunders: Mean
    accuracy: Mean
    exploitability: Mean
    steps_to_perfect: Survival | None
    median: Curve | None


@dataclass(frozen=True)
class Crossplay:
    players: list[int]
    results: list[list[Result]]


@dataclass(frozen=True)
class Arrays:
    moves: list[int]
    positions: list[list[int]]
    next_state: list[list[int]]
    value: list[int]
    remoteness: list[int]
    words: list[str] | None


@dataclass(frozen=True)
class Axis:
    field: str
    labels: list[Any]


@dataclass(frozen=True)
class Panel:
    """A part of the map: each cell is a state, its column and its row."""

    title: str
    across: Axis
    down: Axis
    cells: list[list[int]]


@dataclass(frozen=True)
class Tally:
    """What one player did in all recorded games."""

    player: str
    games: int
    won: int
    forfeited: int
    moves: int
    critical: int
    blunders: int
    regret: int


@dataclass(frozen=True)
class Recorded:
    count: int
    players: list[Tally]
    games: list[Annotation]


@dataclass(frozen=True)
class GameFacts:
    """What is true of a game, whoever plays it."""

    id: str
    game: str
    title: str
    parameters: dict[str, Any]
    rules: str
    endings: dict[str, str]
    folded: bool
    fields: dict[str, int]
    checksum: str
    faults: list[str]
    states: int
    legal_moves: int
    critical_states: int
    value: int
    remoteness: int
    won: int
    held: int
    lost: int
    openings: list[int]
    legal_openings: int
    line: list[int]
    line_endless: bool
    key_positions: list[str]
    move_names: dict[int, str]


@dataclass(frozen=True)
class Game(GameFacts):
    headline: str
    players: list[Player]
    asked_in_part: list[PartialExam]
    groups: list[Group]
    left_out: list[str]
    crossplay: Crossplay
    audit: list[Finding]
    arrays: Arrays | None
    map: list[Panel] | None
    recorded: Recorded | None


@dataclass(frozen=True)
class AcrossGames:
    """A group that was run on two games or more, all its runs together."""

    name: str
    games: int
    runs: int
    perfect: int
    accuracy: Mean
    exploitability: Mean


@dataclass(frozen=True)
class Side:
    """What is compared of one run."""

    blunders: int
    accuracy: float
    exploitability: float
    steps_to_perfect: int | None


@dataclass(frozen=True)
class Pair:
    seed: int | None
    a: Side
    b: Side


@dataclass(frozen=True)
class Difference:
    """A minus B over all pairs. The first five are None where some run never got there."""

    mean: float | None
    median: float | None
    low: float | None
    high: float | None
    p_permutation: float | None
    above: int
    below: int
    ties: int
    p_sign: float


@dataclass(frozen=True)
class ComparedGame:
    id: str
    pairs: list[Pair]
    measures: dict[str, Difference]


@dataclass(frozen=True)
class Comparison:
    a: str
    b: str
    games: list[ComparedGame]
    unpaired: int


@dataclass(frozen=True)
class Report:
    version: int
    command: str
    made: dict[str, Any]
    left_out: list[str]
    edited: list[str]
    games: list[Game]
    across_games: list[AcrossGames]
    comparison: Comparison | None


def as_json(document: Any) -> str:
    """The document as text; a number that is not finite is a fault of ours and stops here."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"), ensure_ascii=False, default=_keys)
    return text.encode("utf-8", "replace").decode()  # a file name need not be valid text


def _keys(record: Any) -> Any:
    if is_dataclass(record) and not isinstance(record, type):
        return vars(record)
    raise TypeError(f"{type(record).__name__} has no place in a report")
