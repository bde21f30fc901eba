"""From a set and a seed to questions, and what is published of both."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from arena.questions.choose import choose
from arena.questions.draws import Draws
from arena.questions.record import FORMAT, MOST_QUESTIONS, Question, question_of
from arena.questions.sets import QuestionSet
from base.mistake import Mistake
from base.reading import read_text

COUNT = 1_000  # questions, where nobody says how many
SHORTEST_SECRET = 32  # characters: fewer could be found by trying
VERSION = 1  # of how questions are chosen: the same version, set and seed give the same questions for ever
MAKE_SECRET = 'python -c "import secrets; print(secrets.token_hex(32))"'


def make_questions(
    questions: QuestionSet, seed: int = 0, count: int | None = COUNT, *, secret: str = "", legal_shown: bool = False
) -> list[Question]:
    """So many questions, or with None all that there are; the first ones are the same however many are asked for.

    With `secret` the seed is not used: nobody can make these questions, or tell the secret, who does not know it.
    """
    if count is not None and not 1 <= count <= MOST_QUESTIONS:
        raise Mistake(f"{count} questions; ask for 1 to {MOST_QUESTIONS:,}")
    key: list[str | int] = [VERSION, "held-out", secret] if secret else public_key(seed)
    named = f"held_out_{commitment(questions, secret)[:16]}" if secret else seed
    made = []
    for number, chosen in enumerate(islice(choose(questions, key), count or MOST_QUESTIONS)):
        line = chosen.member.line(chosen.state, Draws("line", *key, number))
        made.append(
            question_of(
                chosen.member, chosen.state, line,
                name=questions.name, seed=named, number=number, legal_shown=legal_shown,
            )
        )  # fmt: skip
    if len(made) < (count or 1):
        limit = (
            f" with uniform play at {float(questions.uniform_at_most):.0%} at most"
            if questions.uniform_at_most < 1
            else ""
        )
        raise Mistake(f"{questions.name}: holds {len(made):,} questions{limit}, not {count or 1:,}; ask for fewer")
    return made


def public_key(seed: int) -> list[str | int]:
    """What decides the questions of a public seed."""
    return [VERSION, "public", seed]


def read_secret(path: str) -> str:
    """The secret seed in a file of its keeper."""
    secret = read_text(path, 1 << 16, f"make one: {MAKE_SECRET} > {path}").strip()
    if len(secret) < SHORTEST_SECRET:
        raise Mistake(
            f"{path}: {len(secret)} characters could be guessed; a secret has {SHORTEST_SECRET} or more: {MAKE_SECRET}"
        )
    return secret


def commitment(questions: QuestionSet, secret: str) -> str:
    """What a keeper publishes before: it tells nothing of the secret, and no other secret or set has it."""
    return hashlib.sha256(json.dumps(["perfect-play-held-out", VERSION, questions.digest, secret]).encode()).hexdigest()


def content(made: Iterable[Question]) -> bytes:
    """The file of these questions."""
    return "".join(question.line() for question in made).encode()


def describe(questions: QuestionSet, made: Sequence[Question]) -> dict[str, Any]:
    """The facts about these questions: what uniform play expects, and how they are spread."""
    uniform = sum(Fraction(len(one.keeping), len(one.legal)) for one in made) / len(made)
    return {
        "format": FORMAT.replace("question", "question-set"),
        "set": questions.name,
        "about": questions.about,
        "set_sha256": questions.digest,
        "seed": made[0].seed,
        "count": len(made),
        "uniform": float(uniform),
        "uniform_at_most": float(questions.uniform_at_most),
        "members": len({one.checksum for one in made}),
        "games": dict(sorted(Counter(one.game for one in made).items())),
        "plies_to_end": dict(sorted(Counter(band(one.plies_to_end) for one in made).items())),
        "prompt_version": made[0].prompt_version,
        "prompt_hash": made[0].prompt_hash,
        "legal_shown": made[0].legal_shown,
        "sha256": hashlib.sha256(content(made)).hexdigest(),
    }


def band(plies: int | None) -> str:
    """The band of remoteness, as people read it."""
    from arena.questions.choose import REMOTENESS

    if plies is None:
        return "even"
    least = 1
    for most in REMOTENESS:
        if plies <= most:
            return f"{least}-{most}" if least < most else f"{most}"
        least = most + 1
    return f"{least}+"


def side_file(path: str) -> Path:
    """Where the facts about a file of questions stand: questions.jsonl has questions.set.json beside it."""
    return Path(path).with_suffix(".set.json")
