"""Whole games of an outside player against a policy, from both seats in turn, each move judged exactly.

An answer that is no legal move in time loses the game: it stands in the transcript as a forfeit, never as a move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arena.board import Board, board
from arena.copies import Copies
from arena.marks import last_line
from arena.pipe import RESTARTS, Pipe
from arena.protocol import digest, question
from arena.review import score, some
from arena.sitting import Sitting, Stopped, fingerprint, folder, named
from arena.transcript import SEATS, Annotation, Forfeit, Recording, annotate, append, scan
from games import Mistake, Policy
from training.run import Run


@dataclass(frozen=True)
class Played:
    """Games that were played against one opponent."""

    label: str
    games: list[Annotation]
    file: Path
    last_words: str  # the end of the player's stderr


def play_games(
    sitting: Sitting,
    opponent: Policy,
    name: str,
    games: int,
    out: str | Path,
    *,
    player: Copies | None = None,
    resume: bool = False,
    overwrite: bool = False,
    show: Callable[[int, Annotation], None] = lambda number, game: None,
) -> Played:
    """Play whatever is not yet in the transcript, which is the run's games/OPPONENT.jsonl.

    Where the player is given up, the games left are not played: it could not lose them, and `resume` plays them.
    """
    if player is None:
        with Copies(sitting.words, sitting.seconds, sitting.startup) as alone:
            return play_games(
                sitting, opponent, name, games, out, player=alone, resume=resume, overwrite=overwrite, show=show
            )
    table = board(sitting.book)
    if not sitting.label:
        sitting = named(sitting, player, question(table, [], sitting.seconds))[0]
    run = Run(sitting.path(out))
    file = run.path / "games" / f"{folder(name)}.jsonl"
    if file.exists() and not (resume or overwrite):
        raise Mistake(f"{file}: these games exist; add --resume to go on with them, --overwrite to start anew")
    who = {
        "player": fingerprint(sitting.words),
        "opponent": digest([table.graph.checksum, opponent.probability.tolist()]),
        "seed": sitting.seed,
        "timeout": sitting.seconds,
        "startup": sitting.startup,
    }

    def play(pipe: Pipe, number: int) -> Recording:
        chance = np.random.default_rng([sitting.seed, number])
        names = (sitting.label, name) if number % 2 == 0 else (name, sitting.label)
        return _game(table, pipe, sitting, opponent, chance, names, {"key": digest([who, number]), "number": number})

    with run.locked():
        file.parent.mkdir(exist_ok=True)
        if overwrite:
            file.unlink(missing_ok=True)
        before = {record.note["key"]: record for record in _ours(file)}
        keys = [digest([who, number]) for number in range(games)]
        if before and not any(key in before for key in keys):
            raise Mistake(
                f"{file}: none of its {len(before)} games is of this player, opponent and time limits; "
                "add --overwrite to play all anew, or choose another --name"
            )
        played = dict[int, Annotation]()
        for number, key in enumerate(keys):
            if key in before:
                played[number] = annotate(before[key])
                show(number, played[number])
        left = [number for number in range(games) if number not in played]
        try:
            for _, number, record in player.each(left, play):
                if record is not None:
                    append(file, record)
                    played[number] = annotate(record)
                    show(number, played[number])
        except KeyboardInterrupt:
            raise Stopped(run.path, sitting.label) from None
    return Played(sitting.label, [played[number] for number in sorted(played)], file, player.last_words)


def _ours(file: Path) -> list[Recording]:
    records = scan(file)[0] if file.exists() else []  # a game that was cut off is played again
    return [record for record in records if isinstance(record.note, dict) and isinstance(record.note.get("key"), str)]


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


def words(played: Played, opponent: str, wanted: int) -> str:
    """Results and exact regret per seat, for people."""
    lines = [f"{played.label} against {opponent}: {some(len(played.games), 'game')}"]
    for seat, name in enumerate(SEATS):
        games = [game for game in played.games if game.note["number"] % 2 == seat]  # it moves first in the even ones
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
    if len(played.games) < wanted:
        left = f"{some(wanted - len(played.games), 'game')} of {wanted} not played (--resume plays them)"
        lines.append(f"  {'given up':17}it died {RESTARTS} times in a row; {left}")
    died = any(game.forfeit is not None and game.forfeit.why == "crashed" for game in played.games)
    if played.last_words and (died or len(played.games) < wanted):
        lines.append(f"  {'its last words':17}{last_line(played.last_words)}")
    return "\n".join(lines)
