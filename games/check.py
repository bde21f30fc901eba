"""The conformance check of a rule book: anyone's, by the same means, with no exemptions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from base.mistake import Mistake
from games.columns import NotOnColumns
from games.gamefile import clashing_name
from games.graph import GameGraph, compile_rulebook
from games.ints import outcome_of
from games.observation import look
from games.rulebook import ILLEGAL, MOVER_LOSES, MOVER_WINS, Position, RuleBook, Verdict

PERFT_LINES = 20_000  # lines that the recursion may walk
FULL_STATES = 20_000  # states up to which every state and move is tried
UNFOLDINGS = 3  # different literal positions for each canonical one


@dataclass(frozen=True)
class Check:
    """What was found: `faults` is empty when the book passes, `notes` say what was checked and what could not be."""

    game: str
    states: int
    legal_pairs: int
    faults: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.game}: {self.states} states, {self.legal_pairs} legal (state, move) pairs"]
        lines += [f"  {note}" for note in self.notes] + [f"  FAULT {fault}" for fault in self.faults]
        return "\n".join([*lines, "  passed" if not self.faults else f"  failed: {len(self.faults)} faults"])


def check_rulebook(book: RuleBook) -> Check:
    """Compile the book both ways and play it: worked games, ints against columns, canonical, perft, purity."""
    try:
        graph = compile_rulebook(book)
    except Mistake as mistake:
        return Check(book.name, 0, 0, (str(mistake),), ())
    faults: list[str] = []
    notes: list[str] = []
    for part in (_names, _look, _examples, _engines, _canonical, _perft):
        part(book, graph, faults, notes)
    return Check(book.name, graph.num_states, int(graph.legal.sum()), tuple(faults), tuple(notes))


def result_of(book: RuleBook, moves: list[int]) -> str:
    """ "first wins", "second wins", "draw" or "goes on", by literal play; an impossible line is a mistake."""
    position = book.start
    for ply, move in enumerate(moves):
        outcome = book.step(move, position) if move in book.moves() else ILLEGAL
        if isinstance(outcome, Verdict):
            if ply + 1 < len(moves) or outcome == ILLEGAL:
                what = "is illegal" if outcome == ILLEGAL else "ends the game early"
                raise Mistake(f"{book.name}: move {ply + 1} of '{book.line(moves)}' ({move}) {what}")
            won = {MOVER_WINS: ply % 2 == 0, MOVER_LOSES: ply % 2 == 1}
            return ("first wins" if won[outcome] else "second wins") if outcome in won else "draw"
        position = outcome
    if all(book.step(move, position) == ILLEGAL for move in book.moves()):
        return "first wins" if len(moves) % 2 == 1 else "second wins"
    return "goes on"


def _names(book: RuleBook, graph: GameGraph, faults: list[str], notes: list[str]) -> None:
    names = [book.name_of(move) for move in book.moves()]
    if clash := clashing_name(names, list(book.moves())):
        faults.append(f"names of moves: {clash}")
    elif names != list(map(str, book.moves())):
        notes.append(f"names of moves: {len(names)}, each of one move, as in {names[0]}")


def _look(book: RuleBook, graph: GameGraph, faults: list[str], notes: list[str]) -> None:
    try:
        sights = look(graph)
    except Mistake as mistake:
        faults.append(str(mistake))
        return
    if len(np.unique(sights, axis=0)) < graph.num_states:
        faults.append("look() shows two positions alike; a player has to see everything that matters")
    elif (sights != graph.positions).any():
        notes.append("what a player sees: other numbers than the fields, and a different one for each position")


def _examples(book: RuleBook, graph: GameGraph, faults: list[str], notes: list[str]) -> None:
    book_itself = book.parameters == book.defaults
    for line, claimed in book.examples.items() if book_itself else ():
        try:
            moves = book.moves_in(line)
            result = result_of(book, moves)
            end = graph.follow(moves)
        except Mistake as mistake:
            faults.append(f"worked game '{line}': {mistake}")
            continue
        if result != claimed:
            faults.append(f"worked game '{line}': the book says '{claimed}', the rules say '{result}'")
        if (end >= 0 and graph.legal[end].any()) != (result == "goes on"):
            faults.append(f"worked game '{line}': the graph ends elsewhere than the rules")
    if not book_itself or not book.examples:
        why = "has no worked games" if book_itself else "differs from its printed parameters"
        notes.append(f"worked games: not checked, the book {why}")
    else:
        notes.append(f"worked games: {len(book.examples)} replayed")


def _engines(book: RuleBook, graph: GameGraph, faults: list[str], notes: list[str]) -> None:
    if book.arrays is not None:
        notes.append("ints against columns: not checked, the game is stored as arrays")
        return
    try:
        other = compile_rulebook(book, engine="columns")
    except NotOnColumns as reason:
        notes.append(f"columns: the rule runs on ints only ({reason}); large families will be slow")
        return
    except Mistake as mistake:
        faults.append(f"columns: {mistake}")
        return
    if graph.num_states > FULL_STATES:
        notes.append(f"ints against columns: only spot-checked, {graph.num_states} states are many for ints")
        return
    ints = compile_rulebook(book, engine="ints")
    same = np.array_equal(ints.positions, other.positions) and np.array_equal(ints.next_state, other.next_state)
    if same:
        notes.append("ints against columns: the same in every state and move; purity: every move tried twice")
    else:
        faults.append("ints against columns: they differ; is the rule pure, with whole-number arithmetic only?")


def _canonical(book: RuleBook, graph: GameGraph, faults: list[str], notes: list[str]) -> None:
    """Each state from several literal positions: the same verdicts, the same canonical successors."""
    if type(book).canonical is RuleBook.canonical:
        notes.append("canonical: the book folds nothing")
        return
    if graph.num_states > FULL_STATES:
        notes.append(f"canonical: not checked, {graph.num_states} states are many for ints")
        return
    literal: dict[Position, list[Position]] = {}
    for position in product(*(range((UNFOLDINGS + 2) * size) for size in book.fields().values())):
        literal.setdefault(book.fold(position), []).append(position)
    if all(positions == [canonical] for canonical, positions in literal.items()):
        notes.append("canonical: with these parameters the book folds nothing")
        return
    for state in range(graph.num_states):
        canonical = tuple(graph.positions[state].tolist())
        positions = literal.get(canonical, [])
        if len(positions) < UNFOLDINGS:
            faults.append(
                f"canonical: {canonical} stands for {len(positions)} positions of small numbers; is it a fold at all?"
            )
            return
        for position, move in product(positions, book.moves()):
            outcome = _folded(book, book.step(move, position))
            if outcome != (folded := outcome_of(book, move, canonical)):
                faults.append(
                    f"canonical: {move} at {position} gives {outcome}, but at its canonical {canonical} {folded}"
                )
                return
    notes.append(f"canonical: every state and move from at least {UNFOLDINGS} literal positions")


def _folded(book: RuleBook, outcome: Verdict | Position) -> Verdict | Position:
    return outcome if isinstance(outcome, Verdict) else book.fold(outcome)


def _perft(book: RuleBook, graph: GameGraph, faults: list[str], notes: list[str]) -> None:
    """Lines of play counted on the arrays and by plain recursion on the literal rules."""
    counts, here = [1], np.zeros(graph.num_states, dtype=np.float64)
    here[0] = 1
    while counts[-1] and counts[-1] * graph.num_actions <= PERFT_LINES and len(counts) <= 12:
        counts.append(int((here[:, None] * graph.legal).sum()))
        moved = np.zeros_like(here)
        goes_on = graph.next_state >= 0
        np.add.at(moved, graph.next_state[goes_on], np.broadcast_to(here[:, None], goes_on.shape)[goes_on])
        here = moved
    depth = len(counts) - 1
    recursive = perft(book, depth)
    if recursive != counts[depth]:
        faults.append(f"perft: {recursive} lines of {depth} plies by the rules, {counts[depth]} in the graph")
    notes.append(f"perft: {counts[depth]} lines of {depth} plies counted both ways")


def perft(book: RuleBook, depth: int, position: Position | None = None) -> int:
    """The number of lines of that many plies from a position, by plain recursion; a game may end on the last ply."""
    if depth == 0:
        return 1
    lines = 0
    for move in book.moves():
        outcome = book.step(move, book.start if position is None else position)
        if not isinstance(outcome, Verdict):
            lines += perft(book, depth - 1, outcome)
        elif outcome != ILLEGAL and depth == 1:
            lines += 1
    return lines
