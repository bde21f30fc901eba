"""What is left of a player when its judge has ended, in whatever way: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.pipe import Pipe
from games import Mistake
from tests.arena.hostile import HEAD

ROOT = Path(__file__).parents[2]
QUESTION = {"legal": [1, 2, 3], "seconds": 20.0}
FAMILY = """
import subprocess
def note(process):
    with open({pids!r}, "a") as file:
        file.write(str(process) + "\\n")
def daemon():  # in a session of its own, and no child of the player's any more
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for handle in (0, 1, 2):
                os.close(handle)
            note(os.getpid())
            time.sleep(1000)
        os._exit(0)
    os.wait()
note(os.getpid())
note(subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).pid)
daemon()
"""
ANSWER = """
for question in questions():
    say(question, question["legal"][0])
"""
STAY = "time.sleep(1000)\n"  # after the last question, instead of leaving


def family(place: Path, text: str) -> list[str]:
    """The words of a player with a child and a daemon; their numbers are written to place/pids."""
    file = place / "player.py"
    file.write_text(HEAD + FAMILY.replace("{pids!r}", repr(str(place / "pids"))) + text)
    return [sys.executable, "-S", "-u", str(file)]


def alive(place: Path) -> list[int]:
    """Those of the family that still run, after a moment in which the dead are taken away."""
    numbers = [int(line) for line in (place / "pids").read_text().split()]
    assert len(numbers) >= 3
    for _ in range(200):
        left = [number for number in numbers if Path(f"/proc/{number}/stat").exists() and state(number) not in "ZX"]
        if not left:
            break
        time.sleep(0.05)
    return left


def state(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands daemons to whom they descend from")


@linux
@pytest.mark.parametrize("text", [ANSWER, ANSWER + STAY, ANSWER.replace("say(", "os.kill(0, 9); say(")])
def test_nothing_that_a_player_started_is_left_running(text: str, tmp_path: Path) -> None:
    with Pipe(family(tmp_path, text), 20.0) as player:
        kind = player.ask(QUESTION).kind
    assert kind == ("crashed" if "kill" in text else "legal")
    assert alive(tmp_path) == []


JUDGE = """
import sys
from arena.pipe import Pipe
with Pipe(sys.argv[1:], 20.0) as player:
    player.ask({"legal": [1], "seconds": 20.0})
    print("asked", flush=True)
    if "wait" not in sys.argv:
        player.ask({"legal": [1], "seconds": 20.0})
"""


@linux
@pytest.mark.parametrize(
    "how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=lambda how: how.name
)
@pytest.mark.parametrize("when", ["asking", "leaving"])
def test_players_end_with_the_judge(when: str, how: signal.Signals, tmp_path: Path) -> None:
    once = ANSWER.replace("say(", "time.sleep(1000 * (question['id'][0] != '1')); say(")
    words = family(tmp_path, once + STAY) + (["wait"] if when == "leaving" else [])
    command = [sys.executable, "-c", JUDGE, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT) as judge:
        assert judge.stdout is not None
        assert judge.stdout.readline() == b"asked\n"
        time.sleep(0.1)  # into the next question, or into the time in which the player may leave
        judge.send_signal(how)
        assert judge.wait(20) != 0
    assert alive(tmp_path) == []


def test_what_cannot_be_started_is_told_with_the_reason(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("neither a program nor a script\n")
    program.chmod(0o755)
    with (
        pytest.raises(Mistake, match=r"program: cannot be started \(Exec format error\)"),
        Pipe([str(program)], 5.0) as it,
    ):
        it.ask(QUESTION)
    assert os.listdir(tmp_path) == ["program"]
