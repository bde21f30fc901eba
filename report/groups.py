"""Runs that differ by their seed alone, and what they say together."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from base.printable import printable
from report.document import AcrossGames, Game, Group, Player, Survival
from report.runs import Entry
from report.statistics import arrival, interquartile_mean, median_curve
from solver import Scorecard


def group_names(entries: Sequence[Entry]) -> list[str]:
    """The agent, and in brackets the settings in which it differs from others of that agent on the page."""
    agents = [entry.agent for entry in entries]
    options = [_options(entry) for entry in entries]
    names = []
    for agent, own in zip(agents, options, strict=True):
        others = [other for name, other in zip(agents, options, strict=True) if name == agent]
        keys = [key for key in own if len({json.dumps(other.get(key)) for other in others}) > 1]
        differing = ", ".join(f"{key}={_plain(own[key])}" for key in keys)
        names.append(printable(f"{agent} ({differing})" if differing else agent))
    return names


def player_names(entries: Sequence[Entry], groups: Sequence[str], taken: Sequence[str]) -> list[str]:
    """The group and the seed; what is still alike, or is called as a baseline is, gets a number."""
    seeded = [
        group if entry.card.seed is None else f"{group} seed {entry.card.seed}"
        for entry, group in zip(entries, groups, strict=True)
    ]
    return distinct_names(seeded, taken)


def distinct_names(wanted: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Each its own; one that is taken gets a number."""
    used, names = Counter(taken), []
    for name in map(printable, wanted):
        used[name] += 1
        names.append(name if used[name] == 1 else f"{name} #{used[name]}")
    return names


def summary(name: str, players: Sequence[Player]) -> Group:
    """One group: how many of its runs are perfect, interquartile means, the way there."""
    cards = [player.card for player in players]
    curves = [player.curve for player in players if player.curve is not None]
    trained = [card for card in cards if card.steps is not None]
    return Group(
        name=name,
        runs=len(cards),
        perfect=sum(card.perfect for card in cards),
        unexploitable=sum(card.unexploitable for card in cards),
        blunders=interquartile_mean([[card.blunders for card in cards]]),
        accuracy=interquartile_mean([[card.accuracy for card in cards]]),
        exploitability=interquartile_mean([[card.exploitability for card in cards]]),
        steps_to_perfect=_survival(trained) if trained else None,
        median=median_curve(curves) if curves else None,
    )


def _survival(cards: Sequence[Scorecard]) -> Survival:
    """The share of runs that are not perfect yet, by steps; one that never is was watched until its budget ended."""
    budgets = [card.steps or 0 for card in cards]
    arrivals = arrival([card.steps_to_perfect for card in cards], budgets)
    return Survival(
        steps=[int(step) for step in arrivals.times],
        not_yet=list(arrivals.waiting),
        reached=arrivals.arrived,
        runs=arrivals.runs,
        median=None if math.isinf(arrivals.median) else int(arrivals.median),
        watched=max(budgets),
    )


def across_games(games: Sequence[Game]) -> list[AcrossGames]:
    """Groups that were run on two games or more, all their runs together; seeds are drawn again within each game."""
    names = [group.name for game in games for group in game.groups]
    rows = []
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        members = [[player.card for player in game.players if player.group == name] for game in games]
        strata = [cards for cards in members if cards]
        rows.append(
            AcrossGames(
                name=name,
                games=len(strata),
                runs=sum(map(len, strata)),
                perfect=sum(card.perfect for cards in strata for card in cards),
                accuracy=interquartile_mean([[card.accuracy for card in cards] for cards in strata]),
                exploitability=interquartile_mean([[card.exploitability for card in cards] for cards in strata]),
            )
        )
    return rows


def _options(entry: Entry) -> dict[str, Any]:
    settings = (entry.settings or {}).get("settings")
    return settings if isinstance(settings, dict) else {}


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
