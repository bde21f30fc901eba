"""A scorecard in a few lines for people."""

from __future__ import annotations

from solver import Scorecard

WIDE = 28  # of a name in a table


def describe(card: Scorecard) -> str:
    """Value kept per seat, blunders, verdicts, and when each was reached."""
    given = ", ".join(f"{key}={value}" for key, value in card.parameters.items())
    lines = [
        f"{card.game} ({given}): {card.states} positions, {card.critical_states} of them critical",
        f"  {'blunders':17}{card.blunders} of {card.critical_states} critical positions (accuracy {card.accuracy:.3f})",
        f"  {'worst case':17}{card.guaranteed_first:+.3f} moving first, {card.guaranteed_second:+.3f} moving second "
        f"(exploitability {card.exploitability:.3f})",
    ]
    for name, results in card.versus.items():
        seats = []
        for seat, result in results.items():
            rest = f", {share(result.endless)} endless" if result.endless else ""
            rest += f", {share(result.draw)} drawn" if result.draw else ""
            seats.append(f"{share(result.win)} won{rest} moving {seat}")
        lines.append(f"  {'against ' + name:17}{'; '.join(seats)}")
    steps = {"perfect": (card.first_steps_to_perfect, card.steps_to_perfect)}
    steps["unexploitable"] = (card.first_steps_to_unexploitable, card.steps_to_unexploitable)
    for verdict, (first, sustained) in steps.items():
        lines.append(f"  {verdict:17}{_reached(getattr(card, verdict), card.steps, first, sustained)}")
    return "\n".join(lines)


def share(value: float) -> str:
    """In percent; 0 and 100 are said of nothing else."""
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
    beats = sum(result.win for result in card.versus["uniform"].values()) / 2
    blunders = f"{card.blunders:>6} of {card.critical_states:<6}"
    marks = f"{card.accuracy:8.3f} {card.exploitability:14.3f} {share(beats):>13}"
    return f"{name:{wide}} {blunders} {marks}  {verdict}".rstrip()


def head(wide: int = WIDE) -> str:
    return f"{'player':{wide}} {'blunders':>16} {'accuracy':>8} {'exploitability':>14} {'beats uniform':>13}"
