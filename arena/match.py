"""Whole games of an outside player against a policy, from both seats in turn, each move judged exactly.

An answer that is no legal move in time loses the game: it stands in the transcript as a forfeit, never as a move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arena.board import Board, board
from arena.exam import Sitting, fingerprint, folder
from arena.pipe import RESTARTS, GaveUp, Pipe
from arena.protocol import digest, question
from arena.review import score, some
from arena.transcript import SEATS, Annotation, Forfeit, Recording, annotate, append, scan
from games import Mistake, Policy
from training.run import Run


def play_games(
    sitting: Sitting,
    opponent: Policy,
    name: str,
    games: int,
    out: str | Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    show: Callable[[int, Annotation], None] = lambda number, told: None,
) -> tuple[list[Annotation], Path]:
    """Play whatever is not yet in the transcript, which is the run's games/OPPONENT.jsonl; the games, and that file.

    Where the player is given up, the games left are not played: it could not lose them, and `resume` plays them.
    """
    table = board(sitting.book)
    run = Run(sitting.path(out))
    file = run.path / "games" / f"{folder(name)}.jsonl"
    if file.exists() and not (resume or overwrite):
        raise Mistake(f"{file}: these games exist; add --resume to go on with them, --overwrite to start anew")
    against = digest([table.graph.checksum, opponent.probability.tolist()])
    who = {
        "player": fingerprint(sitting.words),
        "opponent": against,
        "seed": sitting.seed,
        "timeout": sitting.seconds,
        "startup": sitting.startup,
    }
    with run.locked():
        file.parent.mkdir(exist_ok=True)
        if overwrite:
            file.unlink(missing_ok=True)
        before = {record.note["key"]: record for record in _ours(file)}
        if before and not any(digest([who, number]) in before for number in range(games)):
            raise Mistake(
                f"{file}: none of its {len(before)} games is of this player, opponent and time limits; "
                "add --overwrite to play all anew, or choose another --name"
            )
        told = []
        with Pipe(sitting.words, sitting.seconds, sitting.startup) as player:
            for number in range(games):
                key = digest([who, number])
                record = before.get(key)
                if record is None:
                    chance = np.random.default_rng([sitting.seed, number])
                    names = (sitting.label, name) if number % 2 == 0 else (name, sitting.label)
                    try:
                        record = _game(table, player, sitting, opponent, chance, names, {"key": key, "number": number})
                    except GaveUp:
                        break
                    append(file, record)
                told.append(annotate(record))
                show(number, told[-1])
    return told, file


def _ours(file: Path) -> list[Recording]:
    found = scan(file)[0] if file.exists() else []  # a game that was cut off is played again
    return [record for record in found if isinstance(record.note, dict) and isinstance(record.note.get("key"), str)]


def _game(
    table: Board,
    player: Pipe,
    sitting: Sitting,
    opponent: Policy,
    chance: np.random.Generator,
    names: tuple[str, str],
    note: dict[str, Any],
) -> Recording:
    own = note["number"] % 2
    moves, state, forfeit, stopped = list[int](), 0, None, None
    while state >= 0:
        if table.max_plies is not None and len(moves) >= table.max_plies:
            stopped = f"{table.max_plies} moves"
            break
        if len(moves) % 2 == own:
            answer = player.ask(question(table, moves, sitting.seconds))
            if answer.move is None:
                forfeit = Forfeit(own, answer.kind, answer.said)
                break
            move = answer.move
        else:
            move = int(table.graph.moves[opponent.act(state, chance)])
        moves.append(move)
        state = table.after(state, move)
    return Recording(
        table.book.name, table.book.parameters, tuple(moves), names, forfeit, stopped, note,
        table.checksum, source=table.book,
    )  # fmt: skip


def words(told: Sequence[Annotation], label: str, opponent: str, wanted: int) -> str:
    """Results and exact regret per seat, for people."""
    lines = [f"{label} against {opponent}: {some(len(told), 'game')}"]
    for seat, name in enumerate(SEATS):
        games = told[seat::2]  # the player moves first in the games with even numbers
        if not games:
            continue
        accounts = [game.accounts[seat] for game in games]
        moves, regret = sum(one.moves for one in accounts), sum(one.regret for one in accounts)
        lines.append(
            f"  {'moving ' + name:17}{score([game.result for game in games], seat)}; {some(moves, 'move')}, "
            f"{sum(one.blunders for one in accounts)} of {sum(one.critical for one in accounts)} critical ones "
            f"blundered, {some(sum(one.forfeited for one in accounts), 'forfeit')}; exact regret {regret}, "
            f"{regret / max(moves + sum(one.forfeited for one in accounts), 1):.3f} a move"
        )
    if len(told) < wanted:
        left = f"{some(wanted - len(told), 'game')} of {wanted} not played (--resume plays them)"
        lines.append(f"  {'given up':17}it died {RESTARTS} times in a row; {left}")
    return "\n".join(lines)
