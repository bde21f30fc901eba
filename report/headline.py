"""The verdict on a game in one sentence that counts: who plays it perfectly, in how many runs, and who does not."""

from __future__ import annotations

from collections.abc import Sequence

from report.document import Group, Player

NAMED = 5  # groups of each kind that are named; of more, how many there are
SELF_EVIDENT = ("optimal", "trembling", "uniform")  # what these do is known before


def headline(title: str, critical: int, groups: Sequence[Group], players: Sequence[Player]) -> str:
    """What a reader should know after one sentence."""
    if not groups:
        return _untrained(title, critical, players)
    whole = [group for group in groups if group.perfect == group.runs]
    others = [group for group in groups if group.perfect < group.runs]
    if not whole and len(others) == 1:
        return _alone(title, critical, others[0], players)
    failed = _listed([_counted(group, critical, players) for group in others])
    if not whole:
        return f"Nobody learned to play {title} perfectly in every run: {failed}."
    names = _listed([group.name for group in whole], " and ")
    runs = sum(group.runs for group in whole)
    often = "" if runs == len(whole) else f" in all {runs} runs"
    plays = "plays" if len(whole) == 1 else "play"
    verdict = f"{names} {plays} {title} perfectly{often}: 0 blunders at {critical} critical positions"
    return f"{verdict}. Not so {failed}." if others else f"{verdict}."


def _untrained(title: str, critical: int, players: Sequence[Player]) -> str:
    cards = {player.name: player.card for player in players if player.name not in SELF_EVIDENT}
    perfect = [name for name, card in cards.items() if card.perfect]
    if perfect:
        return f"{title} needs no learning: {perfect[0]} already plays it perfectly."
    name, card = min(cards.items(), key=lambda item: item[1].blunders)
    still = f"{name} still blunders at {card.blunders} of {critical} critical positions"
    return f"Untrained, nobody plays {title} perfectly: {still}."


def _alone(title: str, critical: int, group: Group, players: Sequence[Player]) -> str:
    """One group and no other."""
    where = f"at {_worst(group, players)} of {critical} critical positions{_unasked(group, critical, players)}."
    if group.perfect:
        often = f"perfectly in {group.perfect} of {group.runs} runs"
        return f"{group.name} plays {title} {often}; its worst run blunders {where}"
    blunders = "blunders" if group.runs == 1 else f"in 0 of {group.runs} runs; its worst run blunders"
    if group.runs == 1:
        return f"Nobody learned to play {title} perfectly; {group.name} {blunders} {where}"
    return f"{group.name} plays {title} perfectly {blunders} {where}"


def _counted(group: Group, critical: int, players: Sequence[Player]) -> str:
    runs = f"{group.perfect} of {group.runs} runs, worst " if group.runs > 1 else ""
    count = f"{_worst(group, players)} blunders at {critical} critical positions"
    return f"{group.name} ({runs}{count}{_unasked(group, critical, players)})"


def _listed(names: Sequence[str], last: str = ", ") -> str:
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])}, and {len(names) - NAMED} more"
    return last.join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _worst(group: Group, players: Sequence[Player]) -> int:
    return max(player.card.blunders for player in players if player.group == group.name)


def _unasked(group: Group, critical: int, players: Sequence[Player]) -> str:
    """What an exam did not ask counts as uniform play: that must stand beside the number."""
    asked = [(player.exam or {}).get("positions") for player in players if player.group == group.name]
    few = [number for number in asked if isinstance(number, int) and number < critical]
    return f" ({min(few)} were asked, the others count as uniform play)" if few else ""
