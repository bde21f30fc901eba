"""Answers to a card: how many keep the value, with the interval of that, by game, size and remoteness.

Whatever a harness logs is taken in one shape, a JSON object a line: {"id": "...", "move": 3}, or with "reply": "...".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from arena.board import board
from arena.marks import interval, judged_policy
from arena.protocol import Answer
from arena.questions.card import FORMAT, KINDS, Card, Share
from arena.questions.judge import Judged, judge_move, judge_reply
from arena.questions.make import band, make_questions
from arena.questions.record import LONGEST_LINE, MOST_QUESTIONS, Question
from arena.questions.sets import QuestionSet, read_set, set_names
from base.mistake import Mistake
from base.reading import each_line, opened, parsed_json
from games import RuleBook
from solver import Scorecard, scorecard

SIZES = (100, 1_000, 10_000)  # positions of a member, up to and with each
SHAPE = 'a line is {"id": "...", "move": 3} or {"id": "...", "reply": "..."}'


@dataclass(frozen=True)
class Given:
    """One answer: to which question, and a number or a text."""

    id: str
    reply: str | None = None
    move: Any = None

    def judge(self, question: Question) -> Judged:
        return judge_move(question, self.move) if self.reply is None else judge_reply(question, self.reply)


def read_given(path: str | Path) -> tuple[list[Given], int]:
    """The answers in a file, and how many lines hold none."""
    answers, unreadable = list[Given](), 0
    with opened(path, "name a file of answers") as file:
        for number, line in enumerate(each_line(file, LONGEST_LINE), 1):
            if number > 10 * MOST_QUESTIONS:
                raise Mistake(f"{path}: more than {10 * MOST_QUESTIONS:,} lines; score it in parts")
            if line is not None and not line.strip():
                continue
            given = None if line is None else _given(line)
            if given is None:
                unreadable += 1
            else:
                answers.append(given)
    if not answers:
        raise Mistake(f"{path}: holds no answer; {SHAPE}")
    return answers, unreadable


def _given(line: bytes) -> Given | None:
    try:
        record = parsed_json(line, "answer", SHAPE)
    except Mistake:
        return None
    if (
        not isinstance(record, dict)
        or not isinstance(record.get("id"), str)
        or ("move" in record) == ("reply" in record)
    ):
        return None
    if "reply" not in record:
        return Given(record["id"], move=record["move"])
    reply = record["reply"]
    return Given(record["id"], reply if isinstance(reply, str) else "") if isinstance(reply, str | None) else None


def questions_asked(answers: Sequence[Given], of: str | QuestionSet | None = None) -> list[Question]:
    """The questions that these answers are about, made again from their ids: set-seed-number-digest.

    They are of the set of that name; without one, of the set in configs/exams that the ids name.
    """
    asked: dict[tuple[str, str], int] = {}
    for one in answers:
        parts = one.id.rsplit("-", 3)
        if len(parts) == 4 and parts[2].isdecimal() and len(parts[2]) < 7:
            key = (parts[0], parts[1])
            asked[key] = max(asked.get(key, 0), int(parts[2]) + 1)
    if len(asked) != 1:
        fault = f"are of {len(asked)} sets or seeds" if asked else "name no set in their ids"
        raise Mistake(f"the answers {fault}; name the file of the questions with --questions")
    ((called, seed), count) = next(iter(asked.items()))
    if of is None and called in set_names():
        of = called
    known = read_set(of) if isinstance(of, str) else of
    if known is None or known.name != called or not (seed.isdecimal() and len(seed) < 20):
        raise Mistake(f"the questions of {called}-{seed} cannot be made again here; name their file with --questions")
    return make_questions(known, int(seed), max(count, 1))


def score(
    questions: Sequence[Question], answers: Iterable[Given], *, books: Sequence[RuleBook] = (), unreadable: int = 0
) -> Card:
    """`books` are games that may be told a whole scorecard of, beside those of the folder."""
    known = {question.id: question for question in questions}
    judged, unknown = list[tuple[Question, Judged]](), 0
    for one in answers:
        question = known.get(one.id)
        if question is None:
            unknown += 1
        else:
            judged.append((question, one.judge(question)))
    if not judged:
        raise Mistake(f"none of the {unknown} answers is to these questions; check --questions, --set and the ids")
    groups: dict[str, Callable[[Question], str]] = {
        "game": lambda question: question.game,
        "positions": lambda question: size_band(question.states),
        "plies_to_end": lambda question: band(question.plies_to_end),
    }
    kinds, read = Counter(one.kind for _, one in judged), Counter(one.how for _, one in judged)
    answered = len({question.id for question, _ in judged})
    return Card(
        FORMAT,
        questions[0].set,
        questions[0].seed,
        len(questions),
        answered,
        len(questions) - answered,
        _share(judged),
        {kind: kinds[kind] for kind in KINDS},
        dict(sorted(read.items())),
        unknown,
        unreadable,
        {name: _split(judged, key) for name, key in groups.items()},
        tuple(_complete(judged, books)),
    )


def size_band(states: int) -> str:
    least = 1
    for most in SIZES:
        if states <= most:
            return f"{least}-{most}"
        least = most + 1
    return f"{least}+"


def _share(judged: Sequence[tuple[Question, Judged]]) -> Share:
    kept = sum(one.kept for _, one in judged)
    uniform = sum(Fraction(len(question.keeping), len(question.legal)) for question, _ in judged) / len(judged)
    sure = interval(kept, len(judged))
    lost = sum(one.lost for _, one in judged)
    return Share(len(judged), kept, kept / len(judged), sure.low, sure.high, float(uniform), lost)


def _split(judged: Sequence[tuple[Question, Judged]], key: Callable[[Question], str]) -> dict[str, Share]:
    parts: dict[str, list[tuple[Question, Judged]]] = {}
    for question, one in judged:
        parts.setdefault(key(question), []).append((question, one))

    def order(name: str) -> tuple[int, str]:
        digits = name.split("-")[0].rstrip("+")
        return (int(digits) if digits.isdecimal() else 0, name)

    return {name: _share(parts[name]) for name in sorted(parts, key=order)}


def _complete(judged: Sequence[tuple[Question, Judged]], books: Sequence[RuleBook]) -> Iterable[Scorecard]:
    """The scorecards of the games whose critical positions were all answered."""
    games: dict[str, list[tuple[Question, Judged]]] = {}
    for question, one in judged:
        games.setdefault(question.checksum, []).append((question, one))
    for checksum, there in games.items():
        question = there[0][0]
        if len({asked.state for asked, _ in there}) < question.critical_states:
            continue
        book = _book(question, books)
        if book is None or (table := board(book)).graph.checksum != checksum:
            continue
        answers = [(asked.state, Answer(one.kind, one.move)) for asked, one in there]
        if {state for state, _ in answers} != set(table.solution.critical.nonzero()[0].tolist()):
            continue  # it says so, and it is not
        if any(table.keeping(asked.state) != list(asked.keeping) for asked, _ in there):
            continue
        yield scorecard(table.graph, judged_policy(table, answers))


def _book(question: Question, books: Sequence[RuleBook]) -> RuleBook | None:
    """The game of a question; a file of questions names none that would have to be executed."""
    from games.find import rulebook_of_folder

    for book in books:
        if book.name == question.game and book.parameters == question.parameters:
            return book
    try:
        return rulebook_of_folder(question.game, **question.parameters)
    except Mistake:
        return None
