"""The table of results on the README, made from the tables in docs/measured/results: python -m docs.make.front_page"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from agents.fixed import safe_uniform
from base.command import run
from base.files import write_folder
from base.mistake import Mistake
from docs.make.results import other_commits
from docs.make.stored import groups, limit, load, or_never, perfect, steps_to, varying
from games import make_rulebook
from games.graph import shared_graph
from solver import scorecard

ROOT = Path(__file__).parents[2]
BETWEEN = re.compile(r"(?<=<!-- results -->\n).*?(?=<!-- /results -->)", re.DOTALL)


def table(folder: Path) -> Iterator[str]:
    """A line per game: what it is, and how PPO with its defaults fared; then how far the recipe reaches."""
    record, scaling = load(folder, "record"), load(folder, "scaling")
    if record is None:
        raise Mistake(f"{folder}: no record is stored there; make it with: make record")
    yield (
        "| game | the rule, in a line | critical positions | blunders of `safe-uniform` | PPO: perfect at the end | "
        "steps to perfect, median | limit |"
    )
    yield "|---|---|---:|---:|---:|---:|---:|"
    enough = []
    for game, rows in groups(record.rows, lambda row: row["game"]).items():
        book = make_rulebook(game)
        rule = (book.__doc__ or "").strip().rstrip(".")
        graph = shared_graph(book)
        careful = scorecard(graph, safe_uniform(graph))
        if careful.perfect:
            enough.append(f"`{game}`")
        when = or_never(steps_to(rows, "perfect").median)
        cells = [f"`{game}`", rule, rows[0]["critical_states"], careful.blunders, f"{perfect(rows)} seeds", when]
        yield f"| {' | '.join(map(str, cells))} | {limit(rows[0]):,} |"
    yield (f"\n`safe-uniform` plays any move that does not lose at once, and knows nothing else. {words_for(enough)}")
    yield "\nThe limit: the legal moves of all positions. To know them by play, each is tried; luck may be sooner."
    if scaling is not None:
        size = f"parameters.{varying(scaling)}"
        largest = max(row[size] for row in scaling.rows)
        reach = groups([row for row in scaling.rows if row[size] == largest], lambda row: row["game"])
        reached = [
            f"`{game}` {perfect(rows)} ({rows[0]['critical_states']:,} critical)" for game, rows in reach.items()
        ]
        earlier = other_commits(scaling, record)
        then = f"; measured with the recipe of {earlier}" if earlier else ""
        yield f"\nPerfect with a {varying(scaling)} of {largest:,}: {', '.join(reached)}{then}."
    yield "\nSeeds, bounds, budgets, seconds, ablation, scaling, tables: [the results](docs/measured/results.md)."


def words_for(games: list[str]) -> str:
    """Which games that rule of thumb already plays perfectly."""
    if not games:
        return "On none of these games is that enough."
    return f"On {', '.join(games)} that is perfect play already: success there proves little."


def filled(readme: str, folder: Path) -> str:
    """The README with its table made anew."""
    lines = "\n".join(table(folder)) + "\n"
    text, count = BETWEEN.subn(lambda _: lines, readme)
    if count != 1:
        raise Mistake("README.md: has not one pair of <!-- results --> and <!-- /results -->; put it back")
    return text


def main() -> int:
    readme = ROOT / "README.md"
    write_folder(
        ROOT,
        {readme.name: filled(readme.read_text(encoding="utf-8"), ROOT / "docs" / "measured" / "results")},
        "choose another folder",
    )
    print(readme.name)
    return 0


if __name__ == "__main__":
    run(main)
