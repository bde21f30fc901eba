"""Every position of a foreign game, by trying every legal move in each: breadth first, checking what is assumed.

First some lines are played at random, to learn what the env is like: whether the same moves lead to the same state,
who moves, what only grows, which way of coming back to a position is true. Then all positions are walked.
"""

from __future__ import annotations

import random
import re
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from envs.importing.conventions import who_moves
from envs.importing.identity import Identity, growing
from envs.importing.python_world import Stirred
from envs.importing.world import UNKNOWN, Refused, Step, World

LINES, LONGEST_LINE = 20, 100  # of random play, to learn what the env is like
LEARNING_SECONDS = 6.0
REPEATED = 6  # of these lines are played again with other seeds
COMPARED = 6  # and by the way of coming back that is to be trusted
FEW = 3_000  # states up to which everything that grows is simply kept
VARIANTS = 2  # of a position that are compared move for move
PROVING_LINES, FEWEST_PROOFS, LONGEST_PROOF, PROVING_SECONDS = (
    300,
    5,
    1_000,
    1.0,
)  # of random play at the end, where something was left out
UNIQUE = re.compile(r"[0-9a-fA-F-]{32,36}")  # a name that is made to be the only one of its kind
DICE = 2**32  # a whole number of such a size may be the state of a generator
DOUBTING_SECONDS = 0.2  # of the same where nothing was
ATTEMPTS = 40  # identities that are tried
RETRIED = 0.05  # of the positions: every move is made twice; all of them where the game draws from a generator
ALWAYS_RETRIED = 100
LISTENING = 8  # positions from one look at the generators to the next
SOON = (2.0, 3_000, 30.0)  # seconds and positions after which a game is refused that is this much too large


@dataclass(frozen=True)
class Budget:
    states: int = 500_000
    seconds: float = 600.0


@dataclass(frozen=True)
class End:
    """How one move ended the game."""

    state: int
    move: int
    seat: int  # of who moved
    step: Step
    after: int  # tells ends apart: equal for equal states


@dataclass
class Exploration:
    """What was found: positions are numbered as they were met, the start is 0."""

    seats: list[int] = field(default_factory=list)
    legal: list[tuple[int, ...]] = field(default_factory=list)
    targets: list[list[int]] = field(default_factory=list)  # a state, or ~number of an end
    parents: list[tuple[int, int]] = field(default_factory=list)
    keys: list[Hashable] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    observations: list[Any] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    on_the_way: dict[tuple[float, ...], tuple[int, int]] = field(
        default_factory=dict
    )  # rewards that end nothing: where
    penalty: set[float] = field(default_factory=set)  # rewards of moves that are not legal
    unmoved: dict[int, bool] = field(default_factory=dict)  # where every move ends the game: whether none changes more
    known_mover: bool = True
    left_out: str = ""
    seconds: float = 0.0
    steps: int = 0

    def line(self, state: int, *more: int) -> list[int]:
        moves: list[int] = []
        while state:
            state, move = self.parents[state]
            moves.append(move)
        return [*reversed(moves), *more]


class Mismatch(Exception):
    """Two states that were taken for one position behave differently: what of them was left out."""

    def __init__(self, one: Hashable, other: Hashable) -> None:
        self.one, self.other = one, other


Told = Callable[[int, int, float], None]  # positions, positions that wait, seconds


def explore(
    world: World, budget: Budget, *, observations: bool = False, alternate: bool = False, mover: str | None = None,
    told: Told = lambda states, waiting, seconds: None,
) -> Exploration:  # fmt: skip
    """Everything that can happen in this game; Refused where it is not what it has to be."""
    began = time.monotonic()
    explorer = Explorer(world, budget, observations, began, told)
    grows = explorer.learn(mover, alternate)
    found = explorer.search(grows)
    found.seconds = time.monotonic() - began
    return found


