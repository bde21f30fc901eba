"""What a model is shown, and what is read from its reply: a number that stands there, or nothing."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter

import pytest

from arena import prompt as texts
from arena.board import board
from arena.prompt import READ, UNREAD, read_reply
from arena.protocol import told
from games import make_rulebook

QUESTION = told(board(make_rulebook("fifty-wins", target=7, largest=3)), [1])


@pytest.mark.parametrize(
    ("reply", "move", "how"),
    [
        ("MOVE: 7", 7, "marked"),
        ("move 3 or 4?\nMOVE: **7**", 7, "marked"),
        ("**Move:** 7.", 7, "marked"),
        ("```\nMOVE: 7\n```", 7, "marked"),
        ("MOVE:\n`7`", 7, "marked"),
        ("<think>MOVE: 2</think>MOVE: 4", 4, "marked"),
        ("so MOVE: 2?</think>\nMOVE: 4", 4, "marked"),
        ("MOVE: 7\nThat makes 15.", 7, "marked"),
        ("MOVE: 3\nno, MOVE: 7", 7, "marked"),
        ("MOVE: -3", -3, "marked"),
        ("MOVE: 99", 99, "marked"),
        ("I say 7", 7, "bare"),
        ("\\boxed{8}", 8, "bare"),
        ("7 (so the total is 22)", 22, "bare"),  # lenient, but nothing is repaired
        ("- 7", 7, "bare"),
        ("", None, "empty"),
        ("  \n", None, "empty"),
        ("<think>I take 5", None, "empty"),  # cut off before the answer
        ("<think>" + "5 " * 30_000, None, "empty"),
        ("seven", None, "no-number"),
        ("MOVE: number", None, "no-number"),
        ("7\nMOVE: seven", None, "no-number"),  # the mark decides
        ("MOVE: 3.5", None, "not-whole"),
        ("MOVE: 1,5", None, "not-whole"),
        ("MOVE: 1/2", None, "not-whole"),
        ("MOVE: 3e5", None, "not-whole"),
        ("MOVE: 0x10", None, "not-whole"),
        ("MOVE: 007", None, "not-whole"),
        ("MOVE: 7th", None, "not-whole"),
        ("MOVE: 7²", None, "not-whole"),
        ("MOVE: ½", None, "not-whole"),
        ("MOVE: \u22123", None, "not-whole"),  # a minus that is no hyphen
        ("MOVE: - 3", None, "not-whole"),
        ("MOVE: \u0663", None, "not-whole"),  # Arabic digits
        ("MOVE: \uff13", None, "not-whole"),  # full width
        ("MOVE: 三", None, "not-whole"),
        ("1\ufe0f\u20e30\ufe0f\u20e3", None, "not-whole"),  # keycaps
        ("1\u200b0", None, "not-whole"),
        ("3-4", None, "not-whole"),
        ("9" * 100_000, None, "not-whole"),
        ("MOVE: 7 or 8", None, "several"),
        ("MOVE: 1 000", None, "several"),
        ("8 7 9", None, "several"),
        ("I may choose 1, 2, 3", None, "several"),
    ],
)
def test_a_reply_is_read_from_its_end(reply: str, move: int | None, how: str) -> None:
    reading = read_reply(reply)
    assert (reading.move, reading.how) == (move, how)


SCRIPTS = [*range(32, 127), *range(0x600, 0x700), *range(0x2000, 0x2100)]  # Latin, Arabic, signs that nobody sees


NOTHING = {"empty", "blank", "float", "exponent", "odd", "echo", "half a thought", "marks"}  # kinds without a move


def hostile(number: int) -> tuple[str, str]:
    """One of 10,000 replies that nobody wants, by its number: what kind it is of, and its text."""
    chance = random.Random(number)
    scripts = ["٣", "三", "３", "४", "Ⅶ", "½", "7️⃣", "−3", "–3", "1\u202f000", "\u202e7", "x" * 50_000, "\x1b[31m7\x00"]
    value = chance.choice([chance.randint(-30, 30), chance.randint(0, 10**6), 10 ** chance.randint(3, 2_000)])
    kinds = {
        "empty": lambda: "",
        "blank": lambda: " \n\t" * chance.randint(1, 2_000),
        "number": lambda: str(value),
        "marked": lambda: f"MOVE: {value}",
        "huge": lambda: f"MOVE: {chance.randint(1, 9)}" + "0" * chance.randint(500, 30_000),
        "negative": lambda: f"{chance.choice(['MOVE: ', ''])}{-chance.randint(1, 10**6)}",
        "row": lambda: " ".join(str(chance.randint(-9, 99)) for _ in range(chance.randint(2, 300))),
        "several": lambda: f"MOVE: {value} {chance.randint(0, 9)}",
        "script marked": lambda: f"MOVE: {chance.choice(scripts)}",
        "script": lambda: chance.choice(scripts) * chance.randint(1, 5),
        "echo": lambda: texts.prompt(QUESTION, legal_shown=bool(chance.randint(0, 1))),
        "echo and move": lambda: f"{texts.prompt(QUESTION)}\nMOVE: {value}",
        "float": lambda: f"MOVE: {chance.random() * 20}",
        "exponent": lambda: f"{chance.uniform(-9, 9):e}",
        "json": lambda: f"```json\n{{\"move\": {value}}}\n```",
        "fence": lambda: f"```\nMOVE: {value}\n```\n```",
        "half a thought": lambda: f"<think>{value}",
        "thought": lambda: f"<think>{value}</think>{chance.choice(['', 'done', str(value)])}",
        "noise": lambda: "".join(chr(chance.choice(SCRIPTS)) for _ in range(200)),
        "marks": lambda: "MOVE:" * chance.randint(1, 500),
        "odd": lambda: f"{value}{chance.choice(['th', '%', '.0', ',5', '/2', 'e3', '²', ':30'])}",
    }  # fmt: skip
    kind = list(kinds)[number % len(kinds)]
    return kind, kinds[kind]()


def test_ten_thousand_hostile_replies_become_a_move_that_stands_there_or_nothing() -> None:
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for number in range(10_000):
        kind, reply = hostile(number)
        reading = read_reply(reply)
        counts[reading.how] += 1
        kinds[kind] += 1
        assert (reading.move is None) == (reading.how in UNREAD)
        if reading.move is not None:
            assert kind not in NOTHING, f"{reply[:200]!r} was repaired to {reading.move}"
            sign = re.escape(str(reading.move)) if reading.move < 0 else rf"\+?{reading.move}"
            stands = rf"(?<![^\W_])(?<![.,/+\-−–—×^%°]){sign}(?![^\W_]|[/+\-−–—×^%°]|[.,:]\d)"
            assert re.search(stands, reply.replace("\ufe0f", "_")), f"{reply[:200]!r} has no number {reading.move}"
    assert set(counts) == {*READ, *UNREAD}
    assert counts.total() == kinds.total() == 10_000
    assert min(kinds.values()) > 450


def test_an_echo_of_the_prompt_is_no_move() -> None:
    for shown in (False, True):
        assert read_reply(texts.prompt(QUESTION, legal_shown=shown)).move is None


def test_the_legal_moves_are_shown_only_on_request_and_names_always() -> None:
    assert "You may choose one of: 1, 2, 3." in texts.prompt(QUESTION, legal_shown=True)
    assert "You may choose" not in texts.prompt(QUESTION)
    assert "101 is take 1 from row 1; 201 is take 1 from row 2" in texts.prompt(
        told(board(make_rulebook("examples/books/nim.py")), [])
    )


def test_the_hash_is_of_all_that_is_shown_and_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    before = texts.prompt_hash()
    for name, other in (("PROMPT", texts.PROMPT + " "), ("LEGAL", ""), ("MARK", re.compile("MOVE")), ("VERSION", 0)):
        with monkeypatch.context() as changed:
            changed.setattr(texts, name, other)
            assert texts.prompt_hash() != before
    assert texts.prompt_hash() == before


def test_this_is_the_text_and_the_reader_of_this_version() -> None:
    """Whoever changes either counts VERSION up, and puts the new hash here."""
    assert (texts.VERSION, texts.prompt_hash()) == (2, "a1c8d5aa210842a4")


def test_it_needs_the_standard_library_only() -> None:
    code = "import sys, arena.prompt; print([name for name in ('numpy', 'scipy', 'gymnasium') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
