"""The report as one HTML file that needs nothing else: no server, no network, no script but its own.

Text from outside gets into the page in two ways only: through Jinja with autoescape on, and as JSON in a block that no
browser executes. The one script is named by its hash in the page's content security policy, so no other ever runs.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from report import charts, tables, texts
from report.data import as_json

TEMPLATES = Path(__file__).parent / "templates"
EXAM_COUNTS = ("asked", "legal", "illegal", "unparsable", "late", "crashed")
SCRIPTS = ("core.js", "tabs.js", "map.js", "blunders.js", "play.js", "start.js")


def page(data: dict[str, Any]) -> str:
    """The whole page."""
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _environment().get_template("page.html.j2").render(
        data=data,
        verdicts=[tables.verdicts(game) for game in data["games"]],
        charts=[charts.charts(game) for game in data["games"]],
        picture=_picture(data),
        comparison=texts.comparison_rows(data["comparison"]) if data["comparison"] else None,
        style=Markup(_read("page.css")),
        script=Markup(script),
        digest=digest,
        embedded=Markup(embedded(data)),
    )  # fmt: skip


def embedded(data: dict[str, Any]) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or begin another."""
    text = as_json(data)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _picture(data: dict[str, Any]) -> dict[str, Any]:
    """Agents by games: a lane for each that plays it."""
    rows: dict[str, list[Any]] = {}
    games = [tables.verdicts(game) for game in data["games"]]
    names = [(row["learned"], row["name"]) for verdicts in games for row in verdicts]
    baselines = [name for learned, name in names if not learned]
    order = [name for learned, name in names if learned] + sorted(set(baselines), key=_rank(baselines))
    for name in dict.fromkeys(order):
        rows[name] = [next((row for row in verdicts if row["name"] == name), None) for verdicts in games]
    floors = [
        next(
            (p["card"]["accuracy"] for p in game["players"] if p["kind"] == "baseline" and p["name"] == "uniform"), 0.0
        )
        for game in data["games"]
    ]
    return {"rows": rows, "floors": floors}


def _rank(names: list[str]) -> Any:
    """The order in which every game lists its baselines, tips beside the plain players."""
    from agents.players import FIXED

    def key(name: str) -> tuple[int, int, str]:
        if name in ("trembling", "optimal"):
            return (3, list(FIXED).index(name), name)
        if name.startswith("mcts-"):
            return (2, int(name[5:]), name)
        return (0, list(FIXED).index(name), name) if name in FIXED else (1, names.index(name), name)

    return key


@cache
def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "exact": tables.exact,
        "percent": tables.percent,
        "count": tables.count,
        "hundredths": tables.hundredths,
        "interval": tables.interval,
        "badge": tables.badge,
        "beats": tables.beats,
        "pretty": lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    }
    found.globals |= {"head": tables.HEAD, "frame": charts, "exam_counts": EXAM_COUNTS}
    return found


def _script() -> str:
    parts = "\n".join(_read(name) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")