class Explorer:
    def __init__(self, world: World, budget: Budget, observations: bool, began: float, told: Told) -> None:
        self.world, self.budget, self.observations, self.began, self.told = world, budget, observations, began, told
        self.began_working = time.process_time()
        self.chance = random.Random(0)
        self.names: Sequence[str] = []
        self.draws = False  # whether the game has drawn from a generator while it was played
        self.known_mover = True

    # Learning what the env is like.

    def learn(self, mover: str | None, alternate: bool) -> dict[str, bool]:
        world, began = self.world, time.monotonic()
        world.restart()  # the first asking is a search for whom to ask
        self._leave_out_dice()
        lines: list[list[int]] = []
        histories: list[list[dict[str, Hashable]]] = []
        told: list[list[dict[str, Hashable]]] = []
        records: list[list[tuple[Any, ...]]] = []
        while len(lines) < LINES and (len(lines) < REPEATED or time.monotonic() - began < LEARNING_SECONDS):
            moves, record, history, values = self._random_line()
            lines.append(moves)
            records.append(record)
            histories.append(history)
            told.append(values)
            if time.monotonic() - began > LEARNING_SECONDS and len(lines) >= 3:
                break
        self.names = world.names()
        for number, (moves, record) in enumerate(zip(lines[:REPEATED], records, strict=False)):
            self._same_again(moves, record, seed=number + 1)
        if alternate:
            world.learn(None, ())
            self.known_mover = False
        else:
            world.restart()
            path, seats, _ = who_moves([line for line in told if len(line) > 1] or told, mover)
            if path is None and world.seat() is None:
                self._nobody_moves(mover)
            elif path is not None:
                world.learn(path, seats)
                world.notes.append(f"{path} says whose turn it is")
        world.settle([[dict(moment[2]) for moment in record] for record in records])
        world.restart()
        self.stillness = world.still()
        self._choose_way(lines, records)
        return growing(histories)

    def _leave_out_dice(self) -> None:
        """A large number that every seed makes another is a generator's state, and belongs to no position; nor does
        what every start makes another though the seed is the same: the time, a name by chance.
        """
        starts = []
        for seed in (1, 1, 2):
            self.world.restart(seed)
            starts.append(self.world.parts())
        one, same, other = starts
        dice = [n for n, value in one.items() if _is_dice(value) and other.get(n) != value]
        self.world.leave_out([*dice, *(n for n, value in one.items() if _is_stamp(value) and same.get(n) != value)])

    def _nobody_moves(self, mover: str | None) -> None:
        if mover is not None:
            raise Refused(
                f"{self.world.label}: {mover} does not tell two players apart; name what says whose turn it is"
            )
        raise Refused(
            f"{self.world.label}: nothing in it says whose turn it is, so it may play the other side itself; "
            "name what says it with --mover NAME, or --mover alternate where two players take turns"
        )

    def _random_line(self) -> tuple[list[int], list[tuple[Any, ...]], list[Any], list[Any]]:
        """One line of random play from a new start: moves, what happened, the states and the values told on the way."""
        world = self.world
        world.restart()
        moves: list[int] = []
        self._ask(world.parts(), moves)
        record: list[tuple[Any, ...]] = [self._moment(None)]
        history, told = [dict(world.parts())], [dict(world.told())]
        while len(moves) < LONGEST_LINE:
            legal = self._ask(world.parts(), moves)
            if not legal:
                break
            move = self.chance.choice(legal)
            before = world.dice()
            step = self._step(move, moves)
            self.draws = self.draws or world.dice() != before
            moves.append(move)
            record.append(self._moment(step))
            if step.over:
                break
            history.append(dict(world.parts()))
            told.append(dict(world.told()))
        return moves, record, history, told

    def _moment(self, step: Step | None) -> tuple[Any, ...]:
        over = step is not None and step.over
        legal = () if over else tuple(self.world.legal())
        outcome = None if step is None else (step.over, step.rewards, step.truncated)
        return outcome, legal, tuple(sorted(self.world.parts().items(), key=lambda pair: pair[0]))

    def _step(self, move: int, before: Sequence[int]) -> Step:
        try:
            return self.world.step(move)
        except Refused:
            raise
        except (TypeError, AttributeError, AssertionError, ValueError, KeyError) as error:
            wants = getattr(self.world, "wants_numpy", None)
            if not before and wants is not None and wants():
                self.world.restart()
                return self._step(move, before)
            raise self._rejects(move, before, f"{type(error).__name__}: {error}") from error
        except Exception as error:
            raise self._rejects(move, before, f"{type(error).__name__}: {error}") from error

    def _rejects(self, move: int, before: Sequence[int], how: str) -> Refused:
        return Refused(f"{self.world.label}: {self.after(before)} the move {self.name(move)} is named as legal, but "
                       f"step rejects it ({how.strip()[:120]})")  # fmt: skip

    def _same_again(self, moves: Sequence[int], record: Sequence[tuple[Any, ...]], seed: int) -> None:
        """Play a line again with another seed: everything has to be as it was."""
        world = self.world
        world.restart(seed)
        for ply in range(len(moves) + 1):
            moment = self._moment(None) if not ply else self._moment(self._step(moves[ply - 1], moves[: ply - 1]))
            if moment == record[ply]:
                continue
            what = self._difference(moment, record[ply])
            if not ply:
                raise Refused(f"{world.label}: its set-up is random: with another seed {what}; it takes a fixed start")
            raise Refused(
                f"{world.label}: random: {self.after(moves[: ply - 1])} the move {self.name(moves[ply - 1])} does not "
                f"always lead to the same ({what})"
            )

    def _difference(self, one: tuple[Any, ...], other: tuple[Any, ...]) -> str:
        if one[0] != other[0]:
            return "another reward or end"
        names = [a[0] for a, b in zip(one[2], other[2], strict=False) if a != b]
        return f"{', '.join(names[:3])} differs" if names else "other moves are legal"

    def _choose_way(self, lines: Sequence[list[int]], records: Sequence[list[tuple[Any, ...]]]) -> None:
        """The first way of coming back to a position that does what a replay of the moves does."""
        world = self.world
        for way in world.ways:
            world.way = way
            try:
                if way == world.ways[-1] or self._way_is_true(lines, records):
                    if way != world.ways[0]:
                        world.notes.append(f"positions are come back to by {way}, as copies lose some of the state")
                    return
            except Refused:
                raise
            except Exception:  # whatever cannot be copied
                continue

    def _way_is_true(self, lines: Sequence[list[int]], records: Sequence[list[tuple[Any, ...]]]) -> bool:
        world = self.world
        for moves, record in list(zip(lines, records, strict=True))[:COMPARED]:
            world.restart()
            saved = []
            for ply, move in enumerate(moves[:40]):
                here = world.save()
                saved.append(here)
                legal = world.legal()
                for other in (self.chance.choice(legal), self.chance.choice(legal)):
                    world.load(here)
                    world.step(other)
                world.load(here)
                if not self._agree(self._moment(world.step(move)), record[ply + 1]):
                    return False
            for ply in self.chance.sample(range(len(saved)), min(4, len(saved))):
                world.load(saved[ply])
                if not self._agree(self._moment(world.step(moves[ply])), record[ply + 1]):
                    return False
        return True

    @staticmethod
    def _agree(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
        """Whether two moments agree in all that is looked at; a record made before holds more."""
        more = dict(other[2])
        return one[:2] == other[:2] and all(more.get(name) == value for name, value in one[2])

    # The search.

    def search(self, grows: dict[str, bool]) -> Exploration:
        """All positions; what grows is kept if there are few, else left out as far as nothing shows that it matters."""
        if not grows:
            return self._known_whole(self.budget.states)
        try:
            return self._known_whole(min(FEW, self.budget.states))
        except TooMany:
            pass
        waiting, tried, last = [Identity.without(grows)], set[Any](), None
        while waiting and len(tried) < ATTEMPTS:
            waiting.sort(key=lambda identity: identity.cost)
            identity = waiting.pop(0)
            if identity.levels in tried:
                continue
            tried.add(identity.levels)
            try:
                found = self._walk(identity, self.budget.states)
                if not identity.is_whole:
                    self._prove(identity, found, max(PROVING_SECONDS, 0.2 * (time.monotonic() - self.began)))
                    found.left_out = identity.words()
                return found
            except Mismatch as mismatch:
                waiting += identity.raised(mismatch.one, mismatch.other)
            except TooMany as many:
                last = many
                if not waiting:
                    break
        raise last or TooMany(f"{self.world.label}: no finite set of positions was found: {', '.join(grows)} "
                              "grow and matter; bound them, or leave them out of the env")  # fmt: skip

    def _known_whole(self, most: int) -> Exploration:
        """All positions where nothing is left out, compared with some games from the start all the same."""
        found = self._walk(Identity(), most)
        try:
            self._prove(Identity(), found, DOUBTING_SECONDS)
        except Mismatch:
            raise Refused(
                f"{self.world.label}: a game played from the start goes on otherwise than its positions say: some of "
                "its state lies where it is not seen; keep all of it in attributes"
            ) from None
        return found

    def _walk(self, identity: Identity, most: int) -> Exploration:
        """All positions; once more with everything copied where something changes that never did before."""
        try:
            return self._walk_once(identity, most)
        except Stirred:
            self.world.unsettle()
            self.stillness = self.world.still()
        return self._walk_once(identity, most)

    def _walk_once(self, identity: Identity, most: int) -> Exploration:
        world, found = self.world, Exploration(known_mover=self.known_mover)
        index: dict[Hashable, int] = {}
        kept: list[Hashable] = []
        variants: dict[int, list[tuple[Any, Hashable]]] = {}
        compared: dict[int, int] = {}
        queue: deque[tuple[int, Any]] = deque()
        levels, level_start, level_end = [1], 0, 1
        after_ends: dict[Hashable, int] = {}

        def arrive(parent: int, move: int, ply: int) -> int:
            parts = world.parts()
            cut, rest = identity.key(parts)
            seat = world.seat() if self.known_mover else ply % 2
            key = cut if self.known_mover else (seat, cut)
            state = index.get(key)
            if state is not None:
                if rest != kept[state] and compared.get(state, 0) < (VARIANTS if len(compared) < FEW else 1):
                    compared[state] = compared.get(state, 0) + 1
                    if tuple(world.legal()) != found.legal[state]:
                        raise Mismatch(kept[state], rest)
                    variants.setdefault(state, []).append((world.save(), rest))
                    if state < len(found.targets):
                        self._compare(found, state, variants.pop(state), kept[state], index, identity)
                return state
            state = len(index)
            if state >= most:
                raise TooMany(self._too_many(found, levels, most))
            index[key] = state
            found.parents.append((parent, move))
            found.seen.append(hash(world.seen()))
            found.observations.append(world.observation() if self.observations else None)
            legal = self._ask(parts, found.line(state))
            found.seats.append(seat if seat is not None else ply % 2)
            found.legal.append(tuple(legal))
            found.keys.append(key if self.known_mover else cut)
            kept.append(rest)
            queue.append((state, world.save()))
            return state

        world.restart()
        arrive(0, 0, 0)
        plies, dice = [0], world.dice()
        while queue:
            state, saved = queue.popleft()
            if state >= level_end:
                levels.append(len(index) - level_end)
                level_start, level_end = level_end, len(index)
            row: list[int] = []
            afters: list[Any] = []
            for move in found.legal[state]:
                world.load(saved)
                step = self._stepped(move, found, state)
                found.steps += 1
                if step.complaint:
                    raise self._rejects(move, found.line(state), step.complaint)
                if not step.over:
                    target = arrive(state, move, plies[state] + 1)
                    if target == len(plies):
                        plies.append(plies[state] + 1)
                    if target == state and found.seats[target] == found.seats[state]:
                        raise self._rejects(move, found.line(state), "nothing changes, and the same player is to move")
                    row.append(target)
                    if any(step.rewards):
                        found.on_the_way.setdefault(step.rewards, (state, move))
                else:
                    after = identity.key(world.parts())[0]
                    number = after_ends.setdefault(after, len(after_ends))
                    afters.append(after)
                    row.append(~len(found.ends))
                    found.ends.append(End(state, move, found.seats[state], step, number))
            if afters and len(afters) == len(row):  # every move ends the game: does any change anything?
                before = _without_flags(found.keys[state])
                found.unmoved[state] = all(_without_flags(after) == before for after in afters)
            found.targets.append(row)
            drawn = self.draws
            if state < ALWAYS_RETRIED or state % LISTENING == 0:
                now = world.dice()
                self.draws = drawn = drawn or now != dice
                dice = now
            if state < ALWAYS_RETRIED or self.draws or self.chance.random() < RETRIED:
                self._retry(found, state, saved, index, identity, 6 if drawn else 1)
                self._probe(found, state, saved)
                if world.still() != self.stillness:
                    raise Stirred
            if state in variants:
                self._compare(found, state, variants.pop(state), kept[state], index, identity)
            done, size = state + 1 - level_start, level_end - level_start
            if state % 256 == 0 and 8 * done > size:  # of this ply enough to say how many the next one will have
                self._too_large([*levels, (len(index) - level_end) * size // done], len(index))
            if state % 256 == 0:
                seconds = time.monotonic() - self.began
                self.told(len(index), len(queue), seconds)
                if seconds > self.budget.seconds:
                    raise Refused(f"{self._too_many(found, levels, most)}; {self.budget.seconds:g} seconds are over; "
                                  "allow more with --max-seconds")  # fmt: skip
        return found

    def _stepped(self, move: int, found: Exploration, state: int) -> Step:
        try:
            return self.world.step(move)
        except Refused:
            raise
        except Exception as error:
            raise self._rejects(move, found.line(state), f"{type(error).__name__}: {error}") from error

    def _ask(self, parts: Any, line: list[int]) -> list[int]:
        """The legal moves, asked twice: asking must change nothing, and get the same answer."""
        world = self.world
        legal = world.legal()
        after = world.parts()
        again = world.legal()
        if again != legal:
            raise Refused(f"{world.label}: {self.after(line)} asking for the legal moves twice gets two answers")
        if after == parts:
            return legal
        if world.parts() != after:
            raise Refused(
                f"{world.label}: {self.after(line)} asking for the legal moves changes the game "
                f"({', '.join(n for n in after if after[n] != parts.get(n))})"
            )
        self._asking_is_harmless(line, legal)
        return legal

    def _asking_is_harmless(self, line: list[int], legal: list[int]) -> None:
        """What asking has changed, as a cache, must make no difference to any move."""
        world = self.world
        here = world.save()
        way = world.way
        for move in legal[:8]:
            answers = []
            for asks in (False, True):
                world.restart()
                for earlier in line:
                    world.step(earlier)
                if asks:
                    world.legal()
                step = world.step(move)
                answers.append((step, () if step.over else world.legal()))
            if answers[0] != answers[1]:
                raise Refused(f"{world.label}: {self.after(line)} asking for the legal moves changes what "
                              f"{self.name(move)} does")  # fmt: skip
        world.way = way
        world.load(here)

    def _retry(self, found: Exploration, state: int, saved: Any, index: Any, identity: Identity, times: int) -> None:
        """Every move once more, or several times where dice were heard: it has to do what it did."""
        world = self.world
        for move, target in zip(found.legal[state], found.targets[state], strict=True):
            for _ in range(times):
                world.load(saved)
                step = self._stepped(move, found, state)
                if target < 0:
                    same = step == found.ends[~target].step
                else:
                    cut = identity.key(world.parts())[0]
                    key = cut if self.known_mover else (1 - found.seats[state], cut)
                    same = not step.over and index.get(key) == target
                    same = same and (times == 1 or tuple(world.legal()) == found.legal[target])
                if not same:
                    raise Refused(
                        f"{world.label}: random: {self.after(found.line(state))} the move {self.name(move)} does not "
                        "always lead to the same"
                    )

    def _probe(self, found: Exploration, state: int, saved: Any) -> None:
        """What the env answers to a move that is not legal: rewards that mean a rejection."""
        others = [move for move in range(len(self.names)) if move not in found.legal[state]]
        if not others or state >= ALWAYS_RETRIED:
            return
        self.world.load(saved)
        try:
            step = self.world.step(self.chance.choice(others))
        except Exception:  # an env may well raise here
            return
        if len(step.rewards) == 1 and step.rewards[0] < 0:
            found.penalty.add(step.rewards[0])

    def _compare(
        self, found: Exploration, state: int, others: list[tuple[Any, Hashable]], kept: Hashable, index: Any,
        identity: Identity,
    ) -> None:  # fmt: skip
        """Other states that were taken for this position must do the same on every move."""
        world = self.world
        for saved, rest in others:
            for move, target in zip(found.legal[state], found.targets[state], strict=True):
                world.load(saved)
                step = self._stepped(move, found, state)
                if not self._as_known(found, step, target, 1 - found.seats[state], index, identity):
                    raise Mismatch(kept, rest)

    def _as_known(self, found: Exploration, step: Step, target: int, seat: int, index: Any, identity: Identity) -> bool:
        if target < 0:
            end = found.ends[~target].step
            return (step.over, step.rewards, step.truncated) == (end.over, end.rewards, end.truncated)
        if step.over:
            return False
        cut = identity.key(self.world.parts())[0]
        known: bool = index.get(cut if self.known_mover else (seat, cut)) == target
        return known

    def _prove(self, identity: Identity, found: Exploration, seconds: float = PROVING_SECONDS) -> None:
        """Long lines of random play must do what was found, though something was left out."""
        world, until, ended = self.world, time.process_time() + seconds, False
        for number in range(PROVING_LINES):
            if time.process_time() > until and number >= FEWEST_PROOFS:
                break
            world.restart()
            state, plies = 0, 0
            while plies < LONGEST_PROOF:
                if tuple(world.legal()) != found.legal[state]:
                    raise Mismatch(None, None)
                if not found.legal[state]:
                    break
                places: Sequence[int] = range(len(found.legal[state]))
                if number % 2:  # as long as possible, to meet what only long play shows
                    places = [place for place in places if found.targets[state][place] >= 0] or places
                place = self.chance.choice(places)
                step = self._stepped(found.legal[state][place], found, state)
                target = found.targets[state][place]
                plies += 1
                if target < 0 or step.over:
                    ended = True
                    if target >= 0 or step.rewards != found.ends[~target].step.rewards or not step.over:
                        raise Mismatch(None, None)
                    break
                state = target
        if not ended and not identity.is_whole:  # nothing was seen of how games end
            raise Mismatch(None, None)

    # Budgets and words.

    def _too_large(self, levels: list[int], total: int) -> None:
        """Refuse soon what grows far beyond the budget: the growth of the last plies, slowing down as it has done."""
        seconds, least, factor = SOON
        elapsed = time.process_time() - self.began_working
        if elapsed < seconds or total < least or len(levels) < 5 or levels[-1] <= levels[-2]:
            return
        growth = levels[-1] / levels[-2]
        slowing = min(1.0, growth / max(levels[-2] / levels[-3], 1e-9))
        size, expected = float(levels[-1]), float(sum(levels))
        for _ in range(200):
            growth *= slowing
            size *= growth
            expected += size
            if growth < 1.02 or expected > 1e12:
                break
        if expected > factor * self.budget.states:
            counts = ", ".join(f"{count:,}" for count in levels[-4:])
            raise Refused(
                f"{self.world.label}: too large: {total:,} positions after {len(levels) - 2} moves in {elapsed:.0f} s "
                f"(the last plies: {counts}), and about {expected:.0e} in all at this growth, some "
                f"{expected * elapsed / total / 3600:,.0f} hours; {self.budget.states:,} are allowed "
                "(--max-states); make the game smaller"
            )

    def _too_many(self, found: Exploration, levels: list[int], most: int) -> str:
        seconds = max(time.monotonic() - self.began, 1e-9)
        return (
            f"{self.world.label}: more than {len(found.legal):,} positions after {len(levels)} moves, at "
            f"{len(found.legal) / seconds:,.0f} a second; {most:,} are allowed (--max-states)"
        )

    def after(self, moves: Sequence[int]) -> str:
        if not moves:
            return "at the start"
        said = " ".join(self.name(move) for move in moves[-30:])
        return f"after {'... ' if len(moves) > 30 else ''}{said}"

    def name(self, move: int) -> str:
        if not self.names or move >= len(self.names):
            self.names = self.world.names()
        return self.names[move]


class TooMany(Refused):
    """More positions than are allowed."""


def _is_dice(value: object) -> bool:
    return type(value) is int and abs(value) >= DICE


def _is_stamp(value: object) -> bool:
    return (type(value) is float and value > 1e6) or (isinstance(value, str) and bool(UNIQUE.fullmatch(value)))


FLAGS = ("done", "over", "winner", "terminat", "truncat", "finish", "reward", "ended", "active", "result", "status",
         "info", "mask", "legal", "valid", "message", "last")  # fmt: skip


def _without_flags(key: Any) -> tuple[Any, ...]:
    """The state of a key without what only says that the game is over."""
    return tuple(part for part in key if not any(flag in part[0].lower() for flag in FLAGS))


__all__ = ["UNKNOWN", "Budget", "End", "Exploration", "explore"]
