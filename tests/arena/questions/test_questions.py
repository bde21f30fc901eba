"""Questions made from a seed: true, fresh, balanced, and not to be guessed."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import asdict, fields, replace
from fractions import Fraction
from pathlib import Path

import pytest

from arena.board import board
from arena.prompt import READ, UNREAD
from arena.questions import Question, make_questions, read_questions, read_set, set_names, set_of
from arena.questions.card import Card, Share
from arena.questions.draws import Bag, Draws
from arena.questions.make import commitment, content, describe, read_secret
from arena.questions.record import parse_question
from arena.questions.sets import FAMILY_KEYS, KEYS
from games import Mistake, make_rulebook
from games.gamefile import StoredGame
from games.graph import shared_graph
from tests.books import BOOKS

STANDARD = read_set("standard")
SEEDS = (0, 1, 2, 3, 4)
SMALL = """
uniform_at_most = 0.3
[[families]]
env = "fifty-wins"
weight = 2
members = 3
parameters.target = "10-60"
parameters.largest = [3, 5, 8]
[[families]]
env = "sequence-duel"
parameters.limit = [5, 6]
parameters.largest = 5
parameters.modulus = 2
"""


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    return make_questions(STANDARD, 7, 1_000)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(SMALL)
    return path


def truth(question: Question, book: object) -> None:
    """What the question says, looked up again through the board."""
    table = board(book)  # type: ignore[arg-type]
    state = table.graph.follow(question.moves)
    assert state == question.state
    assert table.graph.checksum == question.checksum
    assert table.solution.critical[state]
    assert list(question.legal) == table.legal(state)
    assert list(question.keeping) == table.keeping(state)
    assert question.value == table.value(state)
    assert question.words == table.book.table(question.moves)
    for move, value, plies in zip(question.legal, question.values, question.plies, strict=True):
        action = table.graph.action(move)
        assert value == table.worth(state, action)
        after = int(table.graph.outcome[state, action])
        assert plies == (None if value == 0 else 1 + (int(table.solution.remoteness[after]) if after >= 0 else 0))
    winning = [plies for plies, value in zip(question.plies, question.values, strict=True) if value == 1 and plies]
    assert question.plies_to_end == (min(winning) if question.value == 1 else None)


def test_a_thousand_questions_of_the_standard_set_are_true_and_distinct(asked: list[Question]) -> None:
    assert len(asked) == 1_000
    assert len({(one.checksum, one.state) for one in asked}) == 1_000
    for one in asked[::7]:
        env = one.game if one.game != "nim" else "examples/books/nim.py"
        truth(one, make_rulebook(env, **one.parameters))


def test_another_seed_asks_other_questions_and_a_thousand_take_less_than_ten_seconds_of_work(
    asked: list[Question],
) -> None:
    began = time.process_time()
    other = make_questions(STANDARD, 8, 1_000)
    assert time.process_time() - began < 10
    same = {one.prompt for one in asked} & {one.prompt for one in other}
    assert len(same) < 100
    assert not {one.id for one in asked} & {one.id for one in other}


@pytest.mark.parametrize("count", [1, 10, 100, 1_000])
def test_uniform_play_never_expects_more_than_the_set_allows(asked: list[Question], count: int) -> None:
    expected = sum(Fraction(len(one.keeping), len(one.legal)) for one in asked[:count]) / count
    assert expected <= STANDARD.uniform_at_most == Fraction(15, 100)
    assert describe(STANDARD, asked[:count])["uniform"] == float(expected)


def test_the_first_questions_do_not_depend_on_how_many_are_asked_for(asked: list[Question]) -> None:
    assert make_questions(STANDARD, 7, 30) == asked[:30]


def test_questions_are_balanced(asked: list[Question]) -> None:
    games = Counter(one.game for one in asked)
    weights = {family.env.split("/")[-1].removesuffix(".py"): family.weight for family in STANDARD.families}
    for game, weight in weights.items():
        assert games[game] > 0.6 * 1_000 * weight / sum(weights.values()), games
    bands = describe(STANDARD, asked)["plies_to_end"]
    assert min(bands.values()) > 20
    assert max(bands.values()) < 3 * 1_000 / len(bands)


def test_the_seed_decides_every_byte(asked: list[Question]) -> None:
    """Whoever changes how questions are chosen counts VERSION in make.py up, and puts the new hash here."""
    hashes = describe(STANDARD, make_questions(STANDARD, 7, 20))["sha256"]
    assert hashes == describe(STANDARD, asked[:20])["sha256"]
    assert hashes == "8c22c3a700e6f85bdc3867a5413c9da3a5db986881e2005eb76379e7f9a53941"


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_every_standard_question_is_true_at_five_seeds(seed: int) -> None:
    for one in make_questions(STANDARD, seed, 1_000):
        env = one.game if one.game != "nim" else "examples/books/nim.py"
        truth(one, make_rulebook(env, **one.parameters))


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
def test_one_game_alone_is_asked_at_every_critical_position(book: object) -> None:
    made = make_questions(set_of(book), 3, None)  # type: ignore[arg-type]
    assert len(made) == int(board(book).solution.critical.sum())  # type: ignore[arg-type]
    for one in made[:20]:
        truth(one, book)
    lines = Counter(one.moves for one in make_questions(set_of(book), 4, None))  # type: ignore[arg-type]
    assert any(one.moves not in lines for one in made), "another seed walks other ways"


def test_a_game_from_elsewhere_is_asked_too(tmp_path: Path) -> None:
    stored = StoredGame.of(shared_graph(make_rulebook("examples/books/nim.py", rows=3)))
    (tmp_path / "mine.game").write_bytes(stored.content)
    (tmp_path / "mine.toml").write_text('[[families]]\nenv = "mine.game"\n')
    made = make_questions(read_set(str(tmp_path / "mine.toml")), 0, 20)
    assert {one.game for one in made} == {"nim"}
    assert made[0].names["203"] == "take 3 from row 2"
    for one in made:
        truth(one, stored)


def test_a_file_is_read_back_as_it_was_written(small: Path, tmp_path: Path) -> None:
    made = make_questions(read_set(str(small)), 1, 40, legal_shown=True)
    (tmp_path / "q.jsonl").write_bytes(content(made))
    assert read_questions(tmp_path / "q.jsonl") == made
    assert made[0].legal_shown
    assert f"You may choose one of: {', '.join(map(str, made[0].legal))}." in made[0].prompt


@pytest.mark.parametrize(
    "change",
    [
        {"keeping": [1]}, {"legal": [1, 2]}, {"words": "total 3"}, {"moves": []}, {"number": 5}, {"seed": 9},
        {"values": [1, 1, 1]}, {"value": 0}, {"uniform": 0.5}, {"id": "x"}, {"format": "2"}, {"states": "many"},
        {"legal": None}, {"plies": "x"}, {"parameters": []}, {"more": 1}, {"moves": [None]}, {"prompt": 3},
    ],
)  # fmt: skip
def test_a_question_that_was_edited_is_refused(small: Path, change: dict[str, object]) -> None:
    record = json.loads(make_questions(read_set(str(small)), 1, 1)[0].line())
    assert parse_question(record).number == 0
    with pytest.raises(Mistake, match="question"):
        parse_question({**record, **change})


def test_a_prompt_of_ones_own_is_no_edit(small: Path) -> None:
    one = make_questions(read_set(str(small)), 1, 1)[0]
    assert parse_question(json.loads(replace(one, prompt="Your move?").line())).prompt == "Your move?"


def test_a_secret_seed_makes_questions_that_tell_nothing_of_it(small: Path, tmp_path: Path) -> None:
    asked, secret = read_set(str(small)), "c0ffee" * 8
    made = make_questions(asked, secret=secret, count=20)
    assert made == make_questions(asked, 5, secret=secret, count=20)
    assert secret not in content(made).decode()
    assert made[0].seed == f"held_out_{commitment(asked, secret)[:16]}"
    assert commitment(asked, secret) != commitment(asked, secret + "0") != commitment(STANDARD, secret)
    assert {one.moves for one in made} != {one.moves for one in make_questions(asked, secret=secret + "0", count=20)}
    (tmp_path / "secret").write_text(f"{secret}\n")
    assert read_secret(str(tmp_path / "secret")) == secret
    (tmp_path / "secret").write_text("password")
    with pytest.raises(Mistake, match="8 characters could be guessed"):
        read_secret(str(tmp_path / "secret"))
    with pytest.raises(Mistake, match="make one"):
        read_secret(str(tmp_path / "nowhere"))


def test_more_questions_than_there_are_is_a_mistake_that_says_how_many(small: Path) -> None:
    with pytest.raises(Mistake, match=r"mine: holds \d+ questions with uniform play at 30% at most, not 5,000"):
        make_questions(read_set(str(small)), 0, 5_000)


@pytest.mark.parametrize("name", set_names())
def test_every_set_of_the_folder_makes_questions(name: str) -> None:
    assert len(make_questions(read_set(name), 7, 50)) == 50


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "names no games"),
        ("families = 3", "names no games"),
        ("colour = 1", "no such key"),
        ("about = 1\n[[families]]\nenv = 'number-flip'", "about is no text"),
        ("uniform_at_most = 0\n[[families]]\nenv = 'number-flip'", "no share"),
        ("[[families]]\nenv = 3", "names no game"),
        ("[[families]]\nenv = 'number-flop'", "did you mean number-flip"),
        ("[[families]]\nenv = 'number-flip'\nweight = 0", "weight=0"),
        ("[[families]]\nenv = 'number-flip'\nmembers = 0", "members=0"),
        ("[[families]]\nenv = 'number-flip'\nsize = 3", "no such key"),
        ("[[families]]\nenv = 'number-flip'\nparameters.target = []", "0 values"),
        ("[[families]]\nenv = 'number-flip'\nparameters.target = '9-3'", "0 values"),
        ("[[families]]\nenv = 'number-flip'\nparameters.target = '1-900'", "let the seed draw"),
        ("[[families]]\nenv = 'number-flip'\nparameters.target = [1.5]", "no number and no text"),
        ("[[families]]\nenv = 'number-flip'\nparameters.goal = 3", "no such parameter"),
    ],
)
def test_a_set_that_is_none_is_told_in_a_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(Mistake, match=why) as told:
        read_set(str(path))
    assert "\n" not in str(told.value)


def test_an_unknown_set_is_told_with_the_known_ones() -> None:
    with pytest.raises(Mistake, match="did you mean standard"):
        read_set("standart")


def test_a_bag_holds_each_number_once() -> None:
    bag, draws = Bag(200), Draws("bag")
    assert sorted(bag.draw(draws) for _ in range(200)) == list(range(200))


def test_draws_are_alike_and_the_same_for_ever() -> None:
    counts = Counter(Draws("alike", number).below(7) for number in range(7_000))
    assert max(counts.values()) - min(counts.values()) < 200
    stream = Draws("for ever", 1)
    assert [stream.below(1_000) for _ in range(5)] == [471, 161, 609, 534, 68]


def test_what_is_json_is_all_of_a_question(asked: list[Question]) -> None:
    assert json.loads(asked[0].line()) == json.loads(json.dumps(asdict(asked[0])))


def test_the_page_tells_every_key_of_a_question_a_card_and_a_set(asked: list[Question]) -> None:
    page = Path("docs/formats/questions.md").read_text("utf-8")
    keys = {*asdict(asked[0]), *describe(STANDARD, asked[:3]), *KEYS, *FAMILY_KEYS, *READ, *UNREAD}
    keys |= {field.name for kind in (Card, Share) for field in fields(kind)}
    assert not {key for key in keys if f"`{key}`" not in page and f"`[[{key}]]`" not in page}
