"""The figures of the results page, drawn from the stored tables of sweeps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from base.figure import COLOURS, FAINT, axes_side_by_side, per_cent, short_numbers
from docs.make.stored import Row, Stored, case, groups, load, steps_to, varying


def draw(tables: Path, folder: Path) -> list[Path]:
    """Every figure whose sweep is stored."""
    made = []
    figures = {"record": record, "ablation": ablation, "scaling": scaling, "scaling_tabular": scaling}
    for name, figure in figures.items():
        stored = load(tables, name)
        if stored is not None:
            folder.mkdir(parents=True, exist_ok=True)
            made.append(folder / f"{name}.svg")
            figure(stored, made[-1])
    return made


def record(stored: Stored, file: Path) -> None:
    """Survival curves: the share of seeds that are not yet perfect for good."""
    games = groups(stored.rows, lambda row: row["game"])
    with axes_side_by_side([file], 1, (8.6, 3.6)) as (axes,):
        budget = max(row["steps"] or 1 for row in stored.rows)
        least = min((row["steps_to_perfect"] for row in stored.rows if row["steps_to_perfect"]), default=1)
        for colour, (game, rows) in zip(COLOURS * len(games), games.items(), strict=False):
            when = steps_to(rows, "perfect")
            times, shares = [0.0, *when.times, budget], [1.0, *when.waiting, *(when.waiting or (1.0,))[-1:]]
            label = f"{game}\n{when.arrived} of {when.runs} seeds perfect at the end"
            axes.step(times, shares, where="post", color=colour, linewidth=2, label=label, clip_on=False)
        axes.set_xscale("symlog", linthresh=least)  # some are perfect before the first step
        axes.set(xlim=(0, budget), ylim=(0, 1.04), xlabel="steps (plies of self-play)")
        axes.xaxis.set_major_formatter(short_numbers())
        axes.yaxis.set_major_formatter(per_cent())
        axes.set_title("Seeds that are not yet perfect for good")
        axes.grid(axis="y")
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), labelspacing=0.9, fontsize=9)


def ablation(stored: Stored, file: Path) -> None:
    """One dot a seed: the share of critical positions where the greedy policy blunders at the end."""
    games = groups(stored.rows, lambda row: row["game"])
    cases = list(groups(stored.rows, case))
    with axes_side_by_side([file], len(games), (8.6, 0.6 + 0.29 * len(cases))) as panels:
        for axes, (game, rows) in zip(panels, games.items(), strict=True):
            for place, runs in enumerate(groups(rows, case).get(name, []) for name in cases):
                shares = [_blundering(row) for row in runs]
                perfect = sum(row["perfect"] is True for row in runs)
                colour = COLOURS[0] if runs and perfect == len(runs) else COLOURS[1]
                spread = [place + 0.36 * (n / max(len(runs) - 1, 1) - 0.5) for n in range(len(runs))]
                axes.scatter(shares, spread, s=14, color=colour, alpha=0.75, linewidth=0, clip_on=False)
                axes.text(1.03, place, f"{perfect}/{len(runs)}", va="center", color=colour, fontsize=9)
            axes.axhspan(-0.5, 0.5, color="#f3f3f3", zorder=0)
            axes.set(xlim=(-0.02, 1), ylim=(len(cases) - 0.5, -0.5), xlabel="critical positions where it blunders")
            axes.xaxis.set_major_formatter(per_cent())
            axes.set_yticks(range(len(cases)), cases)
            axes.tick_params(axis="y", length=0)
            axes.grid(axis="x")
            axes.set_title(game)
            axes.text(1.03, -0.75, "perfect", fontsize=8, color=FAINT, va="center")


def scaling(stored: Stored, file: Path) -> None:
    """Steps to perfect against the size of the game; a seed that never got there is a cross at its budget."""
    games, size = groups(stored.rows, lambda row: row["game"]), varying(stored)
    agents = list(groups(stored.rows, lambda row: row["agent"]))
    with axes_side_by_side([file], len(games), (8.6, 4.2)) as panels:
        for axes, (game, rows) in zip(panels, games.items(), strict=True):
            for place, agent in enumerate(agents):
                runs = [row for row in rows if row["agent"] == agent]
                _line_of(
                    axes,
                    runs,
                    f"parameters.{size}",
                    COLOURS[place % len(COLOURS)],
                    agent,
                    1.03 ** (place - len(agents) // 2),
                )
            sizes = sorted({row[f"parameters.{size}"] for row in rows})
            axes.set(xscale="log", yscale="log", xlabel=size)
            axes.set_xticks(sizes, [f"{value:,}" for value in sizes])
            axes.minorticks_off()
            axes.grid()
            axes.set_title(game)
            axes.yaxis.set_major_formatter(short_numbers())
        panels[0].set_ylabel("steps to perfect, for good")
        panels[-1].scatter((), (), s=28, color=FAINT, marker="x", linewidth=1.2, label="never: at its budget")
        panels[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=9)


def _line_of(axes: Any, rows: Sequence[Row], key: str, colour: str, agent: str, aside: float) -> None:
    """The medians as a line and the seeds as dots, a little aside so that agents do not cover each other."""
    sizes = groups(rows, lambda row: row[key])
    medians = {value: steps_to(runs, "perfect").median for value, runs in sizes.items()}
    known = sorted(value for value, median in medians.items() if math.isfinite(median) and median > 0)
    axes.plot([v * aside for v in known], [medians[v] for v in known], color=colour, linewidth=2, label=agent)
    there = [(row[key] * aside, row["steps_to_perfect"]) for row in rows if row["steps_to_perfect"]]
    never = [(row[key] * aside, row["steps"]) for row in rows if row["steps_to_perfect"] is None and row["steps"]]
    axes.scatter(*zip(*there, strict=True) if there else ((), ()), s=14, color=colour, alpha=0.6, linewidth=0)
    axes.scatter(*zip(*never, strict=True) if never else ((), ()), s=28, color=colour, marker="x", linewidth=1.2)


def _blundering(row: Row) -> float:
    return row["blunders"] / row["critical_states"] if row["critical_states"] else math.nan
