"""Answers to a card: every answer is counted once, in one class, and a number comes out that one can check by hand."""

from __future__ import annotations

import contextlib
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exam
from arena.board import board
from arena.questions import Question, judge_move, make_questions, read_set, set_of
from arena.questions.card import words
from arena.questions.make import content
from arena.questions.score import Given, questions_asked, read_given, score
from base import command
from games import Mistake, Policy, make_rulebook
from solver import scorecard

STANDARD = read_set("standard")
SMALL = make_rulebook("number-flip", target=20, largest=5)


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    return make_questions(STANDARD, 0, 300)


def answered(asked: list[Question], move: Callable[[Question], Any]) -> list[Given]:
    return [Given(one.id, move=move(one)) for one in asked]


@pytest.mark.parametrize("seed", range(5))
def test_perfect_play_scores_1_and_uniform_play_its_expectation(seed: int) -> None:
    asked = make_questions(STANDARD, seed, 1_000)
    chance = random.Random(seed)
    best = score(asked, [Given(one.id, f"I think.\nMOVE: {chance.choice(one.keeping)}") for one in asked])
    assert (best.overall.share, best.overall.lost, best.overall.high) == (1.0, 0, 1.0)
    plain = score(asked, answered(asked, lambda one: chance.choice(one.legal))).overall
    assert plain.low <= plain.uniform <= plain.high
    assert plain.uniform == pytest.approx(np.mean([one.uniform for one in asked]), abs=1e-12)


def test_the_worst_move_scores_0(asked: list[Question]) -> None:
    card = score(asked, answered(asked, lambda one: one.legal[one.values.index(min(one.values))])).overall
    assert (card.share, card.low) == (0.0, 0.0)
    assert card.lost == sum(one.value - min(one.values) for one in asked)


@pytest.mark.parametrize(
    ("move", "kind"),
    [(10**30, "illegal"), (-1, "illegal"), (True, "unparsable"), (None, "unparsable"), (3.0, "unparsable"),
     ("3", "unparsable"), ([3], "unparsable"), ({}, "unparsable")],
)  # fmt: skip
def test_what_is_no_legal_move_counts_as_the_worst(asked: list[Question], move: Any, kind: str) -> None:
    judged = judge_move(asked[0], move)
    assert (judged.kind, judged.kept, judged.move) == (kind, False, None)
    assert judged.lost == asked[0].value - min(asked[0].values)


def test_the_parts_add_up(asked: list[Question]) -> None:
    chance = random.Random(1)
    replies = ["MOVE: {}", "{}", "MOVE: 10000", "no idea", "", "3.5"]
    given = [Given(one.id, chance.choice(replies).format(chance.choice(one.legal))) for one in asked]
    card = score(asked, [*given, Given("standard-0-5-0123456789abcdef", move=1)], unreadable=2)
    assert (card.unknown, card.unreadable, card.not_answered) == (1, 2, 0)
    assert sum(card.kinds.values()) == sum(card.read.values()) == card.overall.answers == len(asked)
    for parts in card.by.values():
        assert sum(part.answers for part in parts.values()) == len(asked)
        assert sum(part.kept for part in parts.values()) == card.overall.kept
        assert sum(part.lost for part in parts.values()) == card.overall.lost
    json.dumps(card.as_json(), allow_nan=False)


def test_every_critical_position_of_a_game_answered_makes_its_whole_scorecard() -> None:
    asked, table = make_questions(set_of(SMALL), 2, None), board(SMALL)
    lowest = Policy.greedy(table.graph, -np.arange(table.graph.num_actions) * np.ones((table.graph.num_states, 1)))
    (card,) = score(asked, answered(asked, lambda one: one.legal[0])).complete
    mine = scorecard(table.graph, lowest)
    assert (card.blunders, card.exploitability, card.accuracy) == (mine.blunders, mine.exploitability, mine.accuracy)
    assert not score(asked, answered(asked[1:], lambda one: one.legal[0])).complete
    (perfect,) = score(asked, answered(asked, lambda one: one.keeping[-1])).complete
    assert perfect.perfect


def test_a_game_from_elsewhere_has_a_scorecard_where_it_is_named_again() -> None:
    nim = make_rulebook("examples/books/nim.py", rows=3)
    asked = make_questions(set_of(nim), 0, None)
    given = answered(asked, lambda one: one.keeping[0])
    assert not score(asked, given).complete
    assert score(asked, given, books=[nim]).complete[0].perfect


def test_questions_are_made_again_from_the_ids(asked: list[Question]) -> None:
    given = answered(asked[:40], lambda one: one.legal[0])
    assert questions_asked(given) == asked[:40]
    for bad in ("nonsense", "standart-0-1-0123456789abcdef", "standard-held_out_00-1-0123456789abcdef"):
        with pytest.raises(Mistake, match="--questions"):
            questions_asked([Given(bad)])
    with pytest.raises(Mistake, match="2 sets or seeds"):
        questions_asked([*given, Given("standard-1-0-0123456789abcdef")])


