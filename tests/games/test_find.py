"""What names mean: a book of the folder, a path to a rule book, a path to a game file."""

from __future__ import annotations

from pathlib import Path

import pytest

from games import Mistake, StoredGame, compile_rulebook, make_rulebook, rulebook_names
from games.find import rulebook_on_disk

NIM = str(Path(__file__).parents[2] / "examples" / "books" / "nim.py")


def test_a_path_to_a_rule_book_takes_parameters_as_a_name_does() -> None:
    assert make_rulebook(NIM, rows="2").parameters["rows"] == 2
    assert make_rulebook(NIM) == make_rulebook(NIM)
    with pytest.raises(Mistake, match="did you mean rows"):
        make_rulebook(NIM, row=2)


def test_a_game_file_takes_no_parameters(tmp_path: Path) -> None:
    StoredGame.of(compile_rulebook(make_rulebook(NIM))).save(tmp_path / "nim.game")
    with pytest.raises(Mistake, match="takes no parameters"):
        make_rulebook(str(tmp_path / "nim.game"), rows=2)


def test_a_path_that_leads_nowhere_is_told_as_a_path() -> None:
    for name in ("nowhere.py", "nowhere.game", "some/where"):
        with pytest.raises(Mistake, match="cannot be read"):
            make_rulebook(name)
    with pytest.raises(Mistake, match="did you mean"):
        make_rulebook(rulebook_names()[0][:-1])


def test_a_name_from_a_file_on_disk_never_executes_a_path(tmp_path: Path) -> None:
    file = tmp_path / "evil.py"
    file.write_text("raise SystemExit('executed')\n")
    with pytest.raises(Mistake, match="came from elsewhere"):
        rulebook_on_disk(str(file), {}, "0" * 64, tmp_path)


def test_moves_are_understood_by_their_names_and_by_their_numbers() -> None:
    book = make_rulebook(NIM)
    assert book.moves_in("take 3 from row 3, 201") == [303, 201]
    assert book.moves_in("Take 1 from row 1 take 2 from row 2") == [101, 202]
    assert book.line([303, 201]) == "take 3 from row 3, take 1 from row 2"
    assert make_rulebook(rulebook_names()[0]).line([1, 2]) == "1 2"
    with pytest.raises(Mistake, match="no move 'b2'"):
        book.moves_in("b2")


def test_a_file_that_leaves_the_program_is_no_rule_book(tmp_path: Path) -> None:
    file = tmp_path / "leaves.py"
    file.write_text("raise SystemExit(3)")
    with pytest.raises(Mistake, match=r"leaves.py: cannot be imported \(SystemExit: 3\)"):
        make_rulebook(str(file))


@pytest.mark.parametrize("number", [10**18, -(10**400), str(10**18)])
def test_a_number_too_long_for_any_game_is_refused_before_it_is_explored(number: int | str) -> None:
    with pytest.raises(Mistake, match=r"target has .* digits"):
        make_rulebook("fifty-wins", target=number)
