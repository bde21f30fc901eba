"""Several copies of a player at once, names that players give themselves, and all games in one go."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents import player
from arena.board import board
from arena.copies import Copies
from arena.exam import hold
from arena.leaderboard import leaderboard, marks_in
from arena.match import play_games
from arena.pipe import Pipe
from arena.sitting import Sitting
from games import Mistake, make_rulebook, rulebook_names
from tests.arena.hostile import HEAD

ROOT = Path(__file__).parents[2]
SMALL = make_rulebook("fifty-wins", target=12, largest=3)
TABLE = board(SMALL)
ASKED = int(TABLE.solution.critical.sum())
LOWEST = """
for question in questions():
    time.sleep({pause})
    say(question, question["legal"][0], about={about})
"""


def program(place: Path, text: str) -> list[str]:
    file = place / "player.py"
    file.write_text(HEAD + text)
    return [sys.executable, "-S", "-u", str(file)]


def lowest(place: Path, pause: float = 0.0, about: str = "{}") -> list[str]:
    return program(place, LOWEST.format(pause=pause, about=about))


def test_copies_give_the_answers_that_one_gives(tmp_path: Path) -> None:
    cards = []
    for jobs in (1, 3):
        with Copies(lowest(tmp_path), 20.0, 20.0, jobs) as copies:
            held = hold(Sitting(SMALL, lowest(tmp_path), f"{jobs}"), tmp_path / "runs", player=copies)
        cards.append(held.card)
        assert (held.exam["legal"], held.exam["starts"]) == (ASKED, jobs)
    assert [card.blunders for card in cards if card] == 2 * [cards[0].blunders if cards[0] else None]


def test_copies_are_asked_side_by_side(tmp_path: Path) -> None:
    meet = f"""
for question in questions():
    open({str(tmp_path)!r} + "/" + str(os.getpid()), "w").close()
    while len([name for name in os.listdir({str(tmp_path)!r}) if name.isdecimal()]) < 3:
        time.sleep(0.01)
    say(question, question["legal"][0])
