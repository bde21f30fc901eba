"""Two agents, or two settings of one, run by run with the same seeds: exact numbers and their differences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from base.mistake import unknown
from games import Mistake, make_rulebook
from report.game import label
from report.groups import group_names
from report.runs import Entry
from report.statistics import paired, sign_test

MEASURES = ("blunders", "accuracy", "exploitability", "steps_to_perfect")


def compare(entries: Sequence[Entry], a: str, b: str) -> dict[str, Any]:
    """Pairs of runs of the same game and seed; differences are A minus B."""
    sides = [_side(entries, name) for name in (a, b)]
    if both := [entry for entry in sides[0].values() if entry in sides[1].values()]:
        raise Mistake(f"--compare {a} {b}: {both[0].path} is on both sides; name two that differ")
    shared = [key for key in sides[0] if key in sides[1]]
    if not shared:
        raise Mistake(f"--compare {a} {b}: no two runs of the same game with the same seed; train both with one --seed")
    games: dict[str, dict[str, Any]] = {}
    for key in shared:
        pair = [side[key] for side in sides]
        card = pair[0].card
        row = {"seed": card.seed} | {
            side: {measure: getattr(entry.card, measure) for measure in MEASURES}
            for side, entry in zip("ab", pair, strict=True)
        }
        name = label(make_rulebook(card.game, **card.parameters))
        games.setdefault(name, {"id": name, "pairs": []})["pairs"].append(row)
    for game in games.values():
        game["pairs"].sort(key=lambda row: (row["seed"] is None, row["seed"]))
        game["measures"] = {measure: _measure(game["pairs"], measure) for measure in MEASURES}
    left = sum(map(len, sides)) - 2 * len(shared)
    return {"a": a, "b": b, "games": list(games.values()), "unpaired": left}


def _measure(pairs: Sequence[dict[str, Any]], measure: str) -> dict[str, Any]:
    """A run that never became perfect counts as infinitely late: then only who is ahead can be told."""
    never = float("inf")
    values = [[never if row[side][measure] is None else row[side][measure] for side in "ab"] for row in pairs]
    signs = sign_test([(one > other) - (one < other) for one, other in values])
    if any(never in row for row in values):
        return dict.fromkeys(("mean", "median", "low", "high", "p_permutation")) | signs
    return paired([one - other for one, other in values]) | signs


def _side(entries: Sequence[Entry], name: str) -> dict[tuple[str, int | None], Entry]:
    place, groups = Path(name), group_names(entries)
    if place.exists():
        chosen = [entry for entry in entries if entry.path.resolve().is_relative_to(place.resolve())]
        if not chosen:
            raise Mistake(f"--compare {name}: holds no run that can be shown")
    else:
        chosen = [e for e, group in zip(entries, groups, strict=True) if name in (group, e.card.agent)]
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