def test_lines_that_hold_no_answer_are_counted(tmp_path: Path) -> None:
    lines = ["", "{", "[]", '{"id": 3, "move": 1}', '{"id": "a"}', '{"id": "a", "move": 1, "reply": "1"}', "\x00",
             '{"id": "a", "reply": 3}', '{"id": "a", "move": NaN}', "[" * 9_000, '{"id": "a", "move": 3}',
             '{"id": "b", "reply": null}', '{"id": "c", "reply": "x", "cost": 3}']  # fmt: skip
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    given, unreadable = read_given(tmp_path / "a.jsonl")
    assert [one.id for one in given] == ["a", "b", "c"]
    assert unreadable == len(lines) - 1 - 3


def test_several_answers_to_one_question_all_count(asked: list[Question]) -> None:
    given = [Given(asked[0].id, move=asked[0].keeping[0]), Given(asked[0].id, move=-1)]
    card = score(asked, given)
    assert (card.answered, card.overall.answers, card.overall.share) == (1, 2, 0.5)


def test_no_answer_to_these_questions_is_a_mistake(asked: list[Question]) -> None:
    with pytest.raises(Mistake, match="none of the 1 answers"):
        score(asked, [Given("x")])


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line, in this process."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        before, sys.argv = sys.argv, ["exam.py", *arguments]
        try:
            command.run(exam.main)
        except SystemExit as end:
            return subprocess.CompletedProcess(arguments, int(end.code or 0), out.getvalue(), errors.getvalue())
        finally:
            sys.argv = before


def test_the_command_writes_questions_and_scores_answers(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('uniform_at_most = 0.5\n[[families]]\nenv = "number-flip"')
    done = run(tmp_path, "--export", "q.jsonl", "--set", "mine.toml", "--seed", "7", "--count", "60")
    assert done.returncode == 0, done.stderr
    questions = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
    facts = json.loads((tmp_path / "q.set.json").read_text())
    assert (facts["count"], facts["seed"], facts["uniform"] <= 0.5) == (60, 7, True)
    answers = "".join(json.dumps({"id": one["id"], "reply": f"MOVE: {one['keeping'][0]}"}) + "\n" for one in questions)
    (tmp_path / "a.jsonl").write_text(answers)
    for more in (["--set", "mine.toml"], ["--questions", "q.jsonl", "--card", "card.json"]):
        done = run(tmp_path, "--score", "a.jsonl", *more)
        assert "60 of 60: 1.0000" in done.stdout, done.stderr
    assert json.loads((tmp_path / "card.json").read_text())["overall"]["kept"] == 60
    again = run(tmp_path, "--export", "q.jsonl")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "add --overwrite" in again.stderr


def test_a_keeper_publishes_a_hash_and_reveals_later(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("5" * 40)
    what = ("--secret", "secret.txt", "--count", "20", "--env", "fifty-wins")
    before, after = run(tmp_path, "--hash", *what), run(tmp_path, "--export", "q.jsonl", *what, "--hash", "--quiet")
    assert before.stdout == after.stdout != ""
    assert "5" * 40 not in before.stdout + (tmp_path / "q.jsonl").read_text() + (tmp_path / "q.set.json").read_text()
    facts = json.loads((tmp_path / "q.set.json").read_text())
    assert f"sha256:{facts['sha256']}" in before.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("--export q --score a", "one after the other"),
        ("--export q --player x", "--player does not go with --export"),
        ("--score a --seed 3", "--seed does not go with --score"),
        ("--count 3", "belongs to --export"),
        ("--export q --set standard --env number-flip", "leave one out"),
        ("--export q --set nothing", "no such set"),
        ("--export q --secret s --seed 3", "leave --seed out"),
        ("--export q --count 0", "out of range"),
        ("--export nowhere/q.jsonl --env fifty-wins", "cannot be written"),
        ("--score nowhere", "cannot be read"),
        ("--export q --env number-flip --count 1000", "ask for fewer"),
    ],
)
def test_what_does_not_go_together_is_told_in_a_line(tmp_path: Path, arguments: str, why: str) -> None:
    done = run(tmp_path, *arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_card_is_told_in_words_that_no_terminal_obeys(asked: list[Question]) -> None:
    from dataclasses import replace

    odd = [replace(asked[0], game="\x1b[31m", set="\x07")]
    told = words(score(odd, answered(odd, lambda one: 1)))
    assert "\x1b" not in told
    assert "\x07" not in told


def test_the_file_of_questions_may_come_from_elsewhere_and_nothing_in_it_is_executed(tmp_path: Path) -> None:
    from dataclasses import replace

    evil = tmp_path / "evil.py"
    evil.write_text("raise SystemExit(99)")
    asked = make_questions(set_of(SMALL), 0, None)
    odd = [replace(one, game=str(evil), critical_states=1) for one in asked]
    assert not score(odd, answered(odd, lambda one: one.legal[0])).complete
    assert content(odd)
