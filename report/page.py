"""The report as one HTML file that needs nothing else: no server, no network, no script but its own.

Text from outside gets into the page in two ways only: through Jinja with autoescape on, and as JSON in a block that no
browser executes. The one script is named by its hash in the page's content security policy, so no other ever runs.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from base.printable import printable
from report import charts, tables, texts
from report.document import Game, Report, as_json
from report.tables import Row

TEMPLATES = Path(__file__).parent / "templates"
EXAM_COUNTS = ("asked", "legal", "illegal", "unparsable", "late", "crashed", "not_asked")
SCRIPTS = ("core.js", "tabs.js", "map.js", "blunders.js", "play.js", "start.js")


@dataclass(frozen=True)
class Picture:
    """Players by games: a lane for each player of each game that it plays."""

    lanes: dict[str, list[Row | None]]
    floors: list[float]  # the accuracy of uniform play


def page(report: Report) -> str:
    """The whole page."""
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _environment().get_template("page.html.j2").render(
        report=report,
        verdicts=[tables.verdicts(game) for game in report.games],
        charts=[charts.charts(game) for game in report.games],
        anchors=anchors(report),
        picture=_picture(report),
        comparison=texts.comparison_rows(report.comparison) if report.comparison else None,
        undecided=texts.undecided(report.comparison) if report.comparison else [],
        style=Markup(_read("page.css")),
        script=Markup(script),
        digest=digest,
        embedded=Markup(embedded(report)),
    )  # fmt: skip


def embedded(report: Report) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or begin another."""
    text = as_json(report)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def anchors(report: Report) -> list[str]:
    """The name of each game in addresses: "number-flip,target=20"."""
    return [re.sub(r"[^\w=,.-]+", "", game.id.replace(", ", ",")) or f"game-{k}" for k, game in enumerate(report.games)]


def _picture(report: Report) -> Picture:
    games = [tables.verdicts(game) for game in report.games]
    rows = [row for verdicts in games for row in verdicts]
    learned = dict.fromkeys(row.name for row in rows if row.learned)
    baselines = dict.fromkeys(row.name for row in rows if not row.learned)
    names = [*learned, *(name for name in sorted(baselines, key=_rank(list(baselines))) if name not in learned)]
    lanes = {name: [next((row for row in verdicts if row.name == name), None) for verdicts in games] for name in names}
    floors = [
        next((p.card.accuracy for p in game.players if p.kind == "baseline" and p.name == "uniform"), 0.0)
        for game in report.games
    ]
    return Picture(lanes, floors)


def _rank(names: list[str]) -> Any:
    """The order in which every game lists its baselines, tips beside the plain players."""
    from agents.players import FIXED

    def key(name: str) -> tuple[int, int, str]:
        if name in ("trembling", "optimal"):
            return (3, ["trembling", "optimal"].index(name), name)
        if name.startswith("mcts-"):
            return (2, int(name[5:]), name)
        return (0, list(FIXED).index(name), name) if name in FIXED else (1, names.index(name), name)

    return key


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: printable(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "exact": tables.exact,
        "signed": tables.signed,
        "percent": tables.percent,
        "count": tables.count,
        "hundredths": tables.hundredths,
        "interval": tables.interval,
        "badge": tables.badge,
        "beats": tables.beats,
        "moves": _moves,
        "pretty": lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    }
    environment.globals |= {"head": tables.HEAD, "frame": charts, "exam_counts": EXAM_COUNTS}
    return environment


def _moves(moves: Sequence[int], game: Game) -> str:
    """Several moves by their names: "8 7 9", or "take 3, take 1" where names have spaces."""
    names = [game.move_names[move] for move in moves]
    return (", " if any(" " in name for name in names) else " ").join(names)


def _script() -> str:
    parts = "\n".join(_read(name) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")
