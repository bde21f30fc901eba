"""Who has won, by the rewards of a foreign game: by its own words where it has some, and never by a guess."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from envs.importing.explorer import End, Exploration
from envs.importing.world import UNKNOWN, Refused
from games.rulebook import DRAW, MOVER_LOSES, MOVER_WINS

READINGS = ("mover", "first", "second", "winner", "late")
STUCK = {"loses": MOVER_LOSES, "draws": DRAW, "wins": MOVER_WINS}  # what who cannot move does
BY_SIGN = {1: int(MOVER_WINS), 0: int(DRAW), -1: int(MOVER_LOSES)}
NEAR = 0.55  # the smallest reward at an end, beside the largest, that still means the same


@dataclass(frozen=True)
class Convention:
    """What a user says about rewards; None where the env is to be read."""

    reward: str | None = None  # one of READINGS
    least: float = 0.0  # a smaller reward at an end means a draw, and on the way nothing
    stuck: str | None = None  # one of STUCK


@dataclass(frozen=True)
class Results:
    verdicts: list[int]  # of each end, told for who made the move
    closed: dict[int, int]  # positions that are ends in truth: the verdict for who moved there
    notes: list[str]


def read_endings(
    label: str, found: Exploration, convention: Convention, after: Callable[[Sequence[int]], str]
) -> Results:
    """The verdict of every end."""
    stuck = [state for state, legal in enumerate(found.legal) if not legal]
    if stuck and convention.stuck is None:
        raise Refused(
            f"{label}: {after(found.line(stuck[0]))} there is no legal move and the game is not over, so nobody says "
            "who has won; say it with --stuck loses, draws or wins"
        )
    verdicts, closed, notes = _Reader(label, found, convention, after).read()
    if stuck and not stuck[0]:
        raise Refused(f"{label}: there is no legal move at the start")
    for state in stuck:
        assert convention.stuck is not None
        closed[state] = {MOVER_LOSES: int(MOVER_WINS), MOVER_WINS: int(MOVER_LOSES), DRAW: int(DRAW)}[
            STUCK[convention.stuck]
        ]
    if stuck:
        notes.append(f"{len(stuck)} positions without a legal move: who is to move there {convention.stuck}")
    return Results(verdicts, closed, notes)


class _Reader:
    def __init__(self, label: str, found: Exploration, convention: Convention, after: Callable[[Sequence[int]], str]):
        self.label, self.found, self.convention, self.after = label, found, convention, after
        self.ends = found.ends
        self.notes: list[str] = []

    def read(self) -> tuple[list[int], dict[int, int], list[str]]:
        if not self.ends and all(self.found.legal):
            raise Refused(f"{self.label}: no line of play ever ends, so there is nothing to win")
        cut = [end for end in self.ends if end.step.truncated]
        if cut:
            self.notes.append(
                f"a limit stops play without a result in {len(cut)} places, first "
                f"{self._where(min(cut, key=lambda end: len(self.found.line(end.state))))}: counted by its reward"
            )
        kinds = {len(end.step.rewards) for end in self.ends}
        if not self.ends:
            return [], {}, self.notes
        if kinds == {2}:
            return self._pairs(), {}, self.notes
        if kinds != {1}:
            raise Refused(f"{self.label}: some moves have one reward and some have two")
        self.rewards = [self._sized(end.step.rewards[0]) for end in self.ends]
        reading = self.convention.reward
        if reading == "late":
            return self._late()
        if reading == "winner":
            return self._by_winner(), {}, self.notes
        if reading is None:
            reading = self._reading()
        pairs = zip(self.ends, self.rewards, strict=True)
        return [BY_SIGN[self._sign(end, reward, reading)] for end, reward in pairs], {}, self.notes

    # One reward for each seat.

    def _pairs(self) -> list[int]:
        way = max((max(map(abs, pair)) for pair in self.found.on_the_way), default=0.0)
        if way > self.convention.least:
            [state, move] = next(iter(self.found.on_the_way.values()))
            raise Refused(
                f"{self.label}: rewards on the way, first {self._at(state, move)}; only what is told at the end can "
                "say who has won (--least SIZE leaves out smaller ones)"
            )
        sums = {round(sum(end.step.rewards), 9): end for end in self.ends}
        if len(sums) > 1:
            one, other = list(sums.values())[:2]
            raise Refused(
                f"{self.label}: not zero-sum: {self._where(one)} the rewards are {one.step.rewards}, "
                f"{self._where(other)} {other.step.rewards}"
            )
        [total] = sums
        if all(self._sized(end.step.rewards[0] - total / 2) == 0 for end in self.ends):
            raise Refused(f"{self.label}: every end has the same rewards, so nobody says who has won")
        return [BY_SIGN[_sign(self._sized(end.step.rewards[end.seat] - total / 2))] for end in self.ends]

    # One reward, of somebody.

    def _reading(self) -> str:
        """Whose the reward is; refused where that cannot be known."""
        self._rejections()
        self._count_players_from_none()
        known = [
            (end, reward) for end, reward in zip(self.ends, self.rewards, strict=True) if self.winners[end] in (0, 1)
        ]
        decisive = [reward for reward in self.rewards if reward]
        fits = [
            reading
            for reading in ("mover", "first", "second")
            if all(self._winner_by(end, reward, reading) == self.winners[end] for end, reward in known)
        ]
        if known and not fits:
            end, reward = next(pair for pair in known if self._winner_by(*pair, "mover") != self.winners[pair[0]])
            who = ("first", "second")[int(str(self.winners[end]))]
            raise Refused(
                f"{self.label}: {self._where(end)} the reward is {reward:g} and the env names the {who} player as the "
                "winner; say which counts with --reward mover or --reward winner"
            )
        if not decisive:
            raise Refused(
                f"{self.label}: every end has the reward 0, so the env does not say who has won; "
                "say how rewards are told with --reward"
            )
        largest = max(map(abs, decisive))
        if known and all(self.winners[end] in (0, 1) for end, r in zip(self.ends, self.rewards, strict=True)
                         if abs(r) > NEAR * largest):  # fmt: skip
            self._draws_by_name(largest)
        else:
            self._sizes(decisive)
            self._rewards_on_the_way(decisive)
            self._late_flags()
        if known:
            if "mover" not in fits:
                self.notes.append(f"rewards are told for the {fits[0]} player, as the winners that the env names show")
            return "mover" if "mover" in fits else fits[0]
        if not self._scores_agree():
            self._fixed_player()
        return "mover"

    def _count_players_from_none(self) -> None:
        """Winners 0 and 1 of the players 1 and 2 are their places, not their names: a 0 that is no draw shows it."""
        self.winners: dict[End, object] = {end: end.step.winner for end in self.ends}
        largest = max(map(abs, self.rewards))
        wins = [end for end, r in zip(self.ends, self.rewards, strict=True) if abs(r) > NEAR * largest]
        if {end.step.named for end in wins} == {0, 1} and all(type(end.step.named) is int for end in wins):
            self.winners |= {end: end.step.named for end in wins}
            if any(end.step.winner is not None and end.step.named == 0 for end in wins):
                self.winners |= {end: end.step.winner for end in wins}  # 0 is a player's name

    def _draws_by_name(self, largest: float) -> None:
        """Where the env names a winner for every win, what has another reward and no winner is a draw."""
        for number, (end, reward) in enumerate(zip(self.ends, self.rewards, strict=True)):
            if reward and self.winners[end] is None:
                if abs(reward) > NEAR * largest:
                    raise Refused(f"{self.label}: {self._where(end)} the reward is {reward:g}, and nobody is named")
                self.rewards[number] = 0.0

    def _rejections(self) -> None:
        """A listed move that the env answers as it answers one that is not: with a penalty beyond any result."""
        most = max((reward for reward in self.rewards if reward > 0), default=1.0)
        for end, reward in zip(self.ends, self.rewards, strict=True):
            if reward < 0 and reward in self.found.penalty and -reward > 1.9 * most:
                raise Refused(
                    f"{self.label}: {self._before(end)} is named as legal, but step rejects it: the reward is "
                    f"{reward:g}, as for moves that are not legal"
                )

    def _sizes(self, decisive: Sequence[float]) -> None:
        sizes = sorted({abs(reward) for reward in decisive})
        if sizes[0] > NEAR * sizes[-1]:
            return
        whole = all(size == int(size) for size in sizes) and len(sizes) > 2 and not self.found.on_the_way
        if whole or self.convention.least:
            self.notes.append("rewards at the end have several sizes; they are read by their sign")
            return
        one, other = self._where(self._with(sizes[0])), self._where(self._with(sizes[-1]))
        raise Refused(
            f"{self.label}: rewards at the end have several sizes ({', '.join(f'{size:g}' for size in sizes[:6])}), "
            f"first {one} and {other}; say which mean a draw with --least SIZE (what is smaller is one), or "
            "--least 0.000001 where each is a win"
        )

    def _rewards_on_the_way(self, decisive: Sequence[float]) -> None:
        way = {abs(reward[0]): where for reward, where in self.found.on_the_way.items() if self._sized(reward[0])}
        if way and 2 * max(way) > min(map(abs, decisive)):
            state, move = way[max(way)]
            raise Refused(
                f"{self.label}: a reward of {max(way):g} on the way, {self._at(state, move)}, is as large as those of "
                "an end, so they do not say who has won; say it with --reward mover, or leave out small ones with "
                "--least SIZE"
            )
        if way:
            self.notes.append(f"rewards on the way, of {max(way):g} at most, are left out")

    def _scores_agree(self) -> bool:
        """Whether the scores that the env keeps show rewards to be the mover's; refused where they show another's."""
        known = [(end, r, end.step.scores) for end, r in zip(self.ends, self.rewards, strict=True) if end.step.scores]
        if len(known) < len(self.ends) or all(one == other for _, _, (one, other) in known):
            return False

        def agrees(reading: str, more: int) -> bool:
            for end, reward, (one, other) in known:
                sign = self._sign(end, reward, reading) * (1 if end.seat == 0 else -1)
                if sign != more * _sign(one - other):
                    return False
            return True

        seats = {end.seat for end in self.ends}
        others = [
            reading for seat, reading in enumerate(("first", "second")) if seats != {seat}
        ]  # else it is the mover's
        if agrees("mover", 1) or agrees("mover", -1):
            return not any(agrees(reading, 1) for reading in others)
        for reading in others:
            if agrees(reading, 1):
                raise Refused(
                    f"{self.label}: by the scores that the env keeps, rewards are told for the {reading} player, "
                    f"whoever moves; say so with --reward {reading}, or --reward mover"
                )
        return False

    def _fixed_player(self) -> None:
        signs = [
            {_sign(reward) for end, reward in zip(self.ends, self.rewards, strict=True) if end.seat == seat and reward}
            for seat in (0, 1)
        ]
        if signs in ([{1}, {-1}], [{-1}, {1}]):
            one, other = ("first", "second") if signs[0] == {1} else ("second", "first")
            raise Refused(
                f"{self.label}: ends by the {one} player's moves all have a reward above 0 and those by the {other}'s "
                f"below 0, so rewards may be told for the {one} player; say which with --reward mover or --reward {one}"
            )
        if signs == [set(), {1, -1}]:  # of the first player's last moves, "the mover" and "the first player" are one
            raise Refused(
                f"{self.label}: the second player makes every last move, and wins and losses have rewards of both "
                "signs, so nothing shows whose they are; say it with --reward mover, first or second"
            )

    def _late_flags(self) -> None:
        """A win that only shows when the next player moves, whatever the move: is it the mover's or the other's?"""
        wins = [end for end, reward in zip(self.ends, self.rewards, strict=True) if reward > 0]
        closed = self._closed()
        if (
            wins
            and all(end.state in closed for end in wins)
            and any(len(self.found.legal[end.state]) > 1 for end in wins)
        ):
            raise Refused(
                f"{self.label}: {self._where(wins[0])} every move ends the game with the same reward and changes "
                "nothing, as where a win is told one call late; say so with --reward late, or --reward mover"
            )

    def _closed(self) -> set[int]:
        """Positions in which every move ends the game alike."""
        found, closed = self.found, set()
        for state, targets in enumerate(found.targets):
            if targets and all(target < 0 for target in targets):
                ends = [found.ends[~target] for target in targets]
                if found.unmoved[state] and len({(end.step.rewards, end.after) for end in ends}) == 1:
                    closed.add(state)
        return closed

    def _late(self) -> tuple[list[int], dict[int, int], list[str]]:
        """Every end is told by the call after it, for who made the last move that mattered."""
        found, closed = self.found, {}
        for state in self._closed() - {0}:
            closed[state] = BY_SIGN[_sign(self._sized(found.ends[~found.targets[state][0]].step.rewards[0]))]
        if not closed:
            raise Refused(f"{self.label}: no position ends the game whatever the move, so nothing is told late; "
                          "leave out --reward late")  # fmt: skip
        self.notes.append(f"{len(closed)} positions are ends that are told one call late")
        return [BY_SIGN[_sign(reward)] for reward in self.rewards], closed, self.notes

    def _by_winner(self) -> list[int]:
        verdicts = []
        for end in self.ends:
            if end.step.winner is UNKNOWN:
                raise Refused(f"{self.label}: {self._where(end)} the env names no winner; use another --reward")
            worth = 0 if end.step.winner is None else 1 if end.step.winner == end.seat else -1
            verdicts.append(BY_SIGN[worth])
        if not any(verdict != int(DRAW) for verdict in verdicts):
            raise Refused(f"{self.label}: the env names no winner at any end; use another --reward")
        return verdicts

    # Words.

    def _winner_by(self, end: End, reward: float, reading: str) -> int | None:
        sign = self._sign(end, reward, reading)
        return None if not sign else end.seat if sign > 0 else 1 - end.seat

    def _sign(self, end: End, reward: float, reading: str) -> int:
        """The result for who moved."""
        sign = _sign(reward)
        fixed = {"first": 0, "second": 1}.get(reading, end.seat)
        return sign if fixed == end.seat else -sign

    def _sized(self, reward: float) -> float:
        return reward if abs(reward) > max(self.convention.least, 1e-9) else 0.0

    def _with(self, size: float) -> End:
        return next(end for end, reward in zip(self.ends, self.rewards, strict=True) if abs(reward) == size)

    def _where(self, end: End) -> str:
        return self._at(end.state, end.move)

    def _at(self, state: int, move: int) -> str:
        return self.after(self.found.line(state, move))

    def _before(self, end: End) -> str:
        line = self.after(self.found.line(end.state))
        return f"{line} the move {self.after([end.move]).removeprefix('after ')}"


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
