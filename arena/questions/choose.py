"""Which positions are asked about: balanced by difficulty at every level, with guessing held down at every length.

A question goes to the family that lags most behind its weight; there to the band of remoteness that was used least, in
it to the band of the share of keeping moves, then of depth, then to the member. Uniform play may never expect more than
the set allows: a position where it would earn more waits until the questions before have left room for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from arena.questions.draws import Bag, Draws
from arena.questions.member import Member, member
from arena.questions.sets import Family, QuestionSet

REMOTENESS = (1, 3, 7, 15, 31)  # plies to the end, up to and with each; positions that nobody can win are a band too
KEPT = (Fraction(1, 16), Fraction(1, 10), Fraction(3, 20), Fraction(1, 4), Fraction(1, 2))  # share of keeping moves
DEPTHS = 3  # early, middle, late: thirds of the longest of the shortest lines


@dataclass
class _Node:
    """Positions that are alike so far, split once more below, or in a bag at the end."""

    most: Fraction = Fraction(0)  # that uniform play expects at any of them
    used: int = 0
    below: dict[int, _Node] = field(default_factory=dict)
    bag: Bag | None = None
    places: np.ndarray | None = None  # of the bag's numbers among the critical states of the member

    def draw(self, room: Fraction, draws: Draws) -> tuple[list[int], int] | None:
        """The way down and the place there, where uniform play expects no more than `room`; None if there is none."""
        if self.bag is not None and self.places is not None:
            if not self.bag.left or self.most > room:
                return None
            self.used += 1
            return [], int(self.places[self.bag.draw(draws)])
        for key, child in sorted(self.below.items(), key=lambda pair: (pair[1].used, pair[0])):
            if (drawn := child.draw(room, draws)) is not None:
                self.used += 1
                return [key, *drawn[0]], drawn[1]
        return None


@dataclass(frozen=True)
class Chosen:
    member: Member
    state: int
    uniform: Fraction  # what uniform play expects there


def choose(questions: QuestionSet, key: Sequence[str | int]) -> Iterator[Chosen]:
    """Positions until no more fit, none of them twice; the first do not depend on how many come."""
    members = members_of(questions, key)
    draws = Draws("choose", *key)
    trees = [_tree(family, there) for family, there in zip(questions.families, members, strict=True)]
    expected, number = Fraction(0), 0
    while True:
        number += 1
        room = questions.uniform_at_most * number - expected
        lag = sorted(range(len(trees)), key=lambda k: (Fraction(trees[k].used + 1, questions.families[k].weight), k))
        for k in lag:
            if (drawn := trees[k].draw(room, draws)) is not None:
                break
        else:
            return
        (*_, which), place = drawn
        asked = members[k][which]
        uniform = Fraction(int(asked.keeping[place]), int(asked.legal[place]))
        expected += uniform
        yield Chosen(asked, int(asked.states[place]), uniform)


def members_of(questions: QuestionSet, key: Sequence[str | int]) -> list[list[Member]]:
    """The members of each family that this key asks about."""
    return [
        [member(book) for book in family.books(Draws("members", number, *key))]
        for number, family in enumerate(questions.families)
    ]


def _tree(family: Family, members: list[Member]) -> _Node:
    root = _Node()
    for which, there in enumerate(members):
        remoteness = there.table.solution.remoteness[there.states]
        bands = np.searchsorted(REMOTENESS, remoteness)
        bands[remoteness < 0] = len(REMOTENESS) + 1
        shares = {
            (k, n): Fraction(k, n) for k, n in set(zip(there.keeping.tolist(), there.legal.tolist(), strict=True))
        }
        width = int(there.legal.max(initial=0)) + 1
        share_of = np.zeros((width, width), dtype=np.int64)
        for (k, n), share in shares.items():
            share_of[k, n] = bisect_left(KEPT, share) if share <= family.kept_at_most else -1
        kept = share_of[there.keeping, there.legal]
        depths = there.depth[there.states] * DEPTHS // (int(there.depth.max()) + 1)
        keys = np.stack([bands, kept, depths], axis=1)[kept >= 0]
        places = np.flatnonzero(kept >= 0)
        strata, stratum = np.unique(keys, axis=0, return_inverse=True)
        for number, key in enumerate(strata.tolist()):
            inside = places[stratum.ravel() == number]
            most = max(
                Fraction(int(k), int(n))
                for k, n in {*zip(there.keeping[inside].tolist(), there.legal[inside].tolist(), strict=True)}
            )
            node = root
            for step in (*key, which):
                node = node.below.setdefault(step, _Node())
            node.most, node.bag, node.places = most, Bag(len(inside)), inside
    return root
