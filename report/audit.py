"""The audit: what the five rule books claim, judged on the arrays of their games. `python -m report.audit` prints it.

A claim becomes a statement about positions and moves. It holds in all cases, or the first case where it fails is shown;
no verdict is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from games.check import result_of
from games.find import make_rulebook
from games.graph import GameGraph, compile_rulebook
from games.policy import Policy
from games.rulebook import DRAW, MOVER_LOSES, MOVER_WINS, RuleBook, Verdict
from solver import optimal, solve, tremble, versus


@dataclass(frozen=True)
class Finding:
    claim: str  # what the book says, in our words
    statement: str  # what that means on the graph
    holds: bool
    evidence: str


@dataclass(frozen=True)
class Case:
    words: str
    holds: bool


def for_all(claim: str, statement: str, cases: Iterable[Case], more: str = "") -> Finding:
    tried = list(cases)
    against = [case.words for case in tried if not case.holds]
    if against:
        return Finding(
            claim, statement, False, f"fails in {len(against)} of {len(tried)} cases; the first: {against[0]}"
        )
    return Finding(claim, statement, True, f"all {len(tried)} cases{more}")


def exists(claim: str, statement: str, cases: Iterable[Case]) -> Finding:
    tried = list(cases)
    holding = [case.words for case in tried if case.holds]
    if holding:
        return Finding(claim, statement, True, f"{len(holding)} of {len(tried)} cases; the first: {holding[0]}")
    return Finding(claim, statement, False, f"none of {len(tried)} cases")


class Audited:
    """A game with all that the audit asks of it."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self.graph = compile_rulebook(book)
        self.solution = solve(self.graph)

    def after(self, state: int, action: int) -> int:
        """What a move is worth to its mover."""
        there = int(self.graph.next_state[state, action])
        return Verdict(there).worth if there < 0 else -int(self.solution.value[there])

    def move(self, state: int, action: int) -> str:
        return f"{self.graph.words(state)}, then {self.graph.moves[action]}"

    def legal(self, state: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self.graph.legal[state])]


def no_draws(game: Audited) -> Finding:
    """Whether play always ends, and never in a draw; a cycle is shown as moves that come back to a position."""
    graph, back = game.graph, cycles(game.graph)
    drawn = (graph.next_state == DRAW).any(axis=1)
    cases = [
        Case(graph.words(s) + (f" comes back after {back[s]}" if s in back else ""), s not in back and not drawn[s])
        for s in range(graph.num_states)
    ]
    statement = "No position can come back, and no move ends in a draw."
    return for_all("Every game has a winner; there are no draws.", statement, cases)


def cycles(graph: GameGraph) -> dict[int, str]:
    """Each state that play can come back to, with the shortest moves that do, lowest first."""
    named: dict[int, str] = {}
    for start in range(graph.num_states) if graph.has_cycle else ():
        lines: dict[int, str] = {}
        queue = [(start, "")]
        for state, line in queue:
            for action in np.flatnonzero(graph.next_state[state] >= 0):
                there = int(graph.next_state[state, action])
                if there not in lines:
                    lines[there] = f"{line} {graph.moves[action]}".strip()
                    queue.append((there, lines[there]))
        if start in lines:
            named[start] = lines[start]
    return named


def avoid_the_seventh() -> list[Finding]:
    game = Audited(make_rulebook("avoid-the-seventh"))
    graph, worth = game.graph, tremble(game.graph).move_value
    below = graph.state((int(game.book.parameters["modulus"]) - 1,))
    to_below = [(s, a) for s in range(graph.num_states) for a in game.legal(s) if graph.next_state[s, a] == below]
    others = [(s, a) for s in range(graph.num_states) for a in game.legal(s) if 0 < graph.next_state[s, a] != below]
    safe_rivals = {
        s: [a for a in game.legal(s) if game.after(s, a) >= 0 and graph.next_state[s, a] != below] for s, _ in to_below
    }
    rivals = [np.nanmax(np.delete(worth[s], a)) for s, a in to_below]
    margin = min(float(worth[s, a] - rival) for (s, a), rival in zip(to_below, rivals, strict=True))
    trembling = [Case(game.move(s, a), bool(worth[s, a] >= np.nanmax(worth[s]) - 1e-12)) for s, a in to_below]
    return [
        for_all(
            "Whoever must move from one below a multiple of 7 loses, whatever they add.",
            "Every move from a total one below a multiple loses at once.",
            [Case(game.move(below, a), graph.next_state[below, a] == MOVER_LOSES) for a in game.legal(below)],
        ),
        no_draws(game),
        for_all(
            "One below a multiple of 7 is the total to leave.",
            "Where it can be left, doing so is worth more than every other move that does not lose at once.",
            [
                Case(game.move(s, a), all(game.after(s, a) > game.after(s, r) for r in safe_rivals[s]))
                for s, a in to_below
            ],
        ),
        for_all(
            "The same, if both players now and then slip.",
            "Where it can be left, doing so is the best move when 5 % of all moves are replaced by random ones.",
            trembling,
            f"; the next best move is worth only {margin:.1e} less in one of them",
        ),
        for_all(
            "The totals that it calls safe are to be avoided.",
            "Every move to a total that is neither a multiple of 7 nor one below gives value away.",
            [Case(game.move(s, a), not game.solution.keeps[s, a]) for s, a in others],
        ),
    ]


