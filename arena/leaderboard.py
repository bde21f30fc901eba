"""One table over games and players: what all exams in a folder of runs have come to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from base.mistake import Mistake
from base.reading import read_json
from base.text import one_line

LARGEST_EXAM = 1 << 24  # bytes of an exam.json
WIDEST = 40  # characters of a name


@dataclass(frozen=True)
class Mark:
    """What one exam says about one player at one game."""

    player: str
    game: str
    kept: int
    asked: int
    complete: bool  # whether every critical position was asked
    perfect: bool


def marks_in(out: str | Path) -> list[Mark]:
    """The exams in a folder of runs, in the order of their places, but those that were never answered."""
    marks = []
    for file in sorted(Path(out).glob("*/*/*/exam.json")):
        try:
            mark = _mark(file.parent.parent.parent.name, read_json(file, most=LARGEST_EXAM))
        except (Mistake, KeyError, TypeError, ValueError):
            continue
        if mark.asked:
            marks.append(mark)
    return marks


def _mark(game: str, exam: Any) -> Mark:
    kept, asked = int(exam["interval"]["kept"]), int(exam["asked"])
    if not 0 <= kept <= asked or not any(exam[kind] for kind in ("legal", "illegal", "unparsable")):
        raise ValueError
    return Mark(str(exam["player"]), game, kept, asked, exam["not_asked"] == 0, exam["perfect"] is True)


def leaderboard(out: str | Path) -> str:
    """Players by the mean over games of the share of answers that keep the value; best first."""
    marks = marks_in(out)
    games = sorted({mark.game for mark in marks})
    players = {name: [mark for mark in marks if mark.player == name] for name in {mark.player for mark in marks}}
    cells = {}
    for name, own in players.items():
        cells[name] = [_cell([mark for mark in own if mark.game == game]) for game in games]
    means = {name: _mean(own, games) for name, own in players.items()}
    order = sorted(players, key=lambda name: (-len({mark.game for mark in players[name]}), -means[name], name))
    wide = max([len("player"), *(len(_name(name)) for name in order)])
    columns = [max(len(game), *(len(row[place]) for row in cells.values())) for place, game in enumerate(games)]
    heads = "  ".join(f"{game:>{width}}" for game, width in zip(games, columns, strict=True))
    lines = [f"{'player':{wide}}  {heads}  {'mean':>6}"]
    for name in order:
        row = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells[name], columns, strict=True))
        lines.append(f"{_name(name):{wide}}  {row}  {means[name]:6.3f}")
    lines.append("answers that keep the value; * every critical position asked, and perfect")
    return "\n".join(lines)


def _name(name: str) -> str:
    return one_line(name, WIDEST)


def _cell(marks: list[Mark]) -> str:
    if not marks:
        return "-"
    kept, asked = sum(mark.kept for mark in marks), sum(mark.asked for mark in marks)
    return f"{kept}/{asked}{'*' if all(mark.complete and mark.perfect for mark in marks) else ' '}"


def _mean(marks: list[Mark], games: list[str]) -> float:
    """Over the games that it sat."""
    shares = []
    for game in games:
        own = [mark for mark in marks if mark.game == game]
        if own:
            shares.append(sum(mark.kept for mark in own) / sum(mark.asked for mark in own))
    return sum(shares) / len(shares)
