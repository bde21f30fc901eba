"""One game on the page: its facts and arrays, its players and groups, and everyone against everyone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from agents import baseline_names, player
from games import DRAW, MOVER_LOSES, MOVER_WINS, GameGraph, Policy, RuleBook, make_rulebook
from games.rulebook import Verdict
from report.audit import SECTIONS
from report.groups import group_names, player_names, summary
from report.layout import layout
from report.players import baseline, learned
from report.runs import Entry
from solver import certify, scorecard, versus
from solver.facts import facts
from solver.lines import best_line

MOST_DRAWN = 12_000  # positions up to which a game is drawn and can be played on the page
MOST_SEARCHED = 3_000_000  # simulations in all that a searching baseline may take
MATRIX = 24  # players of the cross-play matrix; with more, each group sends one run
KEY_POSITIONS = 24  # lost positions that are listed by name


def game(graph: GameGraph, entries: Sequence[Entry], kept: float) -> dict[str, Any]:
    """Everything about one game; `kept` is the share of snapshots that the page has room for."""
    book = make_rulebook(graph.game, **graph.parameters)
    drawn = graph.num_states <= MOST_DRAWN
    names = [name for name in baseline_names(graph) if _affordable(name, graph)]
    left_out = [name for name in baseline_names(graph) if name not in names]
    fixed = [player(name, graph) for name in names]
    groups = group_names(entries)
    called = player_names(entries, groups, names)
    players = [
        learned(entry, name, group, drawn=drawn, kept=kept)
        for entry, name, group in zip(entries, called, groups, strict=True)
    ]
    cards = [replace(scorecard(graph, policy), agent=name) for name, policy in zip(names, fixed, strict=True)]
    players += [
        baseline(name, policy, card, drawn=drawn) for name, policy, card in zip(names, fixed, cards, strict=True)
    ]
    policies = [entry.policy for entry in entries] + fixed
    told = [summary(name, [p for p in players if p["group"] == name]) for name in dict.fromkeys(groups)]
    record = _facts(book, graph)
    return {
        **record,
        "headline": headline(record["title"], record["critical_states"], told, players),
        "players": players,
        "groups": told,
        "left_out": left_out,
        "crossplay": _crossplay(graph, players, policies),
        "audit": _audit(book),
        "arrays": _arrays(graph) if drawn else None,
        "map": layout(graph) if drawn else None,
    }


def label(book: RuleBook) -> str:
    """The name of the game, with the parameters that are not the book's own."""
    own = type(book)().parameters
    changed = [f"{key}={value}" for key, value in book.parameters.items() if value != own[key]]
    return ", ".join([book.name, *changed])


def headline(title: str, critical: int, groups: Sequence[dict[str, Any]], players: Sequence[dict[str, Any]]) -> str:
    """What a reader should know after one sentence."""
    if not groups:
        cards = {p["name"]: p["card"] for p in players if p["name"] not in ("optimal", "trembling", "uniform")}
        perfect = [name for name, card in cards.items() if card["perfect"]]
        if perfect:
            return f"{title} needs no learning: {perfect[0]} already plays it perfectly."
        name, card = min(cards.items(), key=lambda item: item[1]["blunders"])
        still = f"{name} still blunders at {card['blunders']} of {critical} critical positions"
        return f"Untrained, nobody plays {title} perfectly: {still}."
    whole = [group for group in groups if group["perfect"] == group["runs"]]
    if whole:
        names = [group["name"] for group in whole]
        who = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        runs = sum(group["runs"] for group in whole)
        often = "" if runs == len(whole) else f" in all {runs} runs"
        plays = "plays" if len(whole) == 1 else "play"
        return f"{who} {plays} {title} perfectly{often}: 0 blunders at {critical} critical positions."
    best = max(groups, key=lambda group: (group["perfect"] / group["runs"], -group["blunders"]["iqm"]))
    runs = best["runs"]
    members = [p for p in players if p["group"] == best["name"]]
    worst = max(p["card"]["blunders"] for p in members)
    where = f"at {worst} of {critical} critical positions{_unasked(members, critical)}."
    if best["perfect"]:
        often = f"perfectly in {best['perfect']} of {runs} runs"
        return f"{best['name']} plays {title} {often}; its worst run blunders {where}"
    count = "blunders" if runs == 1 else "in its worst run blunders"
    return f"Nobody learned to play {title} perfectly; {best['name']} {count} {where}"