def seven_is_forbidden() -> list[Finding]:
    game = Audited(make_rulebook("seven-is-forbidden"))
    graph = game.graph
    skilled, unskilled = optimal(graph), Policy.uniform(graph)
    sits_first, sits_second = versus(graph, skilled, unskilled), versus(graph, unskilled, skilled)
    wins = (("first", sits_first.win), ("second", sits_second.loss))
    return [
        exists(
            "An opponent can be brought to a number where every digit loses.",
            "There is a position in which every legal move loses at once.",
            [Case(graph.words(s), bool((graph.next_state[s] == MOVER_LOSES).all())) for s in range(graph.num_states)],
        ),
        no_draws(game),
        for_all(
            "A skilled player consistently beats an unskilled one.",
            "Perfect play wins against uniform play with probability 1 (to 12 digits), in either seat.",
            [
                Case(f"perfect play sits {seat} and wins with probability {win:.12f}", win > 1 - 1e-12)
                for seat, win in wins
            ],
        ),
    ]


def sequence_duel() -> list[Finding]:
    game = Audited(make_rulebook("sequence-duel"))
    graph, states = game.graph, range(game.graph.num_states)
    limit = int(game.book.parameters["limit"])
    longer = compile_rulebook(make_rulebook("sequence-duel", limit=limit + 1))
    full = (longer.positions[:, list(longer.fields).index("length")] == limit)[:, None]
    edges = np.where(full & longer.legal, np.int32(DRAW), longer.next_state).astype(np.int32)
    triples_only = GameGraph(longer.game, longer.parameters, longer.fields, longer.positions, longer.moves, edges)
    forced = solve(triples_only).value
    return [
        exists(
            "An opponent can be forced into a bad triple.",
            f"If a sequence of {limit} numbers were a draw, some position would still be won or lost.",
            [
                Case(longer.words(s), bool(forced[s] != 0))
                for s in np.flatnonzero(~full[:, 0] & longer.legal.any(axis=1)).tolist()
            ],
        ),
        blocking(game, "Not repeating the last number can block a number that the opponent needs."),
        exists(
            "A player can be left without a valid number.",
            "There is a position without a legal move.",
            [Case(graph.words(s), not graph.legal[s].any()) for s in states],
        ),
        no_draws(game),
        two_readings(game),
    ]


def two_readings(game: Audited) -> Finding:
    other = Audited(make_rulebook(game.book.name, limit_loser="next"))
    same = [
        Case(f"{game.graph.words(s)}: {game.solution.value[s]:+d} and {other.solution.value[s]:+d}", a == b)
        for s, (a, b) in enumerate(zip(game.solution.value, other.solution.value, strict=True))
    ]
    statement = "Each position has the same value whether the writer of the last number or the next player loses."
    return for_all(
        "Who loses at the full sequence (the book's text and its samples can be read two ways).", statement, same
    )


def blocking(game: Audited, claim: str) -> Finding:
    """Positions that are lost with the no-repeat rule and won in the game without it."""
    free = Audited(make_rulebook(game.book.name, repeats="allowed"))
    cases = []
    for state in range(game.graph.num_states):
        there = free.graph.state(game.graph.positions[state].tolist())
        lost_to_it = game.solution.value[state] < 0 < free.solution.value[there]
        cases.append(Case(game.graph.words(state), bool(lost_to_it)))
    return exists(claim, "Some position is lost for its mover, and would be won if repeats were allowed.", cases)


