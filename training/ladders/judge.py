"""The judge of an entry: every policy against the certified solution, and nothing that the entry claims is believed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from games import GameGraph, Policy, RuleBook, make_rulebook
from games.find import with_parameters
from games.graph import playable_graph
from solver import certify, grade
from solver.facts import facts
from training.ladders.entry import Entry, RunClaim, read_actions, read_entry
from training.ladders.ladder import Ladder, ladder_names, read_ladder
from training.ladders.members import Board, Member, compiled, horizon


@dataclass(frozen=True)
class Judged:
    """One run of an entry, as its policy really is."""

    claim: RunClaim
    critical: int
    pairs: int  # legal (state, move) pairs: what a learner without a model has to see once each
    blunders: int
    accuracy: float
    perfect: bool
    curve: tuple[Member, ...] = ()  # on a ladder of horizons: every member that counts

    @property
    def share(self) -> float:
        """Of its critical positions, which share has a blunder."""
        return self.blunders / max(self.critical, 1)


@dataclass(frozen=True)
class Judgement:
    ladder: Ladder
    entry: Entry
    runs: tuple[Judged, ...]
    faults: tuple[str, ...]  # where the entry claims what is not so

    @property
    def sizes(self) -> list[int]:
        """The members of the ladder that the entry has runs of, in ascending order of the growing parameter."""
        return sorted({self.size(run) for run in self.runs})

    def size(self, run: Judged) -> int:
        return int(run.claim.parameters[self.ladder.size or ""])

    def measure(self, run: Judged) -> float:
        """What is compared of a run, smaller is better: plies by the limit where plies count, else blunders."""
        if self.ladder.score == "plies":
            plies = run.claim.steps_to_perfect if run.perfect else None
            return (self.ladder.budget if plies is None else plies) / run.pairs
        return run.share

    @property
    def score(self) -> float | None:
        """As the ladder counts; None where nothing counts yet."""
        if self.ladder.score == "size":
            reached = None
            for size in self.sizes:
                if any(run.blunders or not run.perfect for run in self.runs if self.size(run) == size):
                    break
                reached = size
            return reached
        if self.ladder.score == "horizon":
            return min((horizon(run.curve) or 0 for run in self.runs), default=0) or None
        if self.ladder.score == "blunders":
            return _middle([run.share for run in self.runs])
        if not all(run.perfect for run in self.runs):
            return None
        if self.ladder.score == "plies":
            plies = [run.claim.steps_to_perfect for run in self.runs]
            if any(ply is None for ply in plies):
                return None
            return _middle([(ply or 0) / run.pairs for ply, run in zip(plies, self.runs, strict=True)])
        return max((run.claim.parameters_of_network or 0 for run in self.runs), default=None)


def judge(folder: str | Path) -> Judgement:
    """Every run of the entry in this folder, judged again."""
    place = Path(folder)
    entry = read_entry(place)
    ladder = replace(read_ladder(str(place / "ladder.toml")), name=entry.ladder)
    faults = list[str]()
    if ladder.name in ladder_names() and read_ladder(ladder.name).source != ladder.source:
        faults.append(f"made for another version of the ladder {ladder.name}")
    slots = ladder.slots()
    judged: list[Judged] = []
    checked: set[str] = set()
    for claim, action in zip(entry.runs, read_actions(place, entry.runs), strict=True):
        book = make_rulebook(claim.env, **dict(claim.parameters))
        name = f"{book.name} {dict(claim.parameters)}, seed {claim.seed}"
        if (book, claim.seed) not in slots:
            faults.append(f"{name}: not a member and seed of the ladder")
            continue
        if ladder.judged is not None:
            judged.append(_on_members(ladder, claim, book, action, name))
            if claim.steps > ladder.budget:
                faults.append(f"{name}: took {claim.steps:,} steps; the budget is {ladder.budget:,}")
            continue
        graph = playable_graph(book)
        if graph.checksum not in checked:
            if wrong := certify(graph, facts(graph).solution):
                raise AssertionError(f"{name}: the solution is not certified: {wrong[0]}")
            checked.add(graph.checksum)
        marks = grade(graph, _policy(graph, action, name))
        pairs = int(graph.legal.sum())
        critical = len(facts(graph).critical)
        judged.append(Judged(claim, critical, pairs, marks.blunders, marks.accuracy, marks.perfect))
        if claim.blunders != marks.blunders:
            faults.append(f"{name}: claims {claim.blunders} blunders, has {marks.blunders}")
        if (claim.steps_to_perfect is not None) and not marks.perfect:
            faults.append(f"{name}: claims to be perfect from step {claim.steps_to_perfect:,} on, and is not")
        if claim.steps > ladder.budget:
            faults.append(f"{name}: took {claim.steps:,} steps; the budget is {ladder.budget:,}")
    if len(judged) < len(entry.runs) and not judged:
        raise Mistake(f"{place}: none of its runs belongs to the ladder {ladder.name}")
    return Judgement(ladder, entry, tuple(judged), tuple(faults))


def _on_members(ladder: Ladder, claim: RunClaim, book: RuleBook, action: NDArray[np.int64], name: str) -> Judged:
    """The policies of one run for all members that count, one after the other."""
    (parameter, sizes), first, pairs, curve = ladder.judged_members(), 0, 0, list[Member]()
    for size in sizes:
        board = board_of(book, parameter, size)
        graph = board.graph
        part = action[first : first + graph.num_states]
        curve.append(board.judge(_policy(graph, part, f"{name}, on {parameter}={size}")))
        first, pairs = first + graph.num_states, pairs + int(graph.legal.sum())
    if first != len(action):
        raise Mistake(f"{name}: its policies are of {len(action)} states; the members that count have {first}")
    critical, blunders = sum(one.critical for one in curve), sum(one.blunders for one in curve)
    accuracy = 1 - blunders / max(critical, 1)
    return Judged(claim, critical, pairs, blunders, accuracy, not blunders, tuple(curve))


@lru_cache(maxsize=2048)  # every run of a ladder of horizons is judged on the same members
def board_of(book: RuleBook, parameter: str, size: int) -> Board:
    return Board.of(compiled(with_parameters(type(book), **{**book.parameters, parameter: size})), size)


def _policy(graph: GameGraph, action: NDArray[np.int64], name: str) -> Policy:
    can_move = graph.legal.any(axis=1)
    if action.shape != (graph.num_states,) or ((action < 0) | (action >= graph.num_actions))[can_move].any():
        raise Mistake(f"{name}: its policy does not fit the game; an action for each of {graph.num_states} states")
    return Policy.greedy(graph, np.arange(graph.num_actions) == action[:, None])


def _middle(values: list[float]) -> float:
    from scipy.stats import trim_mean

    return float(trim_mean(values, 0.25))
