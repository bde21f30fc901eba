"""What perfect play answers a person who asks: a hint, what each move is worth, why a number is refused."""

from __future__ import annotations

from collections.abc import Sequence

from arena.board import Board
from arena.review import alternatives
from games import DRAW, MOVER_LOSES, MOVER_WINS

MOST_NAMES = 30  # of the moves that a prompt lists
HERE = {1: "you can force a win", 0: "neither side can force a win", -1: "perfect play of the other side beats you"}
AT_ONCE = {int(MOVER_WINS): "wins at once", int(MOVER_LOSES): "loses at once", int(DRAW): "draws at once"}
WORTH = {1: ("good", "wins"), 0: ("", "holds"), -1: ("bad", "loses")}


def hint(table: Board, state: int) -> str:
    """A move of perfect play: the winner hurries, the loser delays."""
    value, keeping = table.value(state), table.keeping(state)
    if value == 0:
        names = [table.book.name_of(move) for move in keeping]
        return f"hint: neither side can force a win; {alternatives(names)} keeps it so"

    def plies(move: int) -> int:
        after = table.after(state, move)
        return 1 + (int(table.solution.remoteness[after]) if after >= 0 else 0)

    best = min(keeping, key=lambda move: (value * plies(move), move))
    name = table.book.name_of(best)
    if value > 0:
        return f"hint: {name} wins, in {plies(best)} {'ply' if plies(best) == 1 else 'plies'}"
    return f"hint: against perfect play every move loses; {name} puts it off longest"


def worths(table: Board, state: int) -> list[tuple[str, str, str]]:
    """What every legal move is worth: a style, the move's name, and the words."""
    rows = []
    for move in table.legal(state):
        action = table.graph.action(move)
        style, verb = WORTH[table.worth(state, action)]
        after = table.after(state, move)
        far = f" in {1 + int(table.solution.remoteness[after])} plies" if after >= 0 and table.value(after) else ""
        rows.append((style, table.book.name_of(move), AT_ONCE[after] if after < 0 else verb + far))
    return rows


def choices(table: Board, state: int) -> str:
    """The legal moves as a prompt lists them: numbers in spans, or names."""
    moves = table.legal(state)
    names = [table.book.name_of(move) for move in moves]
    if names == [str(move) for move in moves]:
        return spans(moves)
    more = f", and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def refusal(table: Board, moves: Sequence[int], move: int) -> str:
    """Why this number is no legal move after these: "8 was just played", "11 is no move of this game"."""
    if move not in table.book.moves():
        return f"{move} is no move of this game"
    why = table.book.refusal(move, moves)
    return why or f"{table.book.name_of(move)} is against the rules here"


def without_end(table: Board) -> str:
    """What people should know before a game that may never end; nothing about a game that always does."""
    if table.max_plies is None:
        return ""
    if table.value(0) == 0:
        return (
            f"Perfect play never ends this game: whoever does not slip cannot be beaten. After {table.max_plies} moves "
            "it is stopped without a winner."
        )
    return f"Play may go round in a circle here: after {table.max_plies} moves it is stopped without a winner."


def spans(moves: Sequence[int]) -> str:
    """1-6, 8-10"""
    runs: list[list[int]] = []
    for move in moves:
        if runs and move == runs[-1][-1] + 1:
            runs[-1].append(move)
        else:
            runs.append([move])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
