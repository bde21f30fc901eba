"""Rewards of moves: what annotate says of the same game, in the sum what the game came to."""

from __future__ import annotations

import random

import pytest

from arena.board import board
from arena.recording import Recording
from arena.rewards import result, rewards
from arena.transcript import annotate
from games import Mistake, RuleBook, make_rulebook
from tests.books import BOOKS

SMALL = make_rulebook("fifty-wins", target=7, largest=3)


def some_game(book: RuleBook, seed: int) -> list[int]:
    table, chance = board(book), random.Random(seed)
    moves, state = list[int](), 0
    while state >= 0 and len(moves) < 1_000:
        moves.append(chance.choice(table.legal(state)))
        state = table.after(state, moves[-1])
    return moves


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
@pytest.mark.parametrize("seed", range(5))
def test_the_rewards_are_the_regrets_of_the_same_moves(book: RuleBook, seed: int) -> None:
    moves = some_game(book, seed)
    told = annotate(Recording(book.name, book.parameters, tuple(moves), source=book))
    assert rewards(board(book), moves) == rewards(book, moves) == [-move.regret for move in told.moves]
    assert result(book, moves) == {"first wins": 1, "second wins": -1, "draw": 0, "goes on": None}[told.result]


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
@pytest.mark.parametrize("seed", range(5))
def test_what_both_lose_leads_from_the_value_of_the_start_to_the_result(book: RuleBook, seed: int) -> None:
    moves = some_game(book, seed)
    changes = rewards(book, moves)
    if (came_to := result(book, moves)) is not None:
        assert board(book).value(0) + sum(changes[0::2]) - sum(changes[1::2]) == came_to


def test_a_forbidden_last_move_loses_whatever_was_left() -> None:
    assert rewards(SMALL, [3, 4]) == [0, 0]  # 7 - 3 = 4 is lost to the second player, who had nothing to lose
    assert rewards(SMALL, [99]) == [-2]
    assert (result(SMALL, [3, 99]), result(SMALL, [99])) == (1, -1)
    with pytest.raises(Mistake, match=r"move 2 \(1\) comes after the end"):
        rewards(SMALL, [99, 1])


def test_a_game_that_goes_on_has_rewards_and_no_result() -> None:
    assert (rewards(SMALL, [1, 2]), result(SMALL, [1, 2])) == ([-2, 0], None)
    assert (rewards(SMALL, []), result(SMALL, [])) == ([], None)