def fifty_wins() -> list[Finding]:
    game = Audited(make_rulebook("fifty-wins"))
    graph, value, target = game.graph, game.solution.value, int(game.book.parameters["target"])

    def made(total: int) -> Case:
        state = graph.state((total,))
        answers = [f"{graph.moves[a]}" for a in game.legal(state) if game.solution.keeps[state, a]]
        refuted = (
            f"after {total} the opponent wins by adding {' or '.join(answers)}" if value[state] > 0 else f"{total}"
        )
        return Case(refuted, bool(value[state] < 0))

    lost = [int(graph.positions[s, 0]) for s in np.flatnonzero(value < 0)]
    multiples = range(11, target, 11)

    @cache
    def wins(total: int) -> bool:  # by the rule alone, for the mover
        outcomes = [game.book.step(move, (total,)) for move in game.book.moves()]
        return any(out == MOVER_WINS if isinstance(out, Verdict) else not wins(*out) for out in outcomes)

    key = for_all(
        "The true key totals (found here, not in the book).",
        "By plain recursion on the rule, whoever makes one of these totals wins, and whoever makes another does not:",
        [Case(f"{total}", (total in lost) != wins(total)) for total in range(1, target)],
    )
    return [
        for_all(
            "Making 10, 21, 32 or 43 helps to force a win.",
            "Whoever makes one of these totals wins.",
            map(made, (10, 21, 32, 43)),
        ),
        for_all(
            "Always making a multiple of 11 forces a win.", "Whoever makes a multiple of 11 wins.", map(made, multiples)
        ),
        no_draws(game),
        Finding(key.claim, f"{key.statement} {', '.join(map(str, lost))}.", key.holds, key.evidence),
    ]


def number_flip() -> list[Finding]:
    game = Audited(make_rulebook("number-flip"))
    free = Audited(make_rulebook("number-flip", repeats="allowed"))
    pairs = [(s, free.graph.state(game.graph.positions[s].tolist())) for s in range(game.graph.num_states)]
    changed = [
        Case(
            f"{game.graph.words(s)}: {game.solution.value[s]:+d} with the rule, {free.solution.value[t]:+d} without",
            bool(game.solution.value[s] != free.solution.value[t]),
        )
        for s, t in pairs
    ]
    return [
        blocking(game, "The no-repeat rule can be used to force the opponent to 50."),
        exists("The no-repeat rule matters.", "Some position has another value if repeats are allowed.", changed),
        no_draws(game),
    ]


def slips() -> list[str]:
    """Sentences of the books that their own rules contradict, recomputed."""
    seven, flip = make_rulebook("seven-is-forbidden"), Audited(make_rulebook("number-flip"))
    duel = make_rulebook("sequence-duel")
    number, line = 5314, [5, 3, 1, 4]
    quotient, rest = divmod(number, int(seven.parameters["modulus"]))
    state = flip.graph.state((45, 6))
    options = " ".join(str(flip.graph.moves[a]) for a in flip.legal(state))
    turn = int(duel.parameters["limit"]) % 2 + 1
    return [
        f"Seven-is-Forbidden prints the game 5 3 1 4 as lost. {number} = {seven.parameters['modulus']} x {quotient} + "
        f"{rest}: under its own rule the game {result_of(seven, line)}.",
        f"Number Flip lists 1 to 5, 9 and 10 as the options at total 45 after a 6. The rules allow {options}.",
        f"Sequence Duel's dialogue asks player 2 after {duel.parameters['limit']} numbers; it is player {turn}'s turn.",
        "Avoid the Seventh calls every total but those one below a multiple of 7 safe, and advises against them; "
        "the verdict on that advice stands above.",
    ]


SECTIONS: dict[str, Callable[[], list[Finding]]] = {
    "avoid-the-seventh": avoid_the_seventh,
    "seven-is-forbidden": seven_is_forbidden,
    "sequence-duel": sequence_duel,
    "fifty-wins": fifty_wins,
    "number-flip": number_flip,
}


def facts(name: str) -> str:
    game = Audited(make_rulebook(name))
    graph, solution = game.graph, game.solution
    worth = {1: "the first player wins", 0: "nobody can force a win", -1: "the second player wins"}[
        int(solution.value[0])
    ]
    openings = " ".join(str(graph.moves[a]) for a in np.flatnonzero(solution.keeps[0]))
    end = f" in {solution.remoteness[0]} plies" if solution.value[0] else ""
    return (
        f"{graph.num_states} positions, {int(graph.legal.sum())} legal moves in them, {int(solution.critical.sum())} "
        f"critical positions. With perfect play {worth}{end}. Openings that keep this: {openings}."
    )
