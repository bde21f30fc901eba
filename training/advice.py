"""What to do after a training that did not become perfect: look at its worst moves, and try what often helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.settings import plain
from base.command import spelled
from games import GameGraph
from solver import Scorecard
from solver.facts import facts
from solver.worst import worst_blunders
from training.loop import Training
from training.resolve import Settings

SHOWN = 3  # blunders, and things to try


def worst_positions(training: Training) -> list[str]:
    """A line for each of the worst blunders: where, what is played, what would keep the value."""
    graph, probability = training.policy.graph, training.policy.probability
    known = facts(graph)
    lines = []
    for state in worst_blunders(training.policy, SHOWN)[0].tolist():
        wrong = probability[state] * known.blunder[state]
        share = "" if wrong.max() == 1 else f" with probability {wrong.max():.3f}"
        lines.append(
            f"at {graph.words(state)}: plays {graph.name_of(int(wrong.argmax()))}{share}; "
            f"what keeps the value: {_names(graph, known.solution.keeps[state].nonzero()[0].tolist())}"
        )
    return lines


def to_try(settings: Settings, card: Scorecard) -> list[dict[str, Any]]:
    """Changes of the settings, the one that most often helps first; none for a perfect policy."""
    if card.perfect:
        return []
    options = settings.options
    changes = [dict(change) for change in type(options).remedies]
    changes = [change for change in changes if any(getattr(options, name) != value for name, value in change.items())]
    return [*changes, {"steps": 2 * options.steps}][:SHOWN]


def spell(settings: Settings, env: str, changes: Mapping[str, Any]) -> str:
    """The command line of a training with these settings, changed so."""
    options = settings.options
    defaults, origin = settings.defaults, options.origin
    agent = origin.path if origin else settings.agent
    values = {**dict(options), **changes}
    different = {name: value for name, value in values.items() if value != getattr(defaults, name)}
    own = settings.book.defaults
    parameters = {name: value for name, value in settings.book.parameters.items() if value != own[name]}
    words = ["--env", env, "--agent", agent]
    words += [word for name, value in parameters.items() for word in ("--param", f"{name}={value}")]
    words += [word for name, value in different.items() for word in ("--set", f"{name}={plain(value)}")]
    return spelled("train", *words, *(["--seed", str(settings.seed)] if settings.seed else []))


def _names(graph: GameGraph, actions: list[int]) -> str:
    names = [graph.name_of(action) for action in actions[:8]]
    return ", ".join(names) + (", ..." if len(actions) > 8 else "")
