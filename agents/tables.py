"""Generated pages about players and tabular learners: python -m agents.tables players|seeds|scaling > docs/PAGE.md"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from agents.fixed import uniform
from agents.mcts import mcts
from agents.players import baseline_names, player
from agents.settings import AGENTS, resolve
from agents.training import learn
from games import compile_rulebook, make_rulebook, rulebook_names
from games.command import Parser, run
from solver import scorecard

COLUMNS = "| agent | budget | ever perfect | sustained | first: median | worst | sustained: median | worst |"
TABULAR = [name for name, kind in AGENTS.items() if kind.learner.startswith("agents.tabular:")]
TARGETS = (50, 100, 200, 500, 1000)
SCALING_SEEDS = 10
SEARCH_SEEDS = 10
SEEDS = 30
BUDGETS = {50: 4_000_000, 100: 6_000_000, 200: 10_000_000, 500: 20_000_000, 1000: 50_000_000}  # updates, by target


def players() -> Iterator[str]:
    """Every player that needs no training, on every game; the search over several seeds."""
    yield "# Players that need no training\n"
    yield "Exact, over every reachable position. Made by `python -m agents.tables players`. `mcts-N` searches each"
    yield f"position with N simulations (UCT, random games at the leaves); means over {SEARCH_SEEDS} seeds."
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
            numbers = f"{mean(c.blunders for c in cards):.1f} | {mean(c.accuracy for c in cards):.3f}"
            verdict = f"{sum(card.perfect for card in cards)} of {len(cards)}"
            yield f"| {who} | {numbers} | {mean(c.exploitability for c in cards):.3f} | {wins:.1%} | {verdict} |"


def seeds() -> Iterator[str]:
    """The tabular learners with their defaults: how many seeds become perfect and stay so, and when."""
    yield "# Tabular learners with their default settings\n"
    yield f"Seeds 0 to {SEEDS - 1}, all of them. Made by `python -m agents.tables seeds`. Steps are updates. Sustained:"
    yield "perfect at that evaluation and at every later one, to the end of the budget (100 evaluations a run).\n"
    yield f"| game {COLUMNS}"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name in rulebook_names():
        for agent in TABULAR:
            yield f"| {name} | {agent} | {_study(name, agent, {}, None, SEEDS)} |"


def scaling() -> Iterator[str]:
    """Steps to perfect as the races grow."""
    yield "# How the tabular learners scale\n"
    yield f"Targets {TARGETS}; seeds 0 to {SCALING_SEEDS - 1}; default settings but for the budget. Made by"
    yield "`python -m agents.tables scaling`. Steps are updates. A run that never got there counts as infinite, so a"
    yield "median or worst of 'never' says that half of the runs, or one of them, did not.\n"
    yield f"| game | target | critical {COLUMNS}"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for name in rulebook_names():
        if "target" not in make_rulebook(name).parameters:
            continue
        for target in TARGETS:
            graph = compile_rulebook(make_rulebook(name, target=target))
            critical = scorecard(graph, uniform(graph)).critical_states
            for agent in TABULAR:
                study = _study(name, agent, {"target": target}, BUDGETS[target], SCALING_SEEDS)
                yield f"| {name} | {target} | {critical} | {agent} | {study} |"


def _study(name: str, agent: str, parameters: dict[str, int], steps: int | None, count: int) -> str:
    records = []
    graph = compile_rulebook(make_rulebook(name, **parameters))
    for seed in range(count):
        changes = {} if steps is None else {"steps": steps}
        settings = resolve(env=name, agent=agent, seed=seed, parameters=parameters, changes=changes)
        records.append(learn(settings, graph))
    cells = [f"{settings.options.steps:,}"]
    kinds = [[record.first("perfect") for record in records], [record.sustained("perfect") for record in records]]
    cells += [f"{sum(steps is not None for steps in kind)} of {count}" for kind in kinds]
    for kind in kinds:
        known = sorted(float("inf") if steps is None else float(steps) for steps in kind)
        cells += [_steps(known[len(known) // 2]), _steps(known[-1])]
    return " | ".join(cells)


def _steps(value: float) -> str:
    return "never" if value == float("inf") else f"{value:,.0f}"


PAGES = {"players": players, "seeds": seeds, "scaling": scaling}


def main() -> int:
    parser = Parser(prog="python -m agents.tables", description="Prints a generated page.")
    parser.add_argument("page", choices=sorted(PAGES), help="which one")
    for line in PAGES[parser.parse_args().page]():
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    run(main)
