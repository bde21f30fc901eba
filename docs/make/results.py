"""The results page, docs/measured/results.md, with its figures: made from sweeps, no number typed by hand.

python -m docs.make.results                       from the tables that are stored in docs/measured/results
python -m docs.make.results sweeps/record ...     after storing the tables of these sweeps there
"""

from __future__ import annotations

import math
import re
import statistics
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from base.command import Parser, run
from base.files import write_folder
from base.mistake import unknown
from docs.make.stored import (
    Row,
    Stored,
    case,
    groups,
    limit,
    load,
    or_never,
    perfect,
    seconds_to,
    steps_to,
    store,
    varying,
)
from report.statistics import CONFIDENCE, lower_bound

HERE = Path(__file__).parents[1] / "measured"
OF_PPO = ("ablation", "scaling", "views")  # sweeps whose rows are read beside the record
ABOUT = """Every number here is exact for the run it belongs to: the greedy policy is compared with the certified
solution at every reachable position. What varies is the seed. Made by `make results`, which runs the sweeps in
`configs/sweeps`; `python -m docs.make.results` makes this page again from the tables stored in [results](results).
*Perfect*: no blunder at any critical position, at the **end of the budget**. *Steps to perfect*: the evaluation from
which on every later one was perfect too. *Median* (Kaplan-Meier) and *worst* are over seeds; *never* where half of the
runs, or one of them, did not get there. *Limit*: the legal moves of all positions together; whoever knows the game from
playing alone has tried each of them once; by luck one may be perfect a little sooner."""


def page(folder: Path) -> Iterator[str]:
    """The lines of the page."""
    yield "# Results\n"
    yield _text(ABOUT)
    sections = {name: load(folder, name) for name in SECTIONS}
    for name, (title, section) in SECTIONS.items():
        yield f"\n## {title}\n"
        if (stored := sections[name]) is None:
            yield f"Not measured yet: `python sweep.py configs/sweeps/{name}.toml`."
            continue
        if name in OF_PPO and (earlier := other_commits(stored, sections["record"])):
            yield _text(
                f"Measured at {earlier}, the record at another commit: a default is that of its commit, and these rows "
                "are not to be set beside the record. `make results` measures all of them anew.\n"
            )
        yield from section(stored)
        lost = [row for row in stored.rows if row["status"] != "finished"]
        if lost:
            yield f"\n{len(lost)} of {len(stored.rows)} runs did not finish and count as not perfect, the first with:"
            yield f"`{lost[0]['run']}: {lost[0]['error'] or lost[0]['status']}`."
    if measured := [stored for stored in sections.values() if stored is not None]:
        yield "\n## Where the numbers come from"
        yield from _origins(measured)


def other_commits(stored: Stored, record: Stored | None) -> str:
    """The commits that a sweep was measured at, if those are not the record's; else nothing."""
    commits = stored.origin["commit"]
    if record is None or commits == record.origin["commit"]:
        return ""
    return "commit " + ", ".join(f"`{str(commit)[:12]}`" for commit in commits)


def record(stored: Stored) -> Iterator[str]:
    games = groups(stored.rows, lambda row: (row["game"], row["agent"]))
    seeds = sorted({row["seed"] for row in stored.rows})
    critical = sum(rows[0]["critical_states"] or 0 for rows in games.values())
    clean = sum(all(row["perfect"] for row in rows) for rows in games.values())
    yield _text(
        f"`python train.py --env GAME` as it is, with seeds {_spoken(seeds)}: all of them, none tuned on. Together the "
        f"games have {critical:,} critical positions. Every seed ended perfect on {clean} of {len(games)} games."
    )
    steps = ["steps to unexploitable: median", "worst", "steps to perfect: median", "worst"]
    bounded = f"one-sided {CONFIDENCE:.0%} lower bound"
    yield from _head("game", "critical", "perfect at the end", bounded, *steps, "limit")
    for (game, _), rows in games.items():
        bound = lower_bound(sum(row["perfect"] is True for row in rows), len(rows))
        when = [steps_to(rows, verdict) for verdict in ("unexploitable", "perfect")]
        cells = [or_never(value) for one in when for value in (one.median, one.worst)]
        yield _line([game, rows[0]["critical_states"], perfect(rows), f"{bound:.1%}", *cells, f"{limit(rows[0]):,}"])
    yield ""
    yield _text(
        "The bound is Clopper and Pearson's: were the true share of perfect seeds lower than it, a result as good as "
        f"this one would have a chance of at most {1 - CONFIDENCE:.0%}."
    )
    seconds = ["seconds to unexploitable: median", "worst", "to perfect: median", "worst"]
    yield from _head("game", *seconds, "whole run: median", "worst", "CPU seconds: median")
    for (game, _), rows in games.items():
        when = [seconds_to(rows, verdict) for verdict in ("unexploitable", "perfect")]
        cells = [_seconds(value) for one in when for value in (one.median, one.worst)]
        cells += [_seconds(_median(rows, "seconds")), _seconds(_worst(rows, "seconds"))]
        yield _line([game, *cells, _seconds(_median(rows, "cpu_seconds"))])
    yield ""
    together = f", {stored.origin['workers']} runs at a time" if "workers" in stored.origin else ""
    yield _text(
        f"Seconds are wall time of training with its exact evaluations{together}, whoever else was at work on the "
        "machine; CPU seconds are what a run takes of one core."
    )
    yield ""
    yield "![How many seeds are not yet perfect, by steps](figures/record.svg)"


