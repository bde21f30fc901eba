"""The protocol: its page is executed, and an answer is exactly one of five."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from arena.board import board
from arena.paper import questions
from arena.protocol import LONGEST_LINE, VERSION, question, understand
from arena.sitting import Sitting
from games import Mistake, RuleBook, make_rulebook
from games.rulebook import Verdict
from tests.books import need

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "formats" / "protocol.md").read_text(encoding="utf-8")
COMMAND = re.search(r"python exam\.py --env (\S+) --player \"(.+)\"", PAGE)
EXCHANGE = re.search(r"```exchange\n(.*?)```", PAGE, re.DOTALL)
assert COMMAND
assert EXCHANGE
ASKED = [line[2:] for line in EXCHANGE[1].splitlines() if line.startswith("> ")]
ANSWERED = [line[2:] for line in EXCHANGE[1].splitlines() if line.startswith("< ")]


def test_the_page_prints_the_questions_that_the_exam_asks() -> None:
    assert COMMAND
    sitting = Sitting(make_rulebook(COMMAND[1]), shlex.split(COMMAND[2]), "page")
    bodies = [one.body for one in questions(sitting, board(sitting.book), {})]
    printed = [json.loads(line) for line in ASKED]
    ids = [one.pop("id") for one in printed]
    assert printed == bodies[: len(printed)]
    assert len(set(ids)) == len(ids) >= 2


def test_the_player_on_the_page_answers_as_printed_and_its_answers_are_legal() -> None:
    assert COMMAND
    words = shlex.split(COMMAND[2])
    words[0] = need(words[0])
    done = subprocess.run(words, input="\n".join(ASKED) + "\n", capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.stdout.splitlines() == ANSWERED
    for asked, answered in zip(map(json.loads, ASKED), ANSWERED, strict=True):
        answer = understand(answered.encode(), asked["id"], asked["legal"], set())
        assert answer
        assert (answer.kind, answer.move) == ("legal", json.loads(answered)["move"])


def test_the_page_explains_every_key_and_the_version() -> None:
    body = question(board(make_rulebook("number-flip")), [8, 7], 60.0)
    for key in ("id", *body):
        assert f"`{key}`" in PAGE
    assert VERSION in PAGE
    assert f"{LONGEST_LINE:,} bytes" in PAGE


def test_a_question_tells_the_literal_position_in_words_and_as_fields(book: RuleBook) -> None:
    for moves in book.examples:
        said = [int(word) for word in moves.split()][:-1]
        body = question(board(book), said, 1.0)
        position = book.start
        for move in said:
            outcome = book.step(move, position)
            assert not isinstance(outcome, Verdict)
            position = outcome
        assert body["position"] == dict(zip(book.fields(), position, strict=True))
        assert body["words"] == book.table(said)
        assert body["legal"] == [n for n in book.moves() if book.step(n, position) is not Verdict.ILLEGAL]
        assert body["rules"] == book.text


def test_a_finished_game_leaves_nothing_to_ask() -> None:
    with pytest.raises(Mistake, match="the game is over"):
        question(board(make_rulebook("avoid-the-seventh")), [3, 4], 1.0)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'{"id": "2-b", "move": 7}', "legal"),
        (b'  {"move": 7, "id": "2-b", "thought": [1]}\r', "legal"),
        (b'{"id": "2-b", "move": 8}', "illegal"),
        (b'{"id": "2-b", "move": -7}', "illegal"),
        (b'{"id": "2-b", "move": ' + b"7" * 5000 + b"}", "illegal"),
        (b'{"id": "2-b", "move": 7.0}', "unparsable"),
        (b'{"id": "2-b", "move": "7"}', "unparsable"),
        (b'{"id": "2-b", "move": true}', "unparsable"),
        (b'{"id": "2-b", "move": null}', "unparsable"),
        (b'{"id": "2-b"}', "unparsable"),
        (b'{"id": "2-b", "move": 7, "move": 7}', "unparsable"),
        (b'{"id": "3-c", "move": 7}', "unparsable"),
        (b'{"move": 7}', "unparsable"),
        (b"7", "unparsable"),
        (b"", "unparsable"),
        (b"\xff\x00", "unparsable"),
        (b"[" * 50_000, "unparsable"),
        (b'{"id": "2-b", "move": 7, "x": "' + b"x" * LONGEST_LINE + b'"}', "unparsable"),
        (b'{"id": "1-a", "move": 7}', None),
        (b'{"id": "1-a"}', None),
    ],
)
def test_a_line_is_one_kind_of_answer_or_belongs_to_the_past(line: bytes, kind: str | None) -> None:
    answer = understand(line, "2-b", [1, 7], {"1-a"})
    assert (answer.kind if answer else None) == kind
    assert answer is None or (answer.move == 7) == (kind == "legal")


def test_what_a_player_says_about_itself_is_kept_if_it_is_flat_and_small() -> None:
    about = {"model": "m" * 1000, "list": [1], "nan": float("nan"), **{f"k{n}": n for n in range(50)}}
    line = json.dumps({"id": "a", "move": None, "about": about, "usage": {"tokens": 5, "name": "x", "yes": True}})
    answer = understand(line.encode(), "a", [1], set())
    assert answer
    assert len(answer.about) <= 20
    assert answer.about["model"] == "m" * 500
    assert not {"list", "nan"} & set(answer.about)
    assert answer.usage == {"tokens": 5}
    json.dumps(answer.about, allow_nan=False)
