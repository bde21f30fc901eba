"""A match for people: one against a player of ours, or two at one keyboard, every finished game reviewed exactly."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from arena.board import Board
from arena.gamelog import LONGEST_LINE
from arena.hints import HERE, choices, hint, refusal, without_end, worths
from arena.review import some, thrown_away
from arena.screen import Screen
from arena.transcript import Annotation, Forfeit, Recording, annotate, append
from games import Mistake, Policy

COMMANDS = {
    "hint": "a move that perfect play would make",
    "undo": "take back your last move",
    "why": "what every move is worth",
    "rules": "the rules in words",
    "quit": "stop here",
}
UNDONE = -(2**62)  # in place of a move: the person took one back


@dataclass(frozen=True)
class Match:
    """What is agreed before the first game."""

    table: Board
    names: tuple[str, str]  # who is meant by me and by the opponent
    opponent: Policy | None  # None: another person
    first: str = "me"  # me, opponent or toss; who did not start then starts the next game, a toss is tossed each time
    games: int = 1
    illegal: str = "again"  # or forfeit: what a number against the rules leads to
    seed: int | None = None
    transcript: str | None = None


@dataclass
class Game:
    """One game while it is played."""

    names: tuple[str, str]  # in the order of the seats
    own: int  # my seat
    moves: list[int] = field(default_factory=list)
    forfeit: Forfeit | None = None
    stopped: str | None = None
    note: dict[str, Any] = field(default_factory=lambda: {"hints": 0, "undone": 0, "whys": 0, "refused": []})

    @property
    def mover(self) -> int:
        return len(self.moves) % 2


def play(match: Match, screen: Screen) -> None:
    """All the games of a match, or as many as there is input for."""
    if match.transcript is not None:
        _check_transcript(Path(match.transcript))
    chance = np.random.default_rng(match.seed)
    table, won, starter = match.table, dict.fromkeys(match.names, 0), 0
    screen.title(table.book.title)
    screen.say(table.book.text)
    agreed = "is asked for again" if match.illegal == "again" else "loses the game"
    screen.say(f"Agreed: a number against the rules {agreed}. Words: {', '.join(COMMANDS)}.", "quiet")
    if unending := without_end(table):
        screen.say(unending, "quiet")
    for number in range(match.games):
        if match.first == "toss" or number == 0:
            starter = int(chance.integers(2)) if match.first == "toss" else ("me", "opponent").index(match.first)
        else:
            starter = 1 - starter
        game = Game(match.names if starter == 0 else (match.names[1], match.names[0]), own=starter)
        tossed = "the coin says: " if match.first == "toss" else ""
        screen.title(f"game {number + 1} of {match.games}: {tossed}{_says(match.names[starter], 'start')}")
        try:
            _one(match, game, chance, screen)
        except KeyboardInterrupt:
            screen.say()
            game.stopped = "interrupted"
        interrupted = game.stopped == "interrupted"
        if table.ending(game.moves) is not None:
            game.stopped = None  # Ctrl-C came after the last move
        record = Recording(
            table.book.name, table.book.parameters, tuple(game.moves), game.names, game.forfeit, game.stopped,
            {"seed": match.seed, **game.note}, table.checksum, source=table.book,
        )  # fmt: skip
        if match.transcript is not None:
            append(match.transcript, record)
        judged = annotate(record)
        _review(match, game, judged, screen)
        if interrupted:
            raise KeyboardInterrupt
        for seat, result in enumerate(("first wins", "second wins")):
            won[game.names[seat]] += judged.result == result
        if match.games > 1 or game.stopped:
            rest = number + 1 - sum(won.values())
            screen.say("score: " + ", ".join(f"{name} {count}" for name, count in won.items()) + f", nobody {rest}")
        if game.stopped in ("quit", "end of input"):
            break
    screen.say("goodbye", "quiet")


def _check_transcript(file: Path) -> None:
    """Before the first move: whether it can be written, and that no other file gets games added to it."""
    try:
        with file.open("ab+") as content:
            content.seek(0)
            first = content.read(LONGEST_LINE)
    except OSError as error:  # a pipe cannot be read, and has no words for it
        raise Mistake(f"{file}: cannot be written ({error.strerror or error}); name another file") from error
    if first.strip() and b'"game"' not in first.strip().split(b"\n")[0]:
        raise Mistake(f"{file}: holds something else than games; name another file")


def _one(match: Match, game: Game, chance: np.random.Generator, screen: Screen) -> None:
    table, state = match.table, 0
    screen.say(table.book.table([]), "table")
    while state >= 0:
        if table.max_plies is not None and len(game.moves) >= table.max_plies:
            game.stopped = f"{table.max_plies} moves"
            return
        if match.opponent is not None and game.mover != game.own:
            move = int(table.graph.moves[match.opponent.act(state, chance)])
        else:
            answer = _asked(match, game, state, screen)
            if answer is None:
                return
            move = answer
            if move == UNDONE:
                state = table.graph.follow(game.moves)
                continue
        name = game.names[game.mover]
        game.moves.append(move)
        state = table.after(state, move)
        screen.say(f"{_says(name, 'say')} {table.book.name_of(move)}: {table.book.table(game.moves)}", "table")


def _asked(match: Match, game: Game, state: int, screen: Screen) -> int | None:
    """A legal move that a person chose, or UNDONE; None where the game is over without one."""
    table, legal = match.table, match.table.legal(state)
    named = {table.book.name_of(move).lower(): move for move in table.book.moves()}
    whose = "your" if game.names[game.mover] == "you" else f"{game.names[game.mover]}'s"
    while True:
        said = screen.ask(f"{whose} move ({choices(table, state)}): ")
        if said is None:
            game.stopped = "end of input"
            return None
        word = said.lower()
        move = named.get(word)
        if move is None and re.fullmatch(r"[+-]?[0-9]{1,18}", said):  # no game has a move longer than that
            move = int(said)
        if move in legal:
            return move
        if move is not None or re.fullmatch(r"[+-]?[0-9]+", said):
            why = f"{said[:30]} is no move of this game" if move is None else refusal(table, game.moves, move)
            may = f"{_says(game.names[game.mover], 'may')} say {choices(table, state)}"
            screen.say(f"{why}: {may}", "bad")
            if match.illegal == "forfeit":
                game.forfeit = Forfeit(game.mover, "illegal", said[:100])
                return None
            game.note["refused"].append({"ply": len(game.moves) + 1, "said": said[:100]})
        elif word == "quit":
            game.stopped = "quit"
            return None
        elif word == "undo":
            back = 1 if match.opponent is None else 2
            if len(game.moves) < back:
                screen.say("there is nothing to take back", "quiet")
                continue
            del game.moves[-back:]
            game.note["undone"] += 1
            screen.say(f"taken back: {table.book.table(game.moves)}", "table")
            return UNDONE
        elif word == "rules":
            screen.say(table.book.text)
        elif word == "hint":
            game.note["hints"] += 1
            screen.say(hint(table, state))
        elif word == "why":
            game.note["whys"] += 1
            screen.say(f"here {HERE[table.value(state)]}")
            screen.rows(worths(table, state))
        elif word:
            near = difflib.get_close_matches(word, COMMANDS, 1)
            screen.say(f"{said[:30]!r} is no move" + (f"; did you mean {near[0]}?" if near else ""), "bad")
            screen.rows([("quiet", name, about) for name, about in COMMANDS.items()])


def _review(match: Match, game: Game, judged: Annotation, screen: Screen) -> None:
    people = [game.own] if match.opponent is not None else [0, 1]
    winner = {"first wins": 0, "second wins": 1}.get(judged.result)
    style = "" if winner is None else "good" if winner in people else "bad"
    screen.say(judged.why, style)
    screen.say("review", "title")
    for seat in people:
        account = judged.accounts[seat]
        made = f"{some(account.moves, 'move')}, {some(account.blunders, 'blunder')}"
        screen.say(f"  {game.names[seat]}: {made} at {some(account.critical, 'critical position')}")
        for line in thrown_away(judged, seat):
            screen.say(f"  {line}", "bad")
    screen.say(f"  {judged.decided_by}")


def _says(name: str, verb: str) -> str:
    return f"{name} {verb}" if name == "you" or verb == "may" else f"{name} {verb}s"