def ablation(stored: Stored) -> Iterator[str]:
    shares = any(row.get("illegal_share") is not None for row in stored.rows)
    yield "One thing changed at a time, all else as in the record, equal steps; the row of SB3's defaults changes all"
    yield "that SB3 sets otherwise. The judged policy is always masked."
    if shares:
        yield "*Illegal*: the share of illegal moves that the bare network would play, over positions with a legal one."
    columns = ["perfect", "blunders left: median", "worst", "steps to perfect: median", "limit", "CPU s"]
    for game, runs in groups(stored.rows, lambda row: row["game"]).items():
        yield f"\n### {game}: {runs[0]['critical_states']} critical positions"
        yield from _head("changed", *columns, *(["illegal"] if shares else []))
        for label, rows in groups(runs, case).items():
            cells = [label, perfect(rows), _number(_median(rows, "blunders")), _number(_worst(rows, "blunders"))]
            cells += [or_never(steps_to(rows, "perfect").median), f"{limit(rows[0]):,}"]
            cells += [_seconds(_median(rows, "cpu_seconds"))]
            yield _line([*cells, *([_percent(_median(rows, "illegal_share"))] if shares else [])])
    yield "\n![Blunders left at the end, one dot a seed](figures/ablation.svg)"


def scaling(stored: Stored) -> Iterator[str]:
    size = varying(stored)
    yield _text(
        f"The same games with a larger {size}: more positions, and perfect play has further to spread. Budgets and "
        f"settings are those of `configs/sweeps/{stored.name}.toml`; steps are plies for PPO, updates for the others."
    )
    columns = ["critical", "limit", "budget", "perfect", "blunders left: worst", "steps to perfect: median", "worst"]
    yield from _head("game", "agent", size, *columns, "CPU s: median", "worst")
    sizes = groups(stored.rows, lambda row: (row["game"], row["agent"], row[f"parameters.{size}"]))
    for (game, agent, value), rows in sorted(sizes.items(), key=lambda item: item[0]):
        when = steps_to(rows, "perfect")
        critical, budget = rows[0]["critical_states"] or 0, _worst(rows, "steps") or 0
        cells = [game, agent, f"{value:,}", f"{critical:,}", f"{limit(rows[0]):,}", or_never(budget)]
        cells += [perfect(rows), _number(_worst(rows, "blunders")), or_never(when.median), or_never(when.worst)]
        yield _line([*cells, _seconds(_median(rows, "cpu_seconds")), _seconds(_worst(rows, "cpu_seconds"))])
    yield f"\n![Steps to perfect play by size of the game](figures/{stored.name}.svg)"


def views(stored: Stored) -> Iterator[str]:
    yield _text(
        "The games without an end, unfolded: every total up to a bound is a position of its own, a move beyond it a "
        "draw, and nothing tells the network that totals with the same remainder play alike."
    )
    columns = [
        "positions",
        "critical",
        "perfect",
        "blunders left: median",
        "worst",
        "steps to perfect: median",
        "limit",
    ]
    yield from _head("game", "observation", *columns)
    seen = groups(stored.rows, lambda row: (row["game"], row.get("settings.observation")))
    for (game, observation), rows in seen.items():
        cells = [game, observation, rows[0]["states"], rows[0]["critical_states"], perfect(rows)]
        cells += [_number(_median(rows, "blunders")), _number(_worst(rows, "blunders"))]
        yield _line([*cells, or_never(steps_to(rows, "perfect").median), f"{limit(rows[0]):,}"])


def tabular(stored: Stored) -> Iterator[str]:
    yield _text(
        "The learners that keep a table of values, with their default settings, and value iteration, which plans. "
        "Steps are updates. *First*: the first evaluation that was perfect, whether it lasted or not."
    )
    yield from _head("game", "agent", "perfect", "first: median", "steps to perfect: median", "worst", "limit", "CPU s")
    for (game, agent), rows in groups(stored.rows, lambda row: (row["game"], row["agent"])).items():
        first, when = steps_to(rows, "perfect", "first_"), steps_to(rows, "perfect")
        cells = [game, agent, perfect(rows), or_never(first.median), or_never(when.median)]
        yield _line([*cells, or_never(when.worst), f"{limit(rows[0]):,}", _seconds(_median(rows, "cpu_seconds"))])


def learners(stored: Stored) -> Iterator[str]:
    yield _text("Our other learners with their default settings. Steps are plies.")
    yield from _head("game", "limit", "agent", "perfect", "steps to perfect: median", "worst", "of the limit", "CPU s")
    for (game, agent), rows in groups(stored.rows, lambda row: (row["game"], row["agent"])).items():
        when, pairs = steps_to(rows, "perfect"), limit(rows[0])
        cells = [game, f"{pairs:,}", agent, perfect(rows), or_never(when.median), or_never(when.worst)]
        yield _line([*cells, _times(when.worst, pairs), _seconds(_median(rows, "cpu_seconds"))])


