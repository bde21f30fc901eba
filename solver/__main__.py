"""python -m solver --env NAME: the facts of a game, or, after some moves, the value of every legal move."""

from __future__ import annotations

from base.command import Parser, prog, run
from base.mistake import Mistake
from base.text import named
from games.find import add_game_arguments, chosen_rulebook
from games.graph import GameGraph, compile_rulebook
from games.rulebook import DRAW, MOVER_LOSES, MOVER_WINS
from solver.export import export
from solver.lines import best_line, line
from solver.values import Solution, solve

WORTH = {1: "wins", 0: "holds", -1: "loses"}
MOVER = {1: "won for the mover", 0: "neither side can force a win", -1: "lost for the mover"}
LONGEST_LINE = 100  # moves that are shown of an optimal line
VERDICT = {int(MOVER_WINS): "wins at once", int(MOVER_LOSES): "loses at once", int(DRAW): "draws at once"}


def main() -> int:
    parser = Parser(prog=prog("solve"), description="Solves a game and says what perfect play is.")
    add_game_arguments(parser)
    parser.add_argument("--at", metavar='"8 7"', help="the moves so far; prints the value of every legal move then")
    parser.add_argument("--export", metavar="FILE.json", help="write the solution for examples/check_solution.mjs")
    args = parser.parse_args()
    book = chosen_rulebook(args)
    graph = compile_rulebook(book)
    state = 0 if args.at is None else graph.follow(book.moves_in(args.at))
    if state < 0:
        raise Mistake(f"--at {args.at}: the last of these moves ends the game ({VERDICT[state]}); leave it out")
    solution = solve(graph)
    print("\n".join(_after(graph, solution, state) if args.at is not None else _facts(graph, solution)))
    if args.export is not None:
        export(graph, solution, args.export)
        print(f"exported to {args.export}; check it with: node examples/check_solution.mjs {args.export}")
    return 0


def _facts(graph: GameGraph, solution: Solution) -> list[str]:
    value, legal = solution.value, int(graph.legal.sum())
    openings = line(graph, solution.keeps[0].nonzero()[0].tolist())
    counts = ", ".join(f"{(value == kind).sum()} {name}" for kind, name in ((1, "won"), (0, "held"), (-1, "lost")))
    return [
        named(graph.game, graph.parameters),
        f"value            {value[0]:+d}: {MOVER[int(value[0])]}{_distance(solution, 0)}",
        f"optimal openings {openings or 'none'}",
        f"states           {graph.num_states}: {counts}",
        f"legal moves      {legal}, of which {int(solution.keeps.sum())} keep the value",
        f"critical states  {int(solution.critical.sum())}",
        f"longest win      {solution.remoteness.max(initial=0)} plies",
        f"an optimal line  {_line(graph, solution)}",
    ]


def _after(graph: GameGraph, solution: Solution, state: int) -> list[str]:
    value = int(solution.value[state])
    lines = [f"{graph.words(state)}: {value:+d}, {MOVER[value]}{_distance(solution, state)}"]
    for action in graph.legal[state].nonzero()[0].tolist():
        after = int(graph.next_state[state, action])
        what = VERDICT[after] if after < 0 else f"{WORTH[-int(solution.value[after])]}{_distance(solution, after, 1)}"
        lines.append(f"{graph.name_of(action):>6} {'keeps  ' if solution.keeps[state, action] else 'blunder'} {what}")
    return lines if len(lines) > 1 else [*lines, "no legal move"]


def _distance(solution: Solution, state: int, more: int = 0) -> str:
    plies = int(solution.remoteness[state]) + more
    return f", in {plies} {'ply' if plies == 1 else 'plies'}" if solution.value[state] else ""


def _line(graph: GameGraph, solution: Solution) -> str:
    """The winner hurries, the loser delays, the lowest such move; until the end or a position that was there before."""
    moves, endless = best_line(graph, solution, 0)
    names = line(graph, [graph.action(move) for move in moves[:LONGEST_LINE]])
    if len(moves) > LONGEST_LINE:
        return f"{names} ... ({len(moves):,} moves)"
    return names + (" ... and so on for ever" if endless else "")


if __name__ == "__main__":
    run(main)
