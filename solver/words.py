"""A scorecard in a few lines for people."""

from __future__ import annotations

from base.text import named
from solver import Scorecard
from solver.response import CLOSE

WIDE = 28  # of a name in a table


def describe(card: Scorecard) -> str:
    """Value kept per seat, blunders, verdicts, and when each was reached."""
    error = card.exploitability_error
    lines = [
        f"{named(card.game, card.parameters)}: {card.states} positions, {card.critical_states} of them critical",
        f"  {'blunders':17}{card.blunders} of {card.critical_states} critical positions "
        f"(accuracy {number(card.accuracy)})",
        f"  {'worst case':17}{number(card.guaranteed_first, error, '+')} moving first, "
        f"{number(card.guaranteed_second, error, '+')} moving second "
        f"(exploitability {number(card.exploitability, error)})",
    ]
    for name, results in card.versus.items():
        seats = []
        for seat, result in results.items():
            rest = f", {share(result.endless, result.error)} endless" if result.endless else ""
            rest += f", {share(result.draw, result.error)} drawn" if result.draw else ""
            seats.append(f"{share(result.win, result.error)} won{rest} moving {seat}")
        lines.append(f"  {'against ' + name:17}{'; '.join(seats)}")
    steps = {"perfect": (card.first_steps_to_perfect, card.steps_to_perfect)}
    steps["unexploitable"] = (card.first_steps_to_unexploitable, card.steps_to_unexploitable)
    for verdict, (first, sustained) in steps.items():
        lines.append(f"  {verdict:17}{_reached(getattr(card, verdict), card.steps, first, sustained)}")
    return "\n".join(lines)


def number(value: float, error: float = 0.0, sign: str = "") -> str:
    """With three digits after the point; -1, 0 and 1 are said of nothing else. An interval where the error shows."""
    if error > CLOSE:
        low, high = max(value - error, -1.0 if sign else 0.0), min(value + error, 1.0)
        return f"{low:{sign}.3f} to {high:{sign}.3f}"
    text = f"{value:{sign}.3f}"
    if float(text) == value or not float(text).is_integer():
        return text.replace("-0.000", "0.000")
    if float(text) == 0.0:
        return f"<{0.001:{sign}.3f}" if value > 0 else ">-0.001"
    return f">{0.999:{sign}.3f}" if value > 0 else "<-0.999"


def share(value: float, error: float = 0.0) -> str:
    """In percent; 0 and 100 are said of nothing else. An interval where the error shows."""
    if error > CLOSE:
        return f"{max(value - error, 0.0):.1%} to {min(value + error, 1.0):.1%}"
    text = f"{value:.1%}"
    if text == "100.0%" and value < 1:
        return ">99.9%"
    return "<0.1%" if text == "0.0%" and value > 0 else text


def _reached(verdict: bool, steps: int | None, first: int | None, sustained: int | None) -> str:
    answer = "yes" if verdict else "no"
    if steps is None:
        return answer
    if first is None:
        return f"{answer}: not reached in {steps:,} steps"
    if sustained is None:
        return f"{answer}: first reached at step {first:,}, not kept to the end ({steps:,})"
    return f"{answer}: first at step {first:,}, from step {sustained:,} on to the end ({steps:,})"


def row(card: Scorecard, name: str, wide: int = WIDE) -> str:
    """The same in one line, for a table."""
    verdict = "perfect" if card.perfect else "unexploitable" if card.unexploitable else ""
    uniform = card.versus["uniform"].values()
    beats = share(sum(result.win for result in uniform) / 2, sum(result.error for result in uniform) / 2)
    blunders = f"{card.blunders:>6} of {card.critical_states:<6}"
    given_away = number(card.exploitability, card.exploitability_error)
    marks = f"{number(card.accuracy):>8} {given_away:>14} {beats:>13}"
    return f"{name:{wide}} {blunders} {marks}  {verdict}".rstrip()


def head(wide: int = WIDE) -> str:
    return f"{'player':{wide}} {'blunders':>16} {'accuracy':>8} {'exploitability':>14} {'beats uniform':>13}"