def search(stored: Stored) -> Iterator[str]:
    yield _text(
        "Expert iteration by how often a search goes down from a position, beside learners with the same network that "
        "do not search: once for as many plies, once for about as many CPU seconds. The network alone is judged."
    )
    columns = ["plies", "CPU s: median", "worst", "perfect", "blunders left: median", "worst"]
    for game, runs in groups(stored.rows, lambda row: row["game"]).items():
        yield f"\n### {game}: {runs[0]['critical_states']} critical positions"
        yield from _head("learner", *columns, "steps to perfect: median", "worst", "limit")
        for label, rows in groups(runs, case).items():
            when = steps_to(rows, "perfect")
            cells = [label, or_never(_worst(rows, "steps") or 0), _seconds(_median(rows, "cpu_seconds"))]
            cells += [_seconds(_worst(rows, "cpu_seconds")), perfect(rows)]
            cells += [_number(_median(rows, "blunders")), _number(_worst(rows, "blunders"))]
            yield _line([*cells, or_never(when.median), or_never(when.worst), f"{limit(rows[0]):,}"])


SECTIONS: dict[str, tuple[str, Callable[[Stored], Iterator[str]]]] = {  # by the name of the sweep
    "record": ("The record: PPO on every game", record),
    "ablation": ("What each part of the recipe is good for", ablation),
    "scaling": ("How it scales", scaling),
    "views": ("Can it find the remainder by itself?", views),
    "tabular": ("Tabular learners", tabular),
    "scaling_tabular": ("How tables scale", scaling),
    "learners": ("DQN, expert iteration, and the learner near the limit", learners),
    "search": ("What search adds", search),
}


def _origins(sweeps: Sequence[Stored]) -> Iterator[str]:
    yield from _head("sweep", "runs", "command", "commit", "tables")
    for stored in sweeps:
        changed = ", changed since" if any(stored.origin["changed_since_commit"]) else ""
        commits = ", ".join(f"`{str(commit)[:12]}`" for commit in stored.origin["commit"])
        tables = f"[results](results/{stored.name}.csv), [times](results/{stored.name}.times.csv)"
        yield _line([stored.name, len(stored.rows), f"`{stored.origin['command']}`", commits + changed, tables])
    yield ""
    for what in ("versions", "machine"):
        origins = [", ".join(f"{k} {v}" for k, v in one.items()) for stored in sweeps for one in stored.origin[what]]
        yield _text(f"- {what}: {'; or '.join(dict.fromkeys(origins))}", "  ")


def _median(rows: Sequence[Row], key: str) -> float | None:
    values = [row[key] for row in rows if row.get(key) is not None]
    return statistics.median(values) if values else None


def _worst(rows: Sequence[Row], key: str) -> float | None:
    return max((row[key] for row in rows if row.get(key) is not None), default=None)


def _text(words: str, indent: str = "") -> str:
    whole = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), words)  # code stays on one line
    filled = textwrap.fill(whole, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return filled.replace("\0", " ")


def _head(*names: str) -> Iterator[str]:
    yield ""
    yield _line(names)
    yield "|" + "---|" * len(names)


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _seconds(seconds: float | None) -> str:
    return "?" if seconds is None else "never" if math.isinf(seconds) else f"{seconds:.1f}"


def _times(steps: float, pairs: int) -> str:
    return "never" if math.isinf(steps) else f"{steps / pairs:.1f} times"


def _number(number: float | None) -> str:
    return "?" if number is None else f"{number:g}"


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{share:.1%}"


def _spoken(seeds: Sequence[int]) -> str:
    whole = list(seeds) == list(range(seeds[0], seeds[-1] + 1))
    return f"{seeds[0]} to {seeds[-1]}" if whole and len(seeds) > 1 else ", ".join(map(str, seeds))


def main() -> int:
    arguments = Parser(
        prog="python -m docs.make.results", description=(__doc__ or "").splitlines()[0], allow_abbrev=False
    )
    arguments.add_argument("sweeps", nargs="*", metavar="SWEEP", help="folders of sweeps whose tables are stored first")
    arguments.add_argument(
        "--docs", metavar="DIR", default=HERE, type=Path, help="where the page goes (default: docs/measured)"
    )
    args = arguments.parse_args()
    for sweep in map(Path, args.sweeps):
        if sweep.name not in SECTIONS:
            raise unknown("python -m docs.make.results", "section for a sweep", sweep.name, SECTIONS)
        store(sweep, args.docs / "results")

    from docs.make import figures

    lines = list(page(args.docs / "results"))
    figures.draw(args.docs / "results", args.docs / "figures")
    write_folder(args.docs, {"results.md": "\n".join(lines) + "\n"}, "choose another folder")
    print(args.docs / "results.md")
    return 0


if __name__ == "__main__":
    run(main)