def _unasked(players: Sequence[dict[str, Any]], critical: int) -> str:
    """What an exam did not ask counts as uniform play: that must stand beside the number."""
    asked = [(p["exam"] or {}).get("positions") for p in players]
    few = [number for number in asked if isinstance(number, int) and number < critical]
    return f" ({min(few)} were asked, the others count as uniform play)" if few else ""


def _affordable(name: str, graph: GameGraph) -> bool:
    return not name.startswith("mcts-") or int(name[5:]) * graph.num_states <= MOST_SEARCHED


def _facts(book: RuleBook, graph: GameGraph) -> dict[str, Any]:
    solution = facts(graph).solution
    line, endless = best_line(graph, solution, 0)
    lost = np.flatnonzero(solution.value < 0)
    ends = {int(verdict): book.ending(Verdict(verdict)) for verdict in (MOVER_WINS, MOVER_LOSES, DRAW)}
    return {
        "id": label(book),
        "game": graph.game,
        "title": book.title + label(book).removeprefix(book.name),
        "parameters": dict(graph.parameters),
        "rules": book.text,
        "endings": {str(key): words for key, words in ends.items() if (graph.next_state == key).any()},
        "folded": type(book).canonical is not RuleBook.canonical,
        "fields": dict(graph.fields),
        "checksum": graph.checksum,
        "faults": certify(graph, solution),
        "states": graph.num_states,
        "legal_moves": int(graph.legal.sum()),
        "critical_states": int(solution.critical.sum()),
        "value": int(solution.value[0]),
        "remoteness": int(solution.remoteness[0]),
        "won": int((solution.value > 0).sum()),
        "held": int((solution.value == 0).sum()),
        "lost": len(lost),
        "openings": graph.moves[solution.keeps[0]].tolist(),
        "legal_openings": int(graph.legal[0].sum()),
        "line": line,
        "line_endless": endless,
        "key_positions": [graph.words(int(state)) for state in lost[:KEY_POSITIONS]],
    }


def _audit(book: RuleBook) -> list[dict[str, Any]]:
    """What the printed book claims; only its own numbers are judged."""
    if book.name not in SECTIONS or book != type(book)():
        return []
    return [asdict(finding) for finding in SECTIONS[book.name]()]


def _arrays(graph: GameGraph) -> dict[str, Any]:
    solution = facts(graph).solution
    return {
        "moves": graph.moves.tolist(),
        "positions": graph.positions.tolist(),
        "next_state": graph.next_state.tolist(),
        "value": solution.value.tolist(),
        "remoteness": solution.remoteness.tolist(),
    }


def _crossplay(graph: GameGraph, players: Sequence[dict[str, Any]], policies: Sequence[Policy]) -> dict[str, Any]:
    chosen = list(range(len(players)))
    if len(chosen) > MATRIX:
        ranked = sorted(chosen, key=lambda k: (players[k]["card"]["accuracy"], k))
        names = dict.fromkeys(p["group"] for p in players if p["group"] is not None)
        of_group = {name: [k for k in ranked if players[k]["group"] == name] for name in names}
        chosen = [runs[(len(runs) - 1) // 2] for runs in of_group.values()]
        chosen += [k for k, p in enumerate(players) if p["group"] is None]
    results = [[asdict(versus(graph, policies[a], policies[b])) for b in chosen] for a in chosen]
    return {"players": chosen, "results": results}
