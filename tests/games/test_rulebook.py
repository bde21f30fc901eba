"""The rules as the books tell them: worked games, counts, parameters, the folder as the registry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from games import (
    DRAW,
    ILLEGAL,
    MOVER_LOSES,
    MOVER_WINS,
    Mistake,
    RuleBook,
    compile_rulebook,
    make_rulebook,
    rulebook_names,
)
from games.check import perft, result_of
from games.rulebook import Verdict

ROOT = Path(__file__).parents[2]

# From the printed books: the game, its moves, what lay on the table after each of them, who won.
PRINTED = [
    ("avoid-the-seventh", "3 4", "3 7", "first wins"),
    ("avoid-the-seventh", "2 5", "2 7", "first wins"),
    ("avoid-the-seventh", "1 2 3 1", "1 3 6 7", "first wins"),
    ("avoid-the-seventh", "2 3 1 1", "2 5 6 7", "first wins"),
    ("seven-is-forbidden", "5 3 1 4", "5 53 531 5314", "goes on"),  # printed as lost: a slip
    ("seven-is-forbidden", "5 3 1 3", "5 53 531 5313", "first wins"),
    ("sequence-duel", "2 3 4 5 6 1 5 2 4 3", "- - 9 12 15 12 12 8 11 9", "first wins"),
    ("fifty-wins", "7 9 8 6 10 5 5", "7 16 24 30 40 45 50", "first wins"),
    ("fifty-wins", "10 10 10 10 4 3 4", "10 20 30 40 44 47 51", "second wins"),
    ("fifty-wins", "6 5 9 10 5 5 5 5", "6 11 20 30 35 40 45 50", "second wins"),
    ("number-flip", "8 7 9 8 7 6 5", "8 15 24 32 39 45 50", "second wins"),
]


@pytest.mark.parametrize(("name", "line", "tables", "result"), PRINTED)
def test_a_printed_game_ends_as_the_rulings_say(name: str, line: str, tables: str, result: str) -> None:
    book = make_rulebook(name)
    moves = [int(word) for word in line.split()]
    assert result_of(book, moves) == result
    assert book.examples[line] == result
    for ply, shown in enumerate(tables.split(), start=1):
        assert shown == "-" or shown in book.table(moves[:ply]).replace(",", " ").replace(")", " ").split()


@pytest.mark.parametrize(
    ("name", "states", "pairs"),
    [
        ("avoid-the-seventh", 7, 35),
        ("seven-is-forbidden", 7, 63),
        ("sequence-duel", 586, 4689),
        ("fifty-wins", 50, 500),
        ("number-flip", 444, 3997),
    ],
)
def test_states_and_pairs_counted_by_plain_recursion(name: str, states: int, pairs: int) -> None:
    book = make_rulebook(name)
    seen: set[tuple[int, ...]] = set()

    def visit(position: tuple[int, ...]) -> int:
        if position in seen:
            return 0
        seen.add(position)
        outcomes = [book.step(move, position) for move in book.moves()]
        onward = [book.fold(outcome) for outcome in outcomes if not isinstance(outcome, Verdict)]
        return sum(outcome != ILLEGAL for outcome in outcomes) + sum(visit(after) for after in onward)

    assert (visit(book.start), len(seen)) == (pairs, states)
    graph = compile_rulebook(book)
    assert (graph.legal.sum(), graph.num_states) == (pairs, states)


def test_perft_of_the_first_plies_is_what_the_rules_allow_by_hand() -> None:
    assert [perft(make_rulebook("number-flip"), depth) for depth in (1, 2, 3)] == [10, 90, 810]
    assert [perft(make_rulebook("avoid-the-seventh"), depth) for depth in (1, 2)] == [5, 25]


def test_a_losing_move_is_still_legal() -> None:
    graph = compile_rulebook(make_rulebook("number-flip"))
    state = graph.state((45, 6))
    assert graph.next_state[state, graph.action(5)] == MOVER_LOSES
    assert graph.legal[state].sum() == 9  # 7 and 8 among them, which the book forgets


def test_going_above_fifty_is_a_legal_losing_move() -> None:
    assert make_rulebook("fifty-wins").step(4, (47,)) == MOVER_LOSES


def test_the_two_readings_of_the_full_sequence_turn_the_end_around() -> None:
    position = (9, 2, 4)
    assert make_rulebook("sequence-duel").step(3, position) == MOVER_LOSES
    assert make_rulebook("sequence-duel", limit_loser="next").step(3, position) == MOVER_WINS


def test_a_position_without_a_valid_number_exists_only_in_small_variants() -> None:
    small = compile_rulebook(make_rulebook("sequence-duel", largest=1))
    assert not small.legal[small.follow([1])].any()
    assert compile_rulebook(make_rulebook("sequence-duel")).legal.any(axis=1).all()


def test_verdicts_are_the_numbers_that_stand_in_the_arrays() -> None:
    assert (ILLEGAL, MOVER_WINS, MOVER_LOSES, DRAW) == (-1, -2, -3, -4)


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("number-flop", {}, "did you mean number-flip"),
        ("chess", {}, "no such game: chess"),
        ("number-flip", {"target": 0}, "target=0 makes no game; it must be at least 1"),
        ("number-flip", {"target": "many"}, "target='many' is not a whole number"),
        ("number-flip", {"target": "9" * 5000}, "target has 5000 digits; take at most 18"),
        ("number-flip", {"target": 5.5}, "is not a whole number"),
        ("number-flip", {"target": True}, "is not a whole number"),
        ("number-flip", {"targt": 5}, "no such parameter: targt; did you mean target"),
        ("avoid-the-seventh", {"modulus": 1}, "modulus=1 makes no game"),
        ("seven-is-forbidden", {"base": 1}, "base=1 makes no game"),
        ("sequence-duel", {"window": 1}, "window=1 makes no game"),
        ("sequence-duel", {"window": 99}, "too large; it must be at most 9"),
        ("sequence-duel", {"limit_loser": "both"}, "not one of writer, next"),
        ("fifty-wins", {"largest": -3}, "largest=-3 makes no game"),
    ],
)
def test_what_makes_no_game_is_refused(name: str, parameters: dict[str, object], says: str) -> None:
    with pytest.raises(Mistake, match=says):
        make_rulebook(name, **parameters)


def test_a_parameter_may_come_as_text() -> None:
    assert make_rulebook("fifty-wins", target="500").parameters["target"] == 500


def test_the_folder_is_the_registry(book: RuleBook) -> None:
    assert (ROOT / "games" / "books" / f"{book.name.replace('-', '_')}.py").is_file()
    assert book.name in rulebook_names()
    assert make_rulebook(book.name) == book


def test_a_game_is_named_nowhere_but_in_its_file_and_the_two_that_quote_its_book() -> None:
    allowed = {"agents/tips.py", "report/audit.py"}
    spelled = {name: {name, name.replace("-", "_"), type(make_rulebook(name)).__name__} for name in rulebook_names()}
    for file in ROOT.glob("*/*.py"):
        place = file.relative_to(ROOT).as_posix()
        if place.split("/")[0] in ("tests", "benchmarks", ".venv", "examples") or place in allowed:
            continue
        if file.stem.replace("_", "-") in spelled and place.startswith("games/"):
            continue
        code = _code(file.read_text(encoding="utf-8"))
        for name, words in spelled.items():
            assert not [word for word in words if word in code], f"{place} names {name}"


def _code(text: str) -> str:
    """A file without its docstrings and comments: where a name would do something."""
    import ast

    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            body[0].value.value = ""
    return ast.unparse(tree)


def test_the_rules_are_imported_without_anything_but_numpy() -> None:
    heavy = ("gymnasium", "numba", "torch", "scipy", "pydantic", "rich")
    code = f"import sys, games; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
