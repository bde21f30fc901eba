"""The shelf of rule books in examples/books: each is the game that people mean by its name, move for move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import pytest

from games import (
    DRAW,
    ILLEGAL,
    MOVER_LOSES,
    MOVER_WINS,
    Mistake,
    RuleBook,
    StoredGame,
    check_rulebook,
    compile_rulebook,
    make_rulebook,
)
from games.check import result_of
from games.gamefile import read_content
from solver import certify, solve

SHELF = sorted((Path(__file__).parents[2] / "examples" / "books").glob("*.py"))
Told = Iterator[
    tuple[str, Any]
]  # the name of a legal move, and the next position or how it ends for the mover: 1, 0, -1
Rules = Callable[..., Told]


def on_the_shelf(name: str, **parameters: Any) -> RuleBook:
    return make_rulebook(str(SHELF[0].with_name(f"{name}.py")), **parameters)


# The same games once more, written in other ways: sets, strings, magic squares; a position holds what it needs.


def noughts(position: Any, misere: int = 0) -> Told:
    """A line of the magic square is any three numbers that add up to 15."""
    magic = dict(zip(("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"), (2, 7, 6, 9, 5, 1, 4, 3, 8), strict=True))
    mine, theirs = position
    for name, number in magic.items():
        if number not in mine | theirs:
            if any(sum(three) == 15 and number in three for three in combinations(mine | {number}, 3)):
                yield name, -1 if misere else 1
            else:
                yield name, 0 if len(mine | theirs) == 8 else (theirs, mine | {number})


def bowling(row: str) -> Told:
    for size, at in ((size, at) for size in (1, 2) for at in range(len(row))):
        if row[at : at + size] == "|" * size:
            after = row[:at] + "." * size + row[at + size :]
            name = f"pin {at + 1}" if size == 1 else f"pins {at + 1} and {at + 2}"
            yield name, after if "|" in after else 1


def chocolate(bar: frozenset[tuple[str, int]]) -> Told:
    for column, row in bar:
        left = frozenset(square for square in bar if square[0] < column or square[1] < row)
        yield f"{column}{row}", left or -1


def pawns(position: Any) -> Told:
    """Squares by name, each with its pawn; `files` and `last` measure the board."""
    turn, board, files, last = position
    pieces, ahead = dict(board), 1 if turn == "W" else -1
    for square, pawn in board:
        for aside in (-1, 0, 1) if pawn == turn else ():
            file, rank = chr(ord(square[0]) + aside), int(square[1]) + ahead
            there = pieces.get(f"{file}{rank}")
            if file in files and 1 <= rank <= last and (there is None if aside == 0 else there not in (None, turn)):
                after = {place: man for place, man in board if place not in (square, f"{file}{rank}")}
                after[f"{file}{rank}"] = turn
                other = "B" if turn == "W" else "W"
                name = f"{square}{'x' if there else '-'}{file}{rank}"
                yield name, 1 if rank in (1, last) else (other, tuple(sorted(after.items())), files, last)


def boxes(position: Any) -> Told:
    """Boxes by their middle, lines by theirs, in steps of half a box; `lead` is how many boxes more the mover owns."""
    drawn, owed, lead, rows, columns = position
    if owed:
        yield "pass", (drawn, False, -lead, rows, columns)
        return
    lines = [(y, x) for y in range(2 * rows + 1) for x in range(2 * columns + 1) if (x + y) % 2]
    for y, x in lines:
        if (y, x) in drawn:
            continue
        after = drawn | {(y, x)}
        closed = sum(
            all((j + down, i + aside) in after for down, aside in ((0, 1), (1, 0), (0, -1), (-1, 0)))
            for j, i in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1))
            if j % 2 and i % 2 and 0 < j < 2 * rows and 0 < i < 2 * columns
        )
        name = f"{'abcd'[x // 2]}{y // 2 + 1}{'abcd'[(x + 1) // 2]}{(y + 1) // 2 + 1}"
        ahead = lead + closed
        if len(after) == len(lines):
            yield name, (ahead > 0) - (ahead < 0)
        else:
            yield name, (after, closed > 0, -ahead, rows, columns)


def purse(position: tuple[str, int]) -> Told:
    """The coins that are left, and how much the mover is ahead."""
    coins, ahead = position
    for name, coin, rest in (("left", coins[0], coins[1:]), ("right", coins[-1], coins[:-1])):
        after = ahead + int(coin)
        yield name, (rest, -after) if rest else (after > 0) - (after < 0)


def star(position: tuple[str, str]) -> Told:
    turn, board = position
    ring, gap = board[:8], board.index(".")
    for place, stone in enumerate(board):
        near = {ring[place - 1], ring[(place + 1) % 8]} if place < 8 else set()
        reaches = place == 8 or (gap < 8 and (place - gap) % 8 in (1, 7)) or (gap == 8 and near - {turn, "."})
        if stone == turn and reaches:
            after = "".join(turn if at == gap else "." if at == place else held for at, held in enumerate(board))
            yield "centre" if place == 8 else f"point {place + 1}", ("O" if turn == "X" else "X", after)


def heaps(position: Any) -> Told:
    """Heaps by their numbers; the last to take wins."""
    for at, heap in enumerate(position):
        for taken in range(1, heap + 1):
            after = (*position[:at], heap - taken, *position[at + 1 :])
            yield f"take {taken} from row {at + 1}", after if any(after) else 1


def board_of(rows: int, columns: int) -> Any:
    files = "abcd"[:columns]
    men = {f"{file}1": "W" for file in files} | {f"{file}{rows}": "B" for file in files}
    return "W", tuple(sorted(men.items())), files, rows


def bar_of(rows: int, columns: int) -> frozenset[tuple[str, int]]:
    return frozenset((chr(ord("a") + column), row + 1) for column in range(columns) for row in range(rows))


NOBODY = frozenset[int]()
SAME: dict[str, list[tuple[dict[str, int], Rules, Any, int | None]]] = {  # parameters, rules, start, known value
    "nim": [({}, heaps, (1, 3, 5), 1), ({"rows": 4}, heaps, (1, 3, 5, 7), -1)],
    "tic_tac_toe": [({}, noughts, (NOBODY, NOBODY), 0)],
    "kayles": [({}, bowling, "|" * 9, 1), ({"pins": 1}, bowling, "|", 1), ({"pins": 6}, bowling, "|" * 6, 1)],
    "chomp": [({}, chocolate, bar_of(4, 5), 1), ({"rows": 3, "columns": 3}, chocolate, bar_of(3, 3), 1)],
    "hexapawn": [({}, pawns, board_of(3, 3), -1), ({"rows": 4, "columns": 2}, pawns, board_of(4, 2), None)],
    "dots_and_boxes": [
        ({}, boxes, (NOBODY, False, 0, 2, 2), 1),
        ({"rows": 1, "columns": 1}, boxes, (NOBODY, False, 0, 1, 1), -1),
        ({"rows": 1, "columns": 2}, boxes, (NOBODY, False, 0, 1, 2), None),
    ],
    "coins_in_a_row": [({}, purse, ("314159265", 0), None), ({"coins": 38}, purse, ("38", 0), 1)],
    "mu_torere": [({}, star, ("X", "XXXXOOOO."), 0)],
}
MEMBERS = [(name, *member) for name, members in SAME.items() for member in members]


@pytest.mark.parametrize("file", SHELF, ids=lambda file: file.stem)
def test_a_book_of_the_shelf_passes_the_check_with_its_worked_games(file: Path) -> None:
    check = check_rulebook(make_rulebook(str(file)))
    assert not check.faults
    assert "replayed" in str(check)
    assert len(file.read_text("utf-8").splitlines()) <= 72
    assert file.stem in SAME, "write the game once more, in another way"


@pytest.mark.parametrize(("name", "parameters", "rules", "start", "value"), MEMBERS)
def test_a_game_of_the_shelf_is_the_game_that_people_mean_by_it(
    name: str, parameters: dict[str, int], rules: Rules, start: Any, value: int | None
) -> None:
    """Both are walked side by side: the same legal moves by name, the same ends, in every position."""
    book = on_the_shelf(name, **parameters)
    graph = compile_rulebook(book)
    ends = {int(MOVER_WINS): 1, int(DRAW): 0, int(MOVER_LOSES): -1}
    there, queue = {0: start}, [0]
    for state in queue:
        told = dict(rules(there[state]))
        legal = {graph.name_of(a): int(after) for a, after in enumerate(graph.next_state[state]) if after != ILLEGAL}
        assert set(told) == set(legal), graph.words(state)
        for move, after in legal.items():
            if after < 0:
                assert told[move] == ends[after], (graph.words(state), move)
            elif after in there:
                assert told[move] == there[after], (graph.words(state), move)
            else:
                assert not isinstance(told[move], int), (graph.words(state), move)
                there[after] = told[move]
                queue.append(after)
    assert len(queue) == graph.num_states
    solution = solve(graph)
    assert certify(graph, solution) == []
    assert value is None or solution.value[0] == value


@cache
def grundy(pins: int) -> int:
    """Of a row of that many standing pins, by Sprague and Grundy."""
    after = {grundy(left) ^ grundy(pins - hit - left) for hit in (1, 2) for left in range(pins - hit + 1)}
    return next(number for number in range(len(after) + 1) if number not in after)


@pytest.mark.parametrize("pins", [5, 9])
def test_kayles_is_won_where_its_grundy_number_is_not_zero(pins: int) -> None:
    graph = compile_rulebook(on_the_shelf("kayles", pins=pins))
    for position, value in zip(graph.positions.tolist(), solve(graph).value, strict=True):
        rows = "".join(map(str, position)).split("1")
        numbers = [grundy(len(row)) for row in rows]
        total = 0
        for number in numbers:
            total ^= number
        assert value == (1 if total else -1), position


def test_published_numbers_hold() -> None:
    assert compile_rulebook(on_the_shelf("tic_tac_toe")).num_states == 5_478 - 958  # all positions, but those at an end
    assert solve(compile_rulebook(on_the_shelf("tic_tac_toe", misere=1))).value[0] == 0
    for rows, columns in ((1, 4), (2, 2), (3, 5), (5, 4)):
        graph = compile_rulebook(on_the_shelf("chomp", rows=rows, columns=columns))
        assert graph.num_states == comb(rows + columns, rows) - 1  # staircases
        assert solve(graph).value[0] == 1  # by strategy stealing
    for coins in (1423, 98765432, 31415926, 11111111):  # an even number of them: the first player never loses
        assert solve(compile_rulebook(on_the_shelf("coins_in_a_row", coins=coins))).value[0] >= 0


def test_the_shelf_has_draws_and_a_cycle() -> None:
    graphs = [compile_rulebook(make_rulebook(str(file))) for file in SHELF]
    assert sum((graph.next_state == int(DRAW)).any() for graph in graphs) >= 2
    assert any(graph.has_cycle for graph in graphs)


@pytest.mark.parametrize("file", SHELF, ids=lambda file: file.stem)
def test_a_game_of_the_shelf_becomes_a_game_file_with_its_words(file: Path) -> None:
    book = make_rulebook(str(file))
    stored = read_content(StoredGame.of(compile_rulebook(book)).content, "here")
    assert stored.text == book.text
    for line, result in book.examples.items():
        moves = stored.moves_in(line)
        assert result_of(stored, moves) == result
        assert stored.moves_in(stored.line(moves)) == moves


def test_what_is_too_large_is_refused_in_a_line() -> None:
    for name, given in (("kayles", {"pins": 17}), ("dots_and_boxes", {"rows": 4}), ("chomp", {"columns": 27})):
        with pytest.raises(Mistake, match="too large"):
            on_the_shelf(name, **given)
