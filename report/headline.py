"""The verdict on a game in one sentence that counts: who plays it perfectly, in how many runs, and who does not."""

from __future__ import annotations

from collections.abc import Sequence

from report.document import Group, PartialExam, Player

NAMED = 5  # groups of each kind that are named; of more, how many there are
SELF_EVIDENT = ("optimal", "trembling", "uniform")  # what these do is known before


def headline(
    title: str, critical: int, groups: Sequence[Group], players: Sequence[Player], exams: Sequence[PartialExam] = ()
) -> str:
    """What a reader should know after one sentence."""
    if not groups:
        return _in_part(title, exams[0]) if exams else _untrained(title, critical, players)
    whole = [group for group in groups if group.perfect == group.runs]
    others = [group for group in groups if group.perfect < group.runs]
    if not whole and len(others) == 1:
        return _alone(title, critical, others[0], players)
    failed = _listed([_counted(group, players) for group in others])
    if not whole:
        always = " in every run" if any(group.perfect for group in groups) else ""
        return f"Nobody learned to play {title} perfectly{always}: {failed}, at {critical} critical positions."
    names = _listed([group.name for group in whole], " and ")
    runs = sum(group.runs for group in whole)
    often = "" if runs == len(whole) else f" in all {runs} runs"
    plays = "plays" if len(whole) == 1 else "play"
    verdict = f"{names} {plays} {title} perfectly{often}: 0 blunders at {critical} critical positions."
    return f"{verdict} Not perfect: {failed}." if others else verdict


def _untrained(title: str, critical: int, players: Sequence[Player]) -> str:
    cards = {player.name: player.card for player in players if player.name not in SELF_EVIDENT}
    perfect = [name for name, card in cards.items() if card.perfect]
    if perfect:
        return f"{title} needs no learning: {perfect[0]} already plays it perfectly."
    name, card = min(cards.items(), key=lambda item: item[1].blunders)
    still = f"{name} still blunders at {card.blunders} of {critical} critical positions"
    return f"Untrained, nobody plays {title} perfectly: {still}."


def _in_part(title: str, exam: PartialExam) -> str:
    """An exam that asked some positions proves no perfection."""
    kept = (
        f"{exam.name} blunders at {exam.blundered} of {exam.positions} critical positions of {title} that it was asked"
    )
    return f"{kept}; {exam.not_asked} were not asked."


def _alone(title: str, critical: int, group: Group, players: Sequence[Player]) -> str:
    """One group and no other."""
    where = f"blunders at {_worst(group, players)} of {critical} critical positions."
    if group.runs == 1:
        return f"Nobody learned to play {title} perfectly; {group.name} {where}"
    return f"{group.name} plays {title} perfectly in {group.perfect} of {group.runs} runs; its worst run {where}"


def _counted(group: Group, players: Sequence[Player]) -> str:
    worst = _worst(group, players)
    blunders = f"{worst} blunder{'s' * (worst != 1)}"
    return f"{group.name} ({group.perfect} of {group.runs} runs, {'at worst ' if group.runs > 1 else ''}{blunders})"


def _listed(names: Sequence[str], last: str = ", ") -> str:
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])}, and {len(names) - NAMED} more"
    return last.join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _worst(group: Group, players: Sequence[Player]) -> int:
    return max(player.card.blunders for player in players if player.group == group.name)
