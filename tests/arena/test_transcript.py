"""Recorded games: what perfect play says about each move, and what is refused."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import pytest

from arena.board import Board, board
from arena.transcript import Forfeit, Recording, annotate, append, games_in, parse, read, scan
from games import Mistake, RuleBook, make_rulebook
from games.rulebook import Verdict

ROOT = Path(__file__).parents[2]
LIMIT = 1 << 30  # bytes of memory: what is imported takes a third of it, and so would the longest line
PAGE = (ROOT / "docs" / "formats" / "transcripts.md").read_text(encoding="utf-8")


def played(book: RuleBook, seed: int, plies: int = 12) -> list[int]:
    """A random game, or the beginning of one, by the rule book alone."""
    chance, position, said = random.Random(seed), book.start, list[int]()
    for _ in range(plies):
        legal = [move for move in book.moves() if book.step(move, position) is not Verdict.ILLEGAL]
        if not legal:
            break
        said.append(chance.choice(legal))
        outcome = book.step(said[-1], position)
        if isinstance(outcome, Verdict):
            break
        position = outcome
    return said


def test_the_worked_games_of_the_books_end_as_they_say(book: RuleBook) -> None:
    for moves, result in book.examples.items():
        told = annotate(parse(json.dumps({"game": book.name, "moves": [int(word) for word in moves.split()]})))
        assert told.result == result
        assert [move.table for move in told.moves][-1] == book.table([move.move for move in told.moves])


def test_values_and_blunders_are_those_of_the_solver_along_every_line(relative: RuleBook) -> None:
    if not board_or_none(relative):
        pytest.skip("no first move")
    table = board(relative)
    for seed in range(5):
        moves = played(relative, seed)
        told = annotate(Recording(relative.name, relative.parameters, tuple(moves)))
        state = 0
        for judged in told.moves:
            action = table.graph.action(judged.move)
            after = int(table.graph.next_state[state, action])
            assert judged.value_before == table.solution.value[state]
            if after >= 0:
                assert judged.value_after == -table.solution.value[after]
            assert judged.blunder == (not table.solution.keeps[state, action]) == (judged.regret > 0)
            assert (judged.move in judged.keeping) == (not judged.blunder)
            state = after
        assert sum(account.regret for account in told.accounts) == sum(move.regret for move in told.moves)
        if told.result.endswith("wins"):  # what was thrown away by both sides adds up to the result
            final = 1 if told.result == "first wins" else -1
            assert told.value - told.accounts[0].regret + told.accounts[1].regret == final
            assert told.decided is not None
            assert not any(move.blunder for move in told.moves[told.decided :])


def test_a_line_cut_inside_a_character_is_one_line_and_not_the_file(tmp_path: Path) -> None:
    file, whole = tmp_path / "games.jsonl", Recording("fifty-wins", {}, (1,), ("Zoé", "Zoé"))
    append(file, whole)
    line = file.read_bytes()
    file.write_bytes(line[: line.rindex("é".encode()) + 1])
    append(file, whole)
    games, faults = scan(file)
    assert [game.players for game in games] == [("Zoé", "Zoé")]
    assert [str(fault).partition(" (")[0] for fault in faults] == [f"{file}:1: not text"]
    with pytest.raises(Mistake, match="1: not text"):
        read(file)


def board_or_none(book: RuleBook) -> Board | None:
    try:
        return board(book)
    except Mistake:
        return None


def test_where_a_game_was_decided_is_the_last_move_that_changed_its_value() -> None:
    for book in (make_rulebook("number-flip"), make_rulebook("fifty-wins")):
        for seed in range(20):
            told = annotate(Recording(book.name, book.parameters, tuple(played(book, seed, 60))))
            blunders = [move.ply for move in told.moves if move.blunder]
            assert told.decided == (blunders[-1] if blunders else 0)


def test_an_unfinished_game_is_not_called_decided() -> None:
    told = annotate(parse('{"game": "fifty-wins", "moves": [7], "stopped": "tea"}'))
    assert told.decided_by == (
        "not finished; second player could force a win since move 1: first player said 7 and turned a win into a loss"
    )
    told = annotate(parse('{"game": "fifty-wins", "moves": [6]}'))
    assert (told.decided, told.decided_by) == (0, "not finished; first player could force a win from the start")


def test_a_forfeit_throws_away_what_was_there(book: RuleBook) -> None:
    table = board(book)
    value = table.value(0)
    for seat, why in ((0, "illegal"), (1, "resigned"), (0, "late"), (0, "crashed"), (0, "unparsable")):
        told = annotate(Recording(book.name, book.parameters, (), forfeit=Forfeit(seat, why, "x")))
        assert told.accounts[seat].regret == (value if seat == 0 else -value) + 1
        assert told.accounts[seat].forfeited
        assert told.result == ("second wins" if seat == 0 else "first wins")
        assert told.decided == (0 if told.accounts[seat].regret == 0 else 1)


def test_a_recording_survives_its_file(book: RuleBook, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    moves = tuple(played(book, 3, 2))[:1]
    games = [
        Recording(book.name, book.parameters, moves, ("ann ✎", "bob"), note={"seed": 1}),
        Recording(book.name, book.parameters, moves, forfeit=Forfeit(1, "illegal", "99")),
        Recording(book.name, book.parameters, moves, stopped="tea"),
    ]
    for game in games:
        append(file, game)
    assert read(file) == games
    json.dumps([asdict(annotate(game)) for game in games], allow_nan=False)


def test_a_line_is_added_whole_after_one_that_was_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text('{"game": "fif')
    append(file, Recording("fifty-wins", {}, (7,)))
    assert parse(file.read_text().splitlines()[1]).moves == (7,)
    with pytest.raises(Mistake, match=r"games\.jsonl:1: not JSON"):
        read(file)


def test_the_games_on_the_page_are_read(tmp_path: Path) -> None:
    block = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert block
    (tmp_path / "page.jsonl").write_text(block[1], encoding="utf-8")
    results = [annotate(game).result for game in read(tmp_path / "page.jsonl")]
    assert results == ["second wins", "second wins", "stopped"]


def test_the_page_names_every_key_of_the_result() -> None:
    told = asdict(annotate(parse('{"game": "fifty-wins", "moves": [7]}')))
    for key in {*told, *told["moves"][0], *told["accounts"][0]} - {"players", "player", "seat", "ply", "move"}:
        assert f"`{key}`" in PAGE or key in ("game", "accounts"), key


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7", "int is not a game"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"moves": []}', "game is None"),
        ('{"game": "fifty-win", "moves": []}', "did you mean fifty-wins"),
        ('{"game": "fifty-wins", "move": [1]}', "no such key of a transcript: move; did you mean moves"),
        ('{"game": "fifty-wins"}', "moves must be a list"),
        ('{"game": "fifty-wins", "moves": [true]}', "moves must be a list of whole numbers"),
        ('{"game": "fifty-wins", "moves": [11]}', "no move 11"),
        ('{"game": "fifty-wins", "moves": [1' + "0" * 30 + "]}", "no move 1000"),
        ('{"game": "fifty-wins", "moves": [1' + "0" * 5000 + "]}", "not JSON"),
        ('{"game": "number-flip", "moves": [5, 5]}', "5 is against the rules after '5'"),
        ('{"game": "avoid-the-seventh", "moves": [3, 4, 1]}', "the game is over after '3 4'"),
        ('{"game": "avoid-the-seventh", "moves": [3, 4], "stopped": "x"}', "the last move ends the game"),
        ('{"game": "fifty-wins", "moves": [], "forfeit": {"seat": 1, "why": "late"}}', "but seat 0 was to move"),
        ('{"game": "fifty-wins", "moves": [], "forfeit": {"seat": 2, "why": "late"}}', "forfeit.seat is 2"),
        ('{"game": "fifty-wins", "moves": [], "forfeit": {"seat": 0, "why": "lat"}}', "did you mean late"),
        ('{"game": "fifty-wins", "moves": [], "format": "perfect-play-transcript-9"}', "this program reads"),
        ('{"game": "fifty-wins", "moves": [], "players": ["a"]}', "must be two names"),
        ('{"game": "fifty-wins", "moves": [], "parameters": {"target": "x"}}', "is not a whole number"),
        ('{"game": "fifty-wins", "moves": ' + str([1] * 10_001) + "}", "at most 10000"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text('{"game": "fifty-wins", "moves": []}\n' + line + "\n")
    with pytest.raises(Mistake, match=re.escape(message)) as raised:
        read(file)
    assert str(raised.value).startswith(f"{file}:2: ")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="cannot be read"):
        read(tmp_path / "nowhere")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Mistake, match="not text"):
        read(tmp_path / "binary")


HARMFUL = {
    "deep note": ('{"game": "fifty-wins", "moves": [], "note": ' + "[" * 900 + "]" * 900 + "}", "more than 100 deep"),
    "deep": ("[" * 5_000, "nested too deeply"),
    "large game": ('{"game": "fifty-wins", "parameters": {"target": 30000000}, "moves": []}', "more than 200000 "),
    "wide game": ('{"game": "fifty-wins", "parameters": {"largest": 30000000}, "moves": []}', "moves"),
    "huge number": ('{"game": "fifty-wins", "moves": [1' + "0" * 5_000 + "]}", "not JSON"),
    "large number": ('{"game": "fifty-wins", "moves": [1' + "0" * 3_000 + "]}", "no move 1000"),
    "infinity": ('{"game": 1e999, "moves": []}', "not JSON"),
    "missing file": (
        '{"game": "mine", "moves": [1], "checksum": "' + "a" * 64 + '"}',
        "aaaaaaaaaaaaaaaa.game: missing",
    ),
    "long name": ('{"game": "' + "x" * 500_000 + '", "moves": []}', "no such game"),
    "long list": ('{"game": "fifty-wins", "moves": [], "stopped": ' + str([1] * 100_000) + "}", "stopped is [1, 1"),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_line_that_was_made_to_harm_is_one_short_line(name: str, tmp_path: Path) -> None:
    file, (line, message) = tmp_path / "games.jsonl", HARMFUL[name]
    file.write_text('{"game": "fifty-wins", "moves": []}\n' + line + "\n")
    games, faults = scan(file)
    assert (len(games), len(faults)) == (1, 1)
    assert message in str(faults[0])


def test_the_command_says_a_short_line_about_each_that_it_leaves_out(tmp_path: Path) -> None:
    lines = [line for name, (line, _) in HARMFUL.items() if "large" not in name]
    (tmp_path / "games.jsonl").write_text("\n".join([*lines, '{"game": "fifty-wins", "moves": []}', ""]))
    done = command(tmp_path / "games.jsonl")
    assert done.returncode == 0
    assert [line.startswith("left out: ") for line in done.stderr.splitlines()] == [True] * len(lines)
    assert max(map(len, done.stderr.splitlines())) < 3_000


def command(file: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "exam.py", "--transcript", str(file)]
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=120)


def test_texts_in_a_transcript_reach_the_terminal_without_control_sequences(tmp_path: Path) -> None:
    obeyed = "\x1b]0;you\x07\x1b[2J\u202e\ud800"
    game = {"game": "fifty-wins", "moves": [1], "players": [obeyed, "b"], "note": obeyed}
    lines = [game | {"stopped": obeyed}, game | {"forfeit": {"seat": 1, "why": "illegal", "said": obeyed}}, {obeyed: 1}]
    (tmp_path / "games.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = command(tmp_path / "games.jsonl")
    assert done.returncode == 0
    assert r"\x1b]0;you\x07\x1b[2J\u202e\ud800" in done.stdout
    assert (done.stdout + done.stderr).replace("\n", "").isprintable()
    assert "no such key of a transcript" in done.stderr


def test_a_large_transcript_is_read_a_line_at_a_time(tmp_path: Path) -> None:
    file, line = tmp_path / "games.jsonl", b'{"game": "fifty-wins", "moves": [1, 2, 3]}\n'
    with file.open("wb") as games:
        games.write(line * 1_100 + b"{}\n" * 30 + b"x" * 80_000_000 + b"\n" + line)
    words = f"import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_DATA, ({LIMIT}, {LIMIT})); "
    words += f"sys.argv = ['exam.py', '--transcript', {str(file)!r}]; runpy.run_path('exam.py', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\ngame ") == 999
    assert "101 further games are counted here, and not shown\nall 1101 games\n" in done.stdout
    assert (len(done.stderr.splitlines()), "left out: 31 lines in all" in done.stderr) == (21, True)


def test_a_file_of_something_else_is_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "games.jsonl").write_bytes(b"{}\n" * 3_000_000)
    assert len(list(islice(games_in(tmp_path / "games.jsonl"), 10_000))) == 10_000
    with pytest.raises(Mistake, match="more than 10000 of its lines hold no game"):
        list(games_in(tmp_path / "games.jsonl"))


def test_a_pipe_is_no_transcript_that_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "games.jsonl")
    with pytest.raises(Mistake, match="is no file but a pipe"):
        read(tmp_path / "games.jsonl")
