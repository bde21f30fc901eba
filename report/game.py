"""One game on the page: its facts and arrays, its players and groups, and everyone against everyone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agents import baseline_names, player
from arena.transcript import Annotation
from games import DRAW, MOVER_LOSES, MOVER_WINS, GameGraph, Policy, RuleBook
from games.gamefile import book_of
from games.rulebook import Verdict
from report.audit import SECTIONS, Finding
from report.document import Arrays, Crossplay, Game, GameFacts, Player
from report.groups import distinct_names, group_names, player_names, summary
from report.headline import headline
from report.layout import layout
from report.partial import partial_exam
from report.players import baseline, learned
from report.recorded import recorded
from report.runs import Entry, Sitting
from solver import certify, scorecard, versus
from solver.facts import facts
from solver.lines import best_line

MOST_DRAWN = 12_000  # positions up to which a game is drawn and can be played on the page
MOST_SEARCHED = 3_000_000  # simulations in all that a searching baseline may take
MATRIX = 24  # players of the cross-play matrix; with more, each group sends one run
KEY_POSITIONS = 24  # lost positions that are listed by name


def game(
    graph: GameGraph,
    entries: Sequence[Entry],
    sittings: Sequence[Sitting],
    played: Sequence[Annotation],
    kept: float,
) -> Game:
    """Everything about one game; `kept` is the share of snapshots that the page has room for."""
    book = book_of(graph)
    drawn = graph.num_states <= MOST_DRAWN
    names = [name for name in baseline_names(graph) if _affordable(name, graph)]
    fixed = [player(name, graph) for name in names]
    entries, groups = _in_groups(entries)
    called = player_names(entries, groups, names)
    players = [
        learned(entry, name, group, drawn=drawn, kept=kept)
        for entry, name, group in zip(entries, called, groups, strict=True)
    ]
    for name, policy in zip(names, fixed, strict=True):
        players.append(baseline(name, policy, replace(scorecard(graph, policy), agent=name), drawn=drawn))
    in_part = distinct_names([sitting.agent for sitting in sittings], [*called, *names])
    exams = [partial_exam(sitting, name, drawn=drawn) for sitting, name in zip(sittings, in_part, strict=True)]
    summaries = [summary(name, [p for p in players if p.group == name]) for name in dict.fromkeys(groups)]
    known = _facts(book, graph)
    return Game(
        **vars(known),
        headline=headline(known.title, known.critical_states, summaries, players, exams),
        players=players,
        asked_in_part=exams,
        groups=summaries,
        left_out=[name for name in baseline_names(graph) if name not in names],
        crossplay=_crossplay(graph, players, [entry.policy for entry in entries] + fixed),
        audit=_audit(book),
        arrays=_arrays(book, graph) if drawn else None,
        map=layout(graph) if drawn else None,
        recorded=recorded(played),
    )


def _in_groups(entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """The one order of players, everywhere on the page: the runs of a group stand together."""
    groups = group_names(entries)
    order = list(dict.fromkeys(groups))
    pairs = sorted(zip(entries, groups, strict=True), key=lambda pair: order.index(pair[1]))
    return [entry for entry, _ in pairs], [group for _, group in pairs]


def label(book: RuleBook) -> str:
    """The name of the game, with the parameters that are not the book's own."""
    own = book.defaults
    changed = [f"{key}={value}" for key, value in book.parameters.items() if value != own[key]]
    return ", ".join([book.name, *changed])


def _affordable(name: str, graph: GameGraph) -> bool:
    return not name.startswith("mcts-") or int(name[5:]) * graph.num_states <= MOST_SEARCHED


def _facts(book: RuleBook, graph: GameGraph) -> GameFacts:
    solution = facts(graph).solution
    line, endless = best_line(graph, solution, 0)
    lost = np.flatnonzero(solution.value < 0)
    ends = {int(verdict): book.ending(Verdict(verdict)) for verdict in (MOVER_WINS, MOVER_LOSES, DRAW)}
    return GameFacts(
        id=label(book),
        game=graph.game,
        title=book.title + label(book).removeprefix(book.name),
        parameters=dict(graph.parameters),
        rules=book.text,
        endings={str(key): words for key, words in ends.items() if (graph.next_state == key).any()},
        folded=type(book).canonical is not RuleBook.canonical,
        fields=dict(graph.fields),
        checksum=graph.checksum,
        faults=certify(graph, solution),
        states=graph.num_states,
        legal_moves=int(graph.legal.sum()),
        critical_states=int(solution.critical.sum()),
        value=int(solution.value[0]),
        remoteness=int(solution.remoteness[0]),
        won=int((solution.value > 0).sum()),
        held=int((solution.value == 0).sum()),
        lost=len(lost),
        openings=graph.moves[solution.keeps[0]].tolist(),
        legal_openings=int(graph.legal[0].sum()),
        line=line,
        line_endless=endless,
        move_names={int(move): book.name_of(int(move)) for move in graph.moves},
        key_positions=[graph.words(int(state)) for state in lost[:KEY_POSITIONS]],
    )


def _audit(book: RuleBook) -> list[Finding]:
    """What the printed book claims; only its own numbers are judged."""
    if book.is_foreign or book.name not in SECTIONS or book.parameters != book.defaults:
        return []
    return SECTIONS[book.name]()


def _arrays(book: RuleBook, graph: GameGraph) -> Arrays:
    solution = facts(graph).solution
    return Arrays(
        moves=graph.moves.tolist(),
        positions=graph.positions.tolist(),
        next_state=graph.next_state.tolist(),
        value=solution.value.tolist(),
        remoteness=solution.remoteness.tolist(),
        words=None if type(book).words is RuleBook.words else [graph.words(state) for state in range(graph.num_states)],
    )


def _crossplay(graph: GameGraph, players: Sequence[Player], policies: Sequence[Policy]) -> Crossplay:
    chosen = list(range(len(players)))
    if len(chosen) > MATRIX:
        ranked = sorted(chosen, key=lambda k: (players[k].card.accuracy, k))
        names = dict.fromkeys(p.group for p in players if p.group is not None)
        of_group = {name: [k for k in ranked if players[k].group == name] for name in names}
        chosen = [runs[(len(runs) - 1) // 2] for runs in of_group.values()]
        chosen += [k for k, p in enumerate(players) if p.group is None]
    return Crossplay(chosen, [[versus(graph, policies[a], policies[b]) for b in chosen] for a in chosen])
