"""The checker passes every book here, and finds what is planted in a wrong one; it knows no game by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from games import RuleBook, check_rulebook
from games.find import rulebook_class_from_file

ROOT = Path(__file__).parents[2]

BOOK = '''
from dataclasses import dataclass
from games.rulebook import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, RuleBook

@dataclass(frozen=True)
class Mine(RuleBook):
    """Add 1 or 2; whoever makes a multiple of 5 loses."""
    examples = {EXAMPLES}
    def moves(self): return range(1, 3)
    def fields(self): return {"total": 5}
    def play(self, number, total):
        total += number
        if total % 5 == 0:
            return MOVER_LOSES
        return RETURNS
    def canonical(self, total): return FOLD
'''


def check(tmp_path: Path, *, examples: str = "", returns: str = "total", fold: str = "total % 5") -> tuple[int, str]:
    book = BOOK.replace("EXAMPLES", examples).replace("RETURNS", returns).replace("FOLD", fold)
    (tmp_path / "mine.py").write_text(book)
    command = [sys.executable, "-m", "games", "check", str(tmp_path / "mine.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def test_every_book_and_its_relatives_pass(relative: RuleBook) -> None:
    found = check_rulebook(relative)
    assert not found.faults
    assert (found.states, found.legal_pairs) > (0, 0)


def test_all_is_checked_in_the_books_themselves(book: RuleBook) -> None:
    told = str(check_rulebook(book))
    assert "replayed" in told
    assert "the same in every state and move" in told
    assert "counted both ways" in told
    assert "not checked" not in told


def test_anyones_right_book_passes(tmp_path: Path) -> None:
    code, told = check(tmp_path, examples='"2 2 1": "second wins"')
    assert (code, "mine: 5 states, 10 legal (state, move) pairs" in told) == (0, True)
    assert "at least 3 literal positions" in told


def test_a_wrong_worked_game_is_found(tmp_path: Path) -> None:
    code, told = check(tmp_path, examples='"2 2 1": "first wins"')
    assert code == 1
    assert "worked game '2 2 1': the book says 'first wins', the rules say 'second wins'" in told


@pytest.mark.parametrize(
    ("line", "says"), [("2 9", "illegal"), ("2 2 1 1", "ends the game early"), ("2 x", "no move 'x'")]
)
def test_an_impossible_worked_game_is_found(tmp_path: Path, line: str, says: str) -> None:
    code, told = check(tmp_path, examples=f'"{line}": "first wins"')
    assert code == 1
    assert says in told


def test_a_wrong_fold_is_found(tmp_path: Path) -> None:
    code, told = check(tmp_path, fold="total % 4")
    assert code == 1
    assert "canonical:" in told


def test_a_rule_that_needs_ints_passes_and_is_said_to(tmp_path: Path) -> None:
    code, told = check(tmp_path, returns="int(str(total))")
    assert code == 0
    assert "columns: the rule runs on ints only" in told


def test_an_impure_rule_is_found(tmp_path: Path) -> None:
    code, told = check(tmp_path, returns="total + __import__('random').randrange(2)")
    assert code == 1
    assert "pure" in told or "ints against columns" in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "number-flop"], "did you mean number-flip?"),
        (["check", "nowhere.py"], "nowhere.py: cannot be read"),
        (["chek"], "command: no such choice: chek; did you mean check?"),
        (["check", "number-flip", "--param", "target"], "not of the form KEY=VALUE"),
        (["check", "number-flip", "--param", "target=0"], "target=0 makes no game"),
        (["check", "number-flip", "--param", "target=5", "--param", "target=6"], "given twice"),
        (["check", "--param", "target=5"], "name the one game"),
    ],
)
def test_a_users_mistake_is_one_line_and_exit_code_2(arguments: list[str], says: str) -> None:
    done = subprocess.run([sys.executable, "-m", "games", *arguments], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_may_postpone_its_annotations(book: RuleBook, tmp_path: Path) -> None:
    text = (ROOT / "games" / "books" / f"{book.name.replace('-', '_')}.py").read_text(encoding="utf-8")
    file = tmp_path / "json.py"  # nor does it matter what else has that name
    file.write_text(f"from __future__ import annotations\n{text}", encoding="utf-8")
    assert rulebook_class_from_file(file)().parameters == book.parameters


def test_a_file_that_cannot_be_imported_is_a_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("1 +")
    command = [sys.executable, "-m", "games", "check", str(tmp_path / "bad.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, "cannot be imported (SyntaxError" in done.stderr) == (2, True)


def test_without_arguments_the_games_are_listed(book: RuleBook) -> None:
    done = subprocess.run([sys.executable, "-m", "games"], capture_output=True, text=True, cwd=ROOT, check=True)
    assert book.name in done.stdout
