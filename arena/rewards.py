"""Dense exact rewards: how each move of a game changes the value of the position, known at once, for whoever learns.

    from arena.rewards import rewards
    from games import make_rulebook

    rewards(make_rulebook("number-flip", target=60), [8, 7, 9])        # a number a move: 0, -1 or -2

examples/dense_rewards.py learns from them.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.board import Board, board
from games import Mistake, RuleBook
from games.rulebook import Verdict


def rewards(game: RuleBook | Board, moves: Iterable[int]) -> list[int]:
    """The change of value by each move of a game from its start, told for the player who made it.

    0 keeps the value, -1 turns a win into an even game or an even game into a loss, -2 a win into a loss. A last move
    that the rules forbid loses the game: it costs what was left to lose, which is nothing where all was lost before.
    A book is solved with the first call; every other one takes microseconds, as with a board.
    """
    table, state, changes = _solved(game), 0, list[int]()
    for move in moves:
        if state < 0:
            raise Mistake(
                f"{table.book.name}: move {len(changes) + 1} ({move}) comes after the end of the game; leave it out"
            )
        before, state = table.value(state), table.after(state, move)
        after = -table.value(state) if state >= 0 else Verdict(state).worth
        changes.append(after - before)
    return changes


def result(game: RuleBook | Board, moves: Iterable[int]) -> int | None:
    """What a whole game came to for the first player: 1 won, 0 drawn, -1 lost; None if it is not over.

    A last move that the rules forbid loses it.
    """
    table, state, seat = _solved(game), 0, -1
    for move in moves:
        state, seat = table.after(state, move), seat + 1
    if state >= 0:
        return None
    return Verdict(state).worth * (1 if seat % 2 == 0 else -1)


def _solved(game: RuleBook | Board) -> Board:
    return game if isinstance(game, Board) else board(game)
