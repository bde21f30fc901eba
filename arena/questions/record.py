"""A question: a position in words and numbers, with all that perfect play says of it; one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from arena import prompt as texts
from arena.protocol import digest, told
from arena.questions.member import Member
from base.mistake import Mistake
from base.reading import each_line, opened, parsed_json

FORMAT = "perfect-play-question-1"
LONGEST_LINE = 1 << 20  # bytes of a question or an answer
MOST_QUESTIONS = 1_000_000  # in one file
FREE = ("id", "legal_shown", "prompt", "prompt_version", "prompt_hash")  # what the digest in an id leaves out


@dataclass(frozen=True)
class Question:
    """The keys of the JSON object. Values are told for the player to move; lists go along with `legal`."""

    format: str
    id: str  # set-seed-number-digest
    set: str
    seed: int | str  # a text where the seed is secret: what was published of it
    number: int  # from 0
    game: str
    parameters: Mapping[str, int | str]
    checksum: str  # of the game's arrays
    states: int  # positions of the game
    critical_states: int
    state: int  # the number of this position
    rules: str
    moves: tuple[int, ...]  # so far
    position: Mapping[str, int]
    words: str
    names: Mapping[str, str]  # of all moves of the game, where they are called by more than their number
    legal: tuple[int, ...]
    keeping: tuple[int, ...]  # all moves that keep the value
    values: tuple[int, ...]  # 1 wins, 0 holds even, -1 loses
    plies: tuple[int | None, ...]  # to the end with this move, both playing perfectly; null where the value is 0
    value: int
    plies_to_end: int | None
    uniform: float  # what uniform play expects: the share of the legal moves that keep the value
    legal_shown: bool
    prompt: str
    prompt_version: int
    prompt_hash: str

    def line(self) -> str:
        return json.dumps(vars(self), ensure_ascii=False) + "\n"

    def worth(self, move: int | None) -> int:
        """The value of a move; anything that is no legal move counts as the worst that is."""
        return self.values[self.legal.index(move)] if move in self.legal else min(self.values)


def question_of(
    there: Member, state: int, moves: list[int], *, name: str, seed: int | str, number: int, legal_shown: bool
) -> Question:
    """The question about a state, as reached by these moves."""
    table, graph = there.table, there.table.graph
    facts = told(table, moves)
    legal = facts["legal"]
    actions = [graph.action(move) for move in legal]
    values = [table.worth(state, action) for action in actions]
    outcomes = [int(graph.outcome[state, action]) for action in actions]
    remoteness = table.solution.remoteness
    plies = [1 + (int(remoteness[after]) if after >= 0 else 0) for after in outcomes]
    value = table.value(state)
    keeping = table.keeping(state)
    question = Question(
        format=FORMAT,
        id="",
        set=name,
        seed=seed,
        number=number,
        game=facts["game"],
        parameters=facts["parameters"],
        checksum=graph.checksum,
        states=graph.num_states,
        critical_states=len(there.states),
        state=state,
        rules=facts["rules"],
        moves=tuple(facts["moves"]),
        position=facts["position"],
        words=facts["words"],
        names=facts.get("names", {}),
        legal=tuple(legal),
        keeping=tuple(keeping),
        values=tuple(values),
        plies=tuple(n if worth else None for n, worth in zip(plies, values, strict=True)),
        value=value,
        plies_to_end=int(remoteness[state]) if value else None,
        uniform=len(keeping) / len(legal),
        legal_shown=legal_shown,
        prompt=texts.prompt(facts, legal_shown=legal_shown),
        prompt_version=texts.VERSION,
        prompt_hash=texts.prompt_hash(),
    )
    return replace(question, id=_id(question))


def _id(question: Question) -> str:
    body = {key: value for key, value in vars(question).items() if key not in FREE}
    return f"{question.set}-{question.seed}-{question.number}-{digest(body)[:16]}"


def read_questions(path: str | Path) -> list[Question]:
    """The questions of a file; one that was edited is refused."""
    questions = list(_each(path))
    if not questions:
        raise Mistake(f"{path}: holds no question; write some with exam.py --export")
    if len({question.id for question in questions}) < len(questions):
        raise Mistake(f"{path}: a question stands there twice; leave one out")
    return questions


def _each(path: str | Path) -> Iterator[Question]:
    with opened(path, "name a file of questions") as file:
        for number, line in enumerate(each_line(file, LONGEST_LINE), 1):
            where = f"{path}, line {number}"
            if line is None or number > MOST_QUESTIONS:
                raise Mistake(
                    f"{where}: too long; a line has at most {LONGEST_LINE:,} bytes, a file {MOST_QUESTIONS:,} lines"
                )
            if line.strip():
                yield parse_question(parsed_json(line, where, "write the questions anew with exam.py --export"), where)


def parse_question(record: Any, where: str = "question") -> Question:
    """A question from its JSON object; what does not fit is a mistake."""
    anew = "write the questions anew with exam.py --export"
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise Mistake(f"{where}: not a question of the format {FORMAT}; {anew}")
    names = {field.name for field in fields(Question)}
    if odd := sorted(names ^ set(record)):
        raise Mistake(f"{where}: {odd[0]} is {'missing' if odd[0] in names else 'no key of a question'}; {anew}")
    lists = {
        key: tuple(record[key]) for key in ("moves", "legal", "keeping", "values", "plies") if _numbers(record[key])
    }
    if len(lists) < 5 or not _fits(record):
        raise Mistake(f"{where}: a value is of the wrong kind, or the moves do not fit their values; {anew}")
    question = Question(**{**record, **lists})
    if question.id != _id(question):
        raise Mistake(f"{where}: was edited: its content does not fit its id {question.id[:80]!r}; {anew}")
    return question


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(one is None or type(one) is int for one in value)


def _fits(record: Mapping[str, Any]) -> bool:
    """Whether it is one: the right kinds, and moves that are judged as their values say."""
    texts_fit = all(
        isinstance(record[key], str) for key in ("id", "set", "game", "checksum", "rules", "words", "prompt")
    )
    counts = ("number", "states", "critical_states", "state", "value", "prompt_version")
    numbers_fit = all(type(record[key]) is int for key in counts)
    tables_fit = all(isinstance(record[key], dict) for key in ("parameters", "position", "names"))
    legal, values = record["legal"], record["values"]
    if not (texts_fit and numbers_fit and tables_fit and legal and isinstance(record["seed"], int | str)):
        return False
    if None in (*record["moves"], *legal, *record["keeping"], *values) or not set(values) <= {-1, 0, 1}:
        return False
    if not len(set(legal)) == len(legal) == len(values) == len(record["plies"]) or record["value"] != max(values):
        return False
    keeping = [move for move, value in zip(legal, values, strict=True) if value == record["value"]]
    return bool(keeping == record["keeping"] and record["uniform"] == len(keeping) / len(legal))
