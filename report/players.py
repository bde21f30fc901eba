"""One player on the page: its scorecard, its whole policy, its way there, and its blunders with their refutations."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games import GameGraph, Policy
from games.rulebook import Verdict
from report.runs import Entry, readable
from solver import Scorecard, visitation
from solver.facts import facts
from solver.lines import best_line

SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
LISTED = 50  # blunders told one by one


def baseline(name: str, policy: Policy, card: Scorecard, *, drawn: bool) -> dict[str, Any]:
    return _record(name, "baseline", None, policy, card, drawn=drawn)


def learned(entry: Entry, name: str, group: str, *, drawn: bool, kept: float) -> dict[str, Any]:
    """A run, an exam or a policy file; `kept` is the share of its snapshots that there is room for."""
    card, record = entry.card, _record(name, entry.kind, group, entry.policy, entry.card, drawn=drawn)
    told = (entry.provenance or {}).get("seconds")
    record["path"] = readable(entry.path)
    record["seconds"] = told if isinstance(told, int | float) and not isinstance(told, bool) else None
    if entry.seconds is not None and card.steps_to_perfect is not None:
        record["seconds_to_perfect"] = entry.seconds.get(card.steps_to_perfect)
    record["curve"] = entry.curve
    if entry.snapshots is not None and drawn:
        record["snapshots"] = _snapshots(*entry.snapshots, entry.policy.graph.num_actions, kept)
    record |= {"settings": entry.settings, "provenance": entry.provenance, "exam": entry.exam}
    if entry.settings is not None:
        record["command"] = shlex.join(["python", "train.py", "--config", readable(entry.path / "settings.toml")])
    return record


def _record(name: str, kind: str, group: str | None, policy: Policy, card: Scorecard, *, drawn: bool) -> dict[str, Any]:
    return {
        "name": name,
        "kind": kind,
        "group": group,
        "path": None,
        "card": asdict(card),
        "seconds": None,
        "seconds_to_perfect": None,
        "policy": _table(policy.probability) if drawn else None,
        "blunders": _blunders(policy),
        "curve": None,
        "snapshots": None,
        "settings": None,
        "provenance": None,
        "exam": None,
        "command": None,
    }


def _table(probability: NDArray[np.float64]) -> dict[str, Any]:
    """The distinct rows of a policy, and which of them each state has."""
    rows, row = np.unique(probability, axis=0, return_inverse=True)
    return {"rows": [[_short(p) for p in line] for line in rows.tolist()], "row": row.ravel().tolist()}


def _short(value: float) -> float | int:
    return int(value) if value in (0.0, 1.0) else value


def _snapshots(steps: list[int], action: NDArray[np.int16], actions: int, share: float) -> dict[str, Any]:
    """One text per evaluation, a sign or more per state; null where nothing has changed. Thinned to the room given."""
    room = max(2, int(share * len(steps)))
    kept = np.unique(np.linspace(0, len(steps) - 1, min(room, len(steps))).round().astype(int)).tolist()
    width = 1
    while len(SIGNS) ** width < actions:
        width += 1
    texts: list[str | None] = []
    for number, at in enumerate(kept):
        same = number > 0 and bool((action[at] == action[kept[number - 1]]).all())
        texts.append(None if same else "".join(_sign(move, width) for move in action[at].tolist()))
    return {"steps": [steps[at] for at in kept], "evaluations": len(steps), "width": width, "actions": texts}


def _sign(action: int, width: int) -> str:
    if action < 0:
        return "." * width
    text = ""
    for _ in range(width):
        action, rest = divmod(action, len(SIGNS))
        text = SIGNS[rest] + text
    return text


def _blunders(policy: Policy) -> list[dict[str, Any]]:
    """Those met most often in games against uniform play first, in either seat."""
    graph, known = policy.graph, facts(policy.graph)
    wrong = policy.probability * known.blunder  # [S, A]
    states = np.flatnonzero(wrong.any(axis=1))
    if not len(states):
        return []
    uniform = Policy(graph, known.uniform)
    met = visitation(graph, policy, uniform).visits[:, 0] + visitation(graph, uniform, policy).visits[:, 1]
    met = np.where(np.isfinite(met), met, np.finfo(float).max)
    order = states[np.lexsort((states, -met[states]))][:LISTED]
    return [_blunder(graph, int(state), wrong[state], float(met[state]) / 2) for state in order]


def _blunder(graph: GameGraph, state: int, wrong: NDArray[np.float64], met: float) -> dict[str, Any]:
    solution = facts(graph).solution
    action = int(wrong.argmax())
    after = int(graph.next_state[state, action])
    line, endless = best_line(graph, solution, after) if after >= 0 else ([], False)
    return {
        "state": state,
        "move": int(graph.moves[action]),
        "probability": float(wrong.sum()),
        "met": met if met < 1e300 else None,
        "value": int(solution.value[state]),
        "after": Verdict(after).worth if after < 0 else -int(solution.value[after]),
        "keeps": graph.moves[solution.keeps[state]].tolist(),
        "line": line,
        "endless": endless,
    }