"""
    with Copies(program(tmp_path, meet), 20.0, 20.0, 3) as copies:  # each waits until all three were asked
        asked = copies.each([[1], [1, 2], [2], [2, 1], [1, 1]], lambda pipe, moves: pipe.ask(
            {"legal": [1], "moves": moves}))  # fmt: skip
        assert {answer.kind for _, _, answer in asked if answer} == {"legal"}


def test_copies_that_die_are_given_up_together(tmp_path: Path) -> None:
    with Copies(program(tmp_path, "os._exit(1)"), 20.0, 20.0, 2) as copies:
        held = hold(Sitting(SMALL, [], "x"), tmp_path / "runs", player=copies)
    assert held.card is None
    assert 3 <= held.exam["crashed"] <= 4
    assert held.exam["given_up"] == ASKED - held.exam["crashed"]
    assert (held.path / "answers.jsonl").read_bytes() == b""  # so that --resume asks all of them


def test_a_mistake_in_the_middle_ends_all_copies(tmp_path: Path) -> None:
    words = program(
        tmp_path, f"open({str(tmp_path)!r} + '/pids', 'a').write(str(os.getpid()) + '\\n')\ntime.sleep(1000)"
    )

    def ask(pipe: Pipe, number: int) -> object:
        if number == 2:
            while len((tmp_path / "pids").read_text().split()) < 2 if (tmp_path / "pids").exists() else True:
                time.sleep(0.01)
            raise Mistake("no more")
        return pipe.ask({"legal": [1]})

    began = time.monotonic()
    with pytest.raises(Mistake, match="no more"), Copies(words, 60.0, 60.0, 3) as copies:
        list(copies.each([0, 1, 2], ask))
    assert time.monotonic() - began < 30
    for pid in (tmp_path / "pids").read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_games_are_played_side_by_side_alike(tmp_path: Path) -> None:
    matches = []
    for jobs in (1, 3):
        sitting, opponent = Sitting(SMALL, lowest(tmp_path), "guest"), player("uniform", TABLE.graph)
        with Copies(lowest(tmp_path), 20.0, 20.0, jobs) as copies:
            matches.append(play_games(sitting, opponent, "uniform", 8, tmp_path / str(jobs), player=copies).games)
    assert [[move.move for move in game.moves] for game in matches[0]] == [
        [move.move for move in game.moves] for game in matches[1]
    ]


@pytest.mark.parametrize(
    ("about", "name"),
    [
        ('{"model": "gpt-x"}', "gpt-x"),
        ('{"model": "gpt-x", "name": "mine"}', "mine"),
        ('{"model": "org/gpt"}', "org/gpt"),
        ('{"model": 7}', "player"),
        ('{"model": "ppo"}', "player"),
        ("{}", "player"),
    ],
)
def test_a_run_is_named_after_who_answered(about: str, name: str, tmp_path: Path) -> None:
    words = lowest(tmp_path, about=about)
    held = hold(Sitting(SMALL, words), tmp_path / "runs")
    assert (held.exam["player"], held.exam["legal"]) == (name, ASKED)
    assert held.path.parent.name == name.replace("/", "%2F")
    assert held.card is not None
    assert held.card.agent == name
    (held.path / "exam.json").unlink()  # as if it had been killed
    again = hold(Sitting(SMALL, words, repeats=2), tmp_path / "runs", resume=True)
    assert (again.path, again.exam["legal"]) == (held.path, 2 * ASKED)
    with pytest.raises(Mistake, match="this exam exists"):
        hold(Sitting(SMALL, words), tmp_path / "runs")


def test_two_models_behind_one_command_are_two_runs(tmp_path: Path) -> None:
    words = lowest(tmp_path, about=f"{{'model': open({str(tmp_path / 'model')!r}).read()}}")
    for model in ("a", "b"):
        (tmp_path / "model").write_text(model)
        assert hold(Sitting(SMALL, words), tmp_path / "runs").exam["player"] == model
    with pytest.raises(Mistake, match=r"a and b have answered this command; say which with --name"):
        hold(Sitting(SMALL, words), tmp_path / "runs", resume=True)
    assert hold(Sitting(SMALL, words, "b"), tmp_path / "runs", resume=True).exam["about"] == [{"model": "b"}]


def exam(*words: object) -> subprocess.CompletedProcess[str]:
    given = [sys.executable, "exam.py", *map(str, words)]
    return subprocess.run(given, capture_output=True, text=True, cwd=ROOT, timeout=120)


def test_all_games_are_sat_in_one_go_and_told_in_one_table(tmp_path: Path) -> None:
    words = [
        "--env",
        "all",
        "--player",
        " ".join(lowest(tmp_path, about='{"model": "low"}')),
        "--out",
        tmp_path / "runs",
    ]
    done = exam(*words, "--sample", 4, "--jobs", 2)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("low: asked 4 questions") == len(rulebook_names())
    head, row, _ = done.stdout[done.stdout.index("\nplayer") :].strip().split("\n")[:3]
    assert head.split() == ["player", *rulebook_names(), "mean"]
    marks = marks_in(tmp_path / "runs")
    assert row.split()[1:-1] == [f"{mark.kept}/4" for mark in marks]
    assert row.split()[-1] == f"{sum(mark.kept for mark in marks) / 4 / len(marks):.3f}"
    names = [record["player"] for record in map(json.loads, (p.read_text() for p in tmp_path.rglob("exam.json")))]
    assert names == ["low"] * len(rulebook_names())
    for place in sorted((tmp_path / "runs").rglob("answers.jsonl"))[1:]:
        place.unlink()  # it was stopped after the first game
    done = exam(*words, "--sample", 4, "--resume", "--name", "low")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_perfect_and_a_missing_exam_are_told_apart_in_the_table(tmp_path: Path) -> None:
    hold(Sitting(SMALL, [sys.executable, "-m", "arena.serve", "optimal"], "best"), tmp_path)
    hold(Sitting(make_rulebook("number-flip"), lowest(tmp_path), "low", sample=2), tmp_path)
    damaged = tmp_path / "fifty-wins" / "odd" / "seed-0" / "exam.json"
    damaged.parent.mkdir(parents=True)
    for text in ("{", "[]", "{}", '{"interval": {"kept": 3}, "asked": 2}', "[" * 10_000):
        damaged.write_text(text)
        rows = {line.split()[0]: line.split()[1:] for line in leaderboard(tmp_path).splitlines()}
        assert set(rows) == {"player", "best", "low", "answers"}
        assert rows["best"] == [f"{ASKED}/{ASKED}*", "-", "1.000"]
        assert rows["low"][0] == "-"


def test_ctrl_c_with_copies_saves_what_came_and_says_how_to_go_on(tmp_path: Path) -> None:
    command = " ".join(lowest(tmp_path, pause=0.05, about='{"model": "slow"}'))
    words = ["--env", "number-flip", "--player", command, "--out", str(tmp_path / "runs"), "--jobs", "3"]
    with subprocess.Popen([sys.executable, "exam.py", *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          cwd=ROOT, text=True) as first:  # fmt: skip
        while not (files := list(tmp_path.rglob("answers.jsonl"))) or files[0].read_bytes().count(b"\n") < 10:
            time.sleep(0.02)
            assert first.poll() is None
        first.send_signal(signal.SIGINT)
        message = first.communicate(timeout=30)[1]
    assert first.returncode == 130
    assert re.search(
        r"stopped, and saved in \S*/slow/seed-0; go on with: python exam\.py .* --name slow --resume", message
    )


def test_the_last_words_of_a_player_that_dies_in_a_game_are_shown(tmp_path: Path) -> None:
    text = "sys.stderr.write('starting\\nno such model: gpt-x\\n'); sys.exit(1)"
    done = exam("--env", "fifty-wins", "--player", " ".join(program(tmp_path, text)), "--out", tmp_path, "--games", 4)
    assert done.returncode == 1
    assert "its last words   no such model: gpt-x" in done.stdout
