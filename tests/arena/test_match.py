"""Whole games of an outside player, from both seats, with exact regret."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import player
from agents.players import seated
from arena.board import board
from arena.exam import hold
from arena.match import Played, play_games, words
from arena.review import lines
from arena.sitting import Sitting
from arena.transcript import Annotation, read, scan
from games import Mistake, Policy, RuleBook, make_rulebook
from tests.arena.hostile import HEAD, HOSTILE

ROOT = Path(__file__).parents[2]
RANDOM = [sys.executable, "-S", str(ROOT / "examples" / "random_player.py"), "4"]
SMALL = make_rulebook("fifty-wins", target=12, largest=3)


def sit(given: list[str], book: RuleBook = SMALL, seconds: float = 20.0) -> Sitting:
    return Sitting(book, given, label="guest", seconds=seconds, startup=20.0)


def play(*given: Any, **more: Any) -> tuple[list[Annotation], Path]:
    played = play_games(*given, **more)
    return played.games, played.file


def test_games_are_played_to_their_end_from_both_seats(book: RuleBook, tmp_path: Path) -> None:
    table = board(book)
    told, file = play(sit(RANDOM, book), player("optimal", table.graph), "optimal", 6, tmp_path)
    assert [game.players for game in told] == [["guest", "optimal"], ["optimal", "guest"]] * 3
    for number, (game, record) in enumerate(zip(told, read(file), strict=True)):
        guest, ours = game.accounts[number % 2], game.accounts[1 - number % 2]
        assert (guest.player, ours.player) == ("guest", "optimal")
        assert ours.regret == ours.blunders == 0  # perfect play throws nothing away
        won = game.result == ("first wins" if number % 2 == 0 else "second wins")
        assert not won or table.value(0) == (1 if number % 2 == 0 else -1)
        if game.result == "stopped":
            assert len(record.moves) == table.max_plies
        else:
            assert table.ending(record.moves) is not None
    assert "moving first" in words(Played("guest", told, file, ""), "optimal", 6)


def test_a_game_that_was_cut_off_in_the_file_is_played_again(tmp_path: Path) -> None:
    uniform = player("uniform", board(SMALL).graph)
    told, file = play(sit(RANDOM), uniform, "uniform", 2, tmp_path)
    whole = file.read_text()
    file.write_text(whole[:-20])
    again, _ = play(sit(RANDOM), uniform, "uniform", 2, tmp_path, resume=True)
    assert len(again) == 2
    assert again[0] == told[0]
    games, faults = scan(file)
    assert (len(games), len(faults)) == (2, 1)


def test_the_same_games_are_not_played_twice(tmp_path: Path) -> None:
    graph = board(SMALL).graph
    uniform = player("uniform", graph)
    told, file = play(sit(RANDOM), uniform, "uniform", 4, tmp_path)
    before = file.read_text()
    with pytest.raises(Mistake, match="these games exist; add --resume"):
        play_games(sit(RANDOM), uniform, "uniform", 4, tmp_path)
    again, _ = play(sit(RANDOM), uniform, "uniform", 6, tmp_path, resume=True)
    assert again[:4] == told
    assert file.read_text().startswith(before)
    assert len(read(file)) == 6
    with pytest.raises(Mistake, match="none of its 6 games is of this player, opponent and time limits"):
        play_games(sit(RANDOM), player("optimal", graph), "uniform", 2, tmp_path, resume=True)  # of the same name
    assert len(read(file)) == 6
    play_games(sit(RANDOM), uniform, "uniform", 1, tmp_path, overwrite=True)
    assert len(read(file)) == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [("garbage", "unparsable"), ("a huge integer", "illegal"), ("dying at once", "crashed"), ("hanging", "late")],
)
def test_an_answer_that_is_no_legal_move_loses_the_game(name: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "player.py").write_text(HEAD + HOSTILE[name])
    sitting = Sitting(SMALL, [sys.executable, "-S", "-u", str(tmp_path / "player.py")], "guest", 0.3, 0.3)
    if why != "late":
        sitting = sit(sitting.words)
    graph = board(SMALL).graph
    told, file = play(sitting, player("optimal", graph), "optimal", 3, tmp_path)
    assert len(told) == 3
    for number, (game, record) in enumerate(zip(told, read(file), strict=True)):
        assert record.forfeit
        assert (record.forfeit.seat, record.forfeit.why) == (number % 2, why)
        assert game.result == ("second wins" if number % 2 == 0 else "first wins")
        assert len(record.moves) == number % 2
    assert "2 forfeits" in words(Played("guest", told, file, ""), "optimal", 3)


def test_a_player_that_is_given_up_loses_no_game_that_it_was_not_asked_in(tmp_path: Path) -> None:
    flag, script = tmp_path / "well.log", tmp_path / "player.py"
    script.write_text(
        f"import os\nif not os.path.exists({str(flag)!r}): raise SystemExit\n" + Path(RANDOM[2]).read_text()
    )
    sitting, optimal = sit([sys.executable, "-S", str(script)]), player("optimal", board(SMALL).graph)
    told, file = play(sitting, optimal, "optimal", 6, tmp_path)
    assert [game.forfeit.why for game in told if game.forfeit] == ["crashed"] * 3
    assert len(told) == len(read(file)) == 3
    assert "3 games of 6 not played (--resume plays them)" in words(Played("guest", told, file, ""), "optimal", 6)
    flag.touch()
    told, file = play(sitting, optimal, "optimal", 6, tmp_path, resume=True)
    assert [game.forfeit is None for game in told] == [False] * 3 + [True] * 3
    assert "given up" not in words(Played("guest", told, file, ""), "optimal", 6)


def test_an_exam_and_games_of_one_player_share_a_folder_and_spare_each_other(tmp_path: Path) -> None:
    _, file = play(sit(RANDOM), player("uniform", board(SMALL).graph), "uniform", 2, tmp_path)
    games = file.read_text()
    place = hold(sit(RANDOM), tmp_path).path
    hold(sit(RANDOM), tmp_path, overwrite=True)
    assert file.is_relative_to(place)
    assert file.read_text() == games


def test_the_opponent_may_be_a_run_of_this_game_and_of_no_other(tmp_path: Path) -> None:
    graph = board(SMALL).graph
    policy = Policy.greedy(graph, np.arange(graph.num_actions)[None, :].repeat(graph.num_states, axis=0))
    policy.save(tmp_path / "policy.npz")
    assert (seated(str(tmp_path), graph).probability == policy.probability).all()
    with pytest.raises(Mistake, match=r"plays fifty-wins \(target=12, largest=3\), not number-flip"):
        seated(str(tmp_path), board(make_rulebook("number-flip")).graph)
    with pytest.raises(Mistake, match="did you mean optimal"):
        seated("optimall", graph)
    with pytest.raises(Mistake, match="no such run"):
        seated("runs/nowhere", graph)


def test_the_command_line_plays_and_then_reads_its_own_transcript(tmp_path: Path) -> None:
    given = ["--env", "fifty-wins", "--param", "target=12", "--player", " ".join(RANDOM), "--out", str(tmp_path)]
    command = [sys.executable, "exam.py", *given, "--games", "3", "--opponent", "uniform", "--name", "guest"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("game 1: ")
    file = tmp_path / "fifty-wins,target=12" / "guest" / "seed-0" / "games" / "uniform.jsonl"
    assert f"python exam.py --transcript {file}" in done.stdout
    command = [sys.executable, "exam.py", "--transcript", str(file)]
    shown = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert shown.returncode == 0
    told, sums = shown.stdout.split("all 3 games\n")
    assert told.count("\nguest: ") == 3
    assert "guest: " in sums
    assert len(file.read_text().splitlines()) == 3


def test_a_review_names_each_blunder_and_what_would_have_kept_the_value(tmp_path: Path) -> None:
    from arena.transcript import annotate, parse

    told = annotate(parse(json.dumps({"game": "number-flip", "moves": [8, 7, 9, 8, 7, 6, 5]})))
    text = lines(told)
    assert sum("BLUNDER" in line for line in text) == sum(move.blunder for move in told.moves) == 7
    assert "BLUNDER: 5 or 10 keeps a win" in text[6]
    assert text[-1] == "decided at move 7: first player said 5 and turned a win into a loss"
