"""The page about the players that need no training: python -m docs.make.players > docs/measured/players.md"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from agents import baseline_names, mcts, player, uniform
from base.command import run
from games import compile_rulebook, make_rulebook, rulebook_names
from solver import scorecard
from solver.words import number, share

SEARCH_SEEDS = 10


def page() -> Iterator[str]:
    """Every such player, on every game; the search over several seeds."""
    yield "# Players that need no training\n"
    yield "Exact, over every reachable position. Made by `python -m docs.make.players`. `mcts-N` searches each position"
    yield f"with N simulations (UCT, random games at the leaves); means over {SEARCH_SEEDS} seeds."
    for name in rulebook_names():
        graph = compile_rulebook(make_rulebook(name))
        card = scorecard(graph, uniform(graph))
        yield f"\n## {name}: {card.states} states, {card.critical_states} critical\n"
        yield "| player | blunders | accuracy | exploitability | wins against uniform | perfect |"
        yield "|---|---|---|---|---|---|"
        for who in baseline_names(graph):
            searching = who.startswith("mcts-")
            seeds = range(SEARCH_SEEDS if searching else 1)
            made = [mcts(graph, int(who[5:]), seed=seed) if searching else player(who, graph) for seed in seeds]
            cards = [scorecard(graph, policy) for policy in made]
            mean = statistics.fmean
            wins = mean(result.win for card in cards for result in card.versus["uniform"].values())
            numbers = f"{mean(c.blunders for c in cards):.1f} | {number(mean(c.accuracy for c in cards))}"
            given_away = number(mean(c.exploitability for c in cards), max(c.exploitability_error for c in cards))
            verdict = f"{sum(card.perfect for card in cards)} of {len(cards)}"
            yield f"| {who} | {numbers} | {given_away} | {share(wins)} | {verdict} |"


def main() -> int:
    for line in page():
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    run(main)
