"""One player on the page: its scorecard, its whole policy, its way there, and its blunders with their refutations."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from base.command import spelled
from games import GameGraph, Policy
from games.rulebook import Verdict
from report.document import Blunder, Player, PolicyTable, Snapshots
from report.runs import Entry, readable
from solver import Scorecard
from solver.facts import facts
from solver.lines import best_line
from solver.worst import worst_blunders

SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
LISTED = 50  # blunders that are listed one by one


def baseline(name: str, policy: Policy, card: Scorecard, *, drawn: bool) -> Player:
    return Player(
        name=name,
        kind="baseline",
        group=None,
        path=None,
        card=card,
        seconds=None,
        seconds_to_perfect=None,
        policy=policy_table(policy) if drawn else None,
        blunders=_blunders(policy),
        curve=None,
        snapshots=None,
        settings=None,
        provenance=None,
        exam=None,
        command=None,
    )


def learned(entry: Entry, name: str, group: str, *, drawn: bool, kept: float) -> Player:
    """A run, an exam or a policy file; `kept` is the share of its snapshots that there is room for."""
    card, policy = entry.card, entry.policy
    seconds = (entry.provenance or {}).get("seconds")
    perfect_at = card.steps_to_perfect
    snapshots = None
    if entry.snapshots is not None and drawn:
        snapshots = _snapshots(*entry.snapshots, policy.graph.num_actions, kept)
    command = None
    if entry.settings is not None:
        command = spelled("train", "--config", readable(entry.path / "settings.toml"))
    return Player(
        name=name,
        kind=entry.kind,
        group=group,
        path=readable(entry.path),
        card=card,
        seconds=seconds if isinstance(seconds, int | float) and not isinstance(seconds, bool) else None,
        seconds_to_perfect=None if perfect_at is None else (entry.seconds or {}).get(perfect_at),
        policy=policy_table(policy) if drawn else None,
        blunders=_blunders(policy),
        curve=entry.curve,
        snapshots=snapshots,
        settings=entry.settings,
        provenance=entry.provenance,
        exam=entry.exam,
        command=command,
    )


def policy_table(policy: Policy) -> PolicyTable:
    rows, row = np.unique(policy.probability, axis=0, return_inverse=True)
    return PolicyTable([[_short(p) for p in line] for line in rows.tolist()], row.ravel().tolist())


def _short(value: float) -> float | int:
    return int(value) if value in (0.0, 1.0) else value


def _snapshots(steps: list[int], action: NDArray[np.int16], actions: int, share: float) -> Snapshots:
    """One text per evaluation, a sign or more per state, thinned to the room that there is."""
    room = max(2, int(share * len(steps)))
    kept = np.unique(np.linspace(0, len(steps) - 1, min(room, len(steps))).round().astype(int)).tolist()
    width = 1
    while len(SIGNS) ** width < actions:
        width += 1
    texts: list[str | None] = []
    for number, at in enumerate(kept):
        same = number > 0 and bool((action[at] == action[kept[number - 1]]).all())
        texts.append(None if same else "".join(_sign(move, width) for move in action[at].tolist()))
    return Snapshots([steps[at] for at in kept], len(steps), width, texts)


def _sign(action: int, width: int) -> str:
    if action < 0:
        return "." * width
    text = ""
    for _ in range(width):
        action, rest = divmod(action, len(SIGNS))
        text = SIGNS[rest] + text
    return text


def _blunders(policy: Policy) -> list[Blunder]:
    """Those met most often in games against uniform play first, in either seat."""
    states, met = worst_blunders(policy, LISTED)
    return listed_blunders(policy, states.tolist(), met.tolist())


def listed_blunders(policy: Policy, states: Sequence[int], met: Sequence[float] | None = None) -> list[Blunder]:
    """Of these states, in this order, those with a blunder; `met`: how often each is met in a game."""
    wrong = policy.probability * facts(policy.graph).blunder  # [S, A]
    often = [math.inf] * len(states) if met is None else met
    blundered = [(state, times) for state, times in zip(states, often, strict=True) if wrong[state].any()]
    return [_blunder(policy.graph, state, wrong[state], times) for state, times in blundered[:LISTED]]


def _blunder(graph: GameGraph, state: int, wrong: NDArray[np.float64], met: float) -> Blunder:
    solution = facts(graph).solution
    action = int(wrong.argmax())
    after = int(graph.next_state[state, action])
    line, endless = best_line(graph, solution, after) if after >= 0 else ([], False)
    return Blunder(
        state=state,
        move=int(graph.moves[action]),
        move_probability=float(wrong[action]),
        probability=float(wrong.sum()),
        met=met if met < math.inf else None,
        value=int(solution.value[state]),
        after=Verdict(after).worth if after < 0 else -int(solution.value[after]),
        keeps=graph.moves[solution.keeps[state]].tolist(),
        line=line,
        endless=endless,
    )
