"""The numbers of a report as people read them: one way to round, for the page, the Markdown and the LaTeX alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from report.document import Game, Group, Mean, PartialExam, Player
from solver import Scorecard
from solver.response import CLOSE
from solver.words import share

HEAD = {
    "name": "player",
    "runs": "runs",
    "perfect": "perfect",
    "blunders": "blunders",
    "accuracy": "accuracy",
    "exploitability": "exploitability",
    "beats": "beats uniform",
    "steps": "steps to perfect",
    "limit": "limit",
    "seconds": "seconds",
}
NONE = "–"


@dataclass(frozen=True)
class Row:
    """A group of runs or a baseline: the numbers that are drawn, and the cells as they are written."""

    name: str
    learned: bool
    verdict: str  # "perfect", "unexploitable", "exploitable", "sometimes" perfect, or "unknown"
    dots: list[tuple[float, str]]  # accuracy and verdict of its runs, each place once
    span: tuple[float, float] | None  # where the accuracy lies that a sample could not tell better
    cells: dict[str, str]  # by the keys of HEAD


def exact(value: float | None, digits: int = 3, error: float = 0.0) -> str:
    """Rounded, but never to a 0 or a 1 that it is not; 0 has no sign. An interval where the error shows."""
    if value is None:
        return NONE
    if error > CLOSE:
        return f"{exact(max(value - error, 0.0), digits)} to {exact(min(value + error, 1.0), digits)}"
    size, sign = abs(value), "−" if value < 0 else ""
    text = f"{size:.{digits}f}"
    small = 10**-digits
    if float(text) == 0.0:
        return text if size == 0.0 else f"{'>' if sign else '<'}{sign}{small:.{digits}f}"
    if float(text) == 1.0 and size < 1.0:
        return f"{'<' if sign else '>'}{sign}{1 - small:.{digits}f}"
    return sign + text


def signed(value: float | None, digits: int = 3, error: float = 0.0) -> str:
    """The same with a plus sign before what is above 0."""
    if value is not None and error > CLOSE:
        return f"{signed(max(value - error, -1.0), digits)} to {signed(min(value + error, 1.0), digits)}"
    text = exact(value, digits)
    return f"+{text}" if value is not None and value > 0 and text[0] not in "<>" else text


def percent(value: float | None) -> str:
    return NONE if value is None else share(value)


def hundredths(value: float) -> str:
    """A share of 100 for a narrow cell: 0 and 100 without a decimal are exact."""
    return f"{100 * value:.0f}" if value in (0.0, 1.0) else percent(value).removesuffix("%")


def count(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def interval(measure: Mean, digits: int = 3) -> str:
    """The interquartile mean, and its interval where there is one."""
    show = count if digits == 0 else exact
    text = show(measure.iqm)
    if measure.low is None or measure.low == measure.high:
        return text
    return f"{text} [{show(measure.low)}, {show(measure.high)}]"


def badge(card: Scorecard) -> str:
    return "perfect" if card.perfect else "unexploitable" if card.unexploitable else "exploitable"


def beats(card: Scorecard, opponent: str = "uniform") -> float:
    """How often it beats that opponent, mean over the seats."""
    return float(sum(result.win for result in card.versus[opponent].values()) / 2)


def verdicts(game: Game) -> list[Row]:
    """A row for each group of runs and each baseline."""
    rows = [_row(group.name, [p for p in game.players if p.group == group.name], group) for group in game.groups]
    for row in rows:
        row.cells["limit"] = f"{game.legal_moves:,}"
    rows += [_partial_row(exam) for exam in game.asked_in_part]
    return rows + [_row(player.name, [player], None) for player in game.players if player.group is None]


def _row(name: str, players: Sequence[Player], group: Group | None) -> Row:
    cards = [player.card for player in players]
    first, critical = cards[0], cards[0].critical_states
    perfect = sum(card.perfect for card in cards)
    safe = sum(card.unexploitable for card in cards)
    verdict = "perfect" if perfect == len(cards) else "unexploitable" if safe == len(cards) else "exploitable"
    if 0 < perfect < len(cards):
        verdict = "sometimes"
    won = [beats(card) for card in cards]
    cells = {
        "name": name,
        "runs": "",
        "perfect": badge(first),
        "blunders": f"{first.blunders} of {critical}",
        "accuracy": exact(first.accuracy),
        "exploitability": exact(first.exploitability, error=first.exploitability_error),
        "beats": percent(sum(won) / len(won)),
        "steps": "",
        "limit": "",
        "seconds": "",
    }
    if group is not None:
        cells |= {
            "runs": str(len(cards)),
            "steps": _middle([card.steps_to_perfect for card in cards]),
            "seconds": _middle([player.seconds_to_perfect for player in players], 1),
        }
    if group is not None and len(cards) > 1:
        cells |= {
            "perfect": f"{perfect} of {len(cards)} perfect",
            "blunders": f"{interval(group.blunders, 0)} of {critical}",
            "accuracy": interval(group.accuracy),
            "exploitability": interval(group.exploitability),
        }
    dots = sorted({(card.accuracy, badge(card)) for card in cards})
    return Row(name, group is not None, verdict, dots, None, cells)


def _partial_row(exam: PartialExam) -> Row:
    """What an exam in part proves; what it leaves open is called unknown."""
    least = exam.exploitability_at_least
    span = None if exam.low is None or exam.high is None else (exam.low, exam.high)
    cells = {
        "name": exam.name,
        "runs": "1",
        "perfect": "unknown" if not exam.blundered else "exploitable" if least else "not perfect",
        "blunders": f"{exam.blundered} of {exam.positions} asked; {exam.not_asked} not asked",
        "accuracy": f"{exact(span[0])} to {exact(span[1])}" if span else "unknown",
        "exploitability": f"at least {exact(least)}" if least else "unknown",
        "beats": "unknown",
        "steps": "",
        "limit": "",
        "seconds": "",
    }
    return Row(exam.name, True, "exploitable" if exam.blundered else "unknown", [], span, cells)


def _middle(values: Sequence[float | None], digits: int = 0) -> str:
    """The median; a run that never got there counts as infinite."""
    ranked = sorted(float("inf") if value is None else float(value) for value in values)
    middle = ranked[(len(ranked) - 1) // 2]
    return NONE if middle == float("inf") else f"{middle:,.{digits}f}"
