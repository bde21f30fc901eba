"""Two agents, or two settings of one, run by run with the same seeds: exact numbers and their differences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from base.mistake import Mistake, unknown
from report.document import ComparedGame, Comparison, Difference, Pair, Side
from report.game import label
from report.groups import group_names
from report.runs import Entry
from report.statistics import paired

MEASURES = ("blunders", "accuracy", "exploitability", "steps_to_perfect")


def compare(entries: Sequence[Entry], a: str, b: str) -> Comparison:
    """Pairs of runs of the same game and seed; differences are A minus B."""
    sides = [_side(entries, name) for name in (a, b)]
    if both := [entry for entry in sides[0].values() if entry in sides[1].values()]:
        raise Mistake(f"--compare {a} {b}: {both[0].path} is on both sides; name two that differ")
    shared = [key for key in sides[0] if key in sides[1]]
    if not shared:
        raise Mistake(f"--compare {a} {b}: no two runs of the same game with the same seed; train both with one --seed")
    pairs: dict[str, list[Pair]] = {}
    for key in shared:
        one, other = (side[key] for side in sides)
        pairs.setdefault(label(one.book), []).append(Pair(one.card.seed, _measures(one), _measures(other)))
    games = []
    for name, runs in pairs.items():
        runs.sort(key=lambda pair: (pair.seed is None, pair.seed))
        games.append(ComparedGame(name, runs, {measure: _difference(runs, measure) for measure in MEASURES}))
    return Comparison(a, b, games, unpaired=sum(map(len, sides)) - 2 * len(shared))


def _measures(entry: Entry) -> Side:
    card = entry.card
    return Side(card.blunders, card.accuracy, card.exploitability, card.steps_to_perfect)


def _difference(pairs: Sequence[Pair], measure: str) -> Difference:
    """A run that never became perfect counts as infinitely late."""

    def number(side: Side) -> float:
        value = getattr(side, measure)
        return float("inf") if value is None else value

    return paired([(number(pair.a), number(pair.b)) for pair in pairs])


def _side(entries: Sequence[Entry], name: str) -> dict[tuple[str, int | None], Entry]:
    place, groups = Path(name), group_names(entries)
    if place.exists():
        chosen = [entry for entry in entries if entry.path.resolve().is_relative_to(place.resolve())]
        if not chosen:
            raise Mistake(f"--compare {name}: holds no run that can be shown")
    else:
        chosen = [e for e, group in zip(entries, groups, strict=True) if name in (group, e.agent)]
        if not chosen:
            raise unknown("--compare", "agent, group or folder", name, set(groups))
    side: dict[tuple[str, int | None], Entry] = {}
    for entry in chosen:
        key = (entry.policy.graph.checksum, entry.card.seed)
        if key in side:
            twins = f"{side[key].path} and {entry.path}"
            raise Mistake(f"--compare {name}: {twins} have the same game and seed; name a folder or a group of one")
        side[key] = entry
    return side
