"""A player behind a pipe: somebody's program, asked line by line, and never waited for beyond a deadline.

The program is started once. If it dies, or closes the pipe, the question that it was asked is `crashed` and the next
one starts it again; after RESTARTS deaths without an answer in between it is given up. Only one question is open at a
time. Every id is new and cannot be guessed, so that a line either answers the open question, or belongs to an earlier
one and is passed over, or is no answer at all. Between us and the program stands arena/guard.py, so that nothing that
the program started outlives us.
"""

from __future__ import annotations

import json
import os
import secrets
import selectors
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, BinaryIO

from arena.protocol import LONGEST_LINE, SHOWN, Answer, shown, understand
from base.text import clean, one_line
from games import Mistake

RESTARTS = 3  # deaths in a row after which nobody is started any more
GRACE = 2.0  # seconds that a player has to leave after its last question
CHUNK = 65_536
LAST_WORDS = 2000  # bytes of its stderr that are kept
MOST_LEFT = 1 << 20  # bytes of it that are looked at when it has ended; a pipe holds no more
GUARD = Path(__file__).with_name("guard.py")
GUARD_SECONDS = 15.0  # a little more than it has patience with others


class GaveUp(Exception):
    """The player died too often in a row to be asked again."""


def command_words(command: str) -> list[str]:
    """The words of a command line, as a shell would split them; no shell ever sees them."""
    if os.name != "posix":
        raise Mistake("--player: programs behind a pipe need Linux, macOS or another POSIX system")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Mistake(f"--player {command}: {error}; quote it as for a shell") from error
    if not words:
        raise Mistake('--player: the command is empty; name a program, as in --player "python my_player.py"')
    if shutil.which(words[0]) is None:
        raise Mistake(f"--player {command}: no program {words[0]} that can be started; check its name and its rights")
    return words


@dataclass
class Deaths:
    """How often in a row a player died, without an answer in between; copies of one player count together."""

    in_a_row: int = 0


@dataclass
class _Child:
    guard: subprocess.Popen[bytes]
    life: BinaryIO  # while this is open, the player may live
    ends: tuple[IO[bytes], ...]  # our ends of its three pipes
    stdin: int
    stdout: int
    stderr: int


class Pipe:
    """`with Pipe(words, seconds) as player: player.ask(question)`; afterwards nothing of it is left running."""

    def __init__(self, words: list[str], seconds: float, startup: float = 0.0, deaths: Deaths | None = None) -> None:
        self.words, self.seconds, self.startup = words, seconds, startup
        self.starts = 0
        self.strays = 0  # lines that belonged to earlier questions
        self.last_words = b""
        self._deaths = deaths or Deaths()
        self._ended = False
        self._child: _Child | None = None
        self._unsent = b""
        self._received = b""
        self._earlier: set[str] = set()

    def __enter__(self) -> Pipe:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.leave(in_peace=kind is None)

    def leave(self, in_peace: bool) -> None:
        """Let the player go: with a little time to leave, or at once."""
        self._stop(GRACE if in_peace else 0.0)

    def end_now(self) -> None:
        """End the player though another thread waits for its answer, which then is `crashed`."""
        self._ended = True
        if (child := self._child) is not None:
            child.life.close()

    def ask(self, question: Mapping[str, Any]) -> Answer:
        """What the player makes of a question; raises GaveUp if there is nobody to ask."""
        if self._deaths.in_a_row >= RESTARTS or self._ended:
            raise GaveUp
        deadline = time.monotonic() + self.seconds
        if self._child is None:
            deadline += self.startup
            try:
                self._start()
            except OSError as error:
                if self.starts == 0:
                    what = f"{shlex.join(self.words)}: cannot be started ({error.strerror})"
                    raise Mistake(f"--player {what}; check its name and its rights") from error
                return self._died()
        id = f"{len(self._earlier) + 1}-{secrets.token_hex(8)}"
        self._unsent += json.dumps({"id": id, **question}).encode() + b"\n"
        answer = self._await(id, question["legal"], deadline)
        self._earlier.add(id)
        if answer.kind == "crashed":
            return self._died()
        if answer.kind != "late":
            self._deaths.in_a_row = 0
        return answer

    def last_words_clean(self) -> str:
        """The end of its stderr, in lines, without what a terminal would obey."""
        return clean(self.last_words.decode("utf-8", errors="backslashreplace"), keep="\n")

    def _start(self) -> None:
        held, life = os.pipe()
        status, written = os.pipe()
        try:
            guard = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUARD), str(held), str(written), *self.words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=(held, written),
                start_new_session=True,  # Ctrl-C is ours alone
                env=os.environ | {"PYTHONUNBUFFERED": "1"},  # forgetting to flush is not what is examined
            )
        except BaseException:
            os.close(life)
            os.close(status)
            raise
        finally:
            os.close(held)
            os.close(written)
        ends = tuple(end for end in (guard.stdin, guard.stdout, guard.stderr) if end is not None)
        alive = open(life, "wb", buffering=0)  # noqa: SIM115  (open as long as the player may live)
        self._child = _Child(guard, alive, ends, *(end.fileno() for end in ends))
        if self._ended:  # meanwhile
            self._child.life.close()
        for end in ends:
            os.set_blocking(end.fileno(), False)
        with open(status, "rb") as file:
            error = file.read()  # ends when the program has begun
        if error:
            self._stop(0.0)
            raise OSError(int(error), os.strerror(int(error)))
        self.starts += 1
        self._unsent = self._received = b""

    def _await(self, id: str, legal: list[int], deadline: float) -> Answer:
        child = self._child
        assert child is not None
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            selector.register(child.stderr, selectors.EVENT_READ)
            selector.register(child.stdin, selectors.EVENT_WRITE)
            while True:
                while b"\n" in self._received:
                    line, _, self._received = self._received.partition(b"\n")
                    answer = understand(line, id, legal, self._earlier)
                    if answer is not None:
                        return answer
                    self.strays += 1
                if len(self._received) > LONGEST_LINE:  # nothing after this could be told apart: it starts anew
                    said = shown(self._received)
                    self._stop(0.0)
                    return Answer("unparsable", said=said)
                if (left := deadline - time.monotonic()) <= 0:
                    return Answer("late")
                for key, _ in selector.select(left):
                    if key.fd == child.stdin:
                        if not self._send(child):
                            return Answer("crashed")
                        if not self._unsent:
                            selector.unregister(child.stdin)
                    elif (got := _read(key.fd)) is None:
                        continue
                    elif not got:
                        if key.fd == child.stdout:
                            return Answer("crashed")
                        selector.unregister(child.stderr)
                    elif key.fd == child.stdout:
                        self._received += got
                    else:
                        self._keep(got)

    def _send(self, child: _Child) -> bool:
        """Write what the pipe takes; False if nobody reads it any more."""
        try:
            self._unsent = self._unsent[os.write(child.stdin, self._unsent[:CHUNK]) :]
        except BlockingIOError:
            pass
        except OSError:  # closed at the other end
            return False
        return True

    def _died(self) -> Answer:
        self._stop(0.0)
        self._deaths.in_a_row += 1
        return Answer("crashed", said=one_line(self.last_words_clean()[-SHOWN:]))

    def _stop(self, grace: float) -> None:
        """Close its stdin, wait a little for it to leave, then end it and all that it started."""
        if self._child is None:
            return
        child, self._child = self._child, None
        try:
            child.ends[0].close()
            if grace > 0.0:
                self._listen_to_the_end(child, grace)
        finally:
            child.life.close()
            try:
                child.guard.wait(GUARD_SECONDS)
            except subprocess.TimeoutExpired:
                child.guard.kill()
                child.guard.wait()
            for _ in range(MOST_LEFT // CHUNK):  # nobody writes any more, so this waits for nothing
                self._keep(_read(child.stderr) or b"")
            for end in child.ends[1:]:
                end.close()

    def _keep(self, words: bytes) -> None:
        self.last_words = (self.last_words + words)[-LAST_WORDS:]

    def _listen_to_the_end(self, child: _Child, grace: float) -> None:
        deadline, open_ends = time.monotonic() + grace, {child.stdout, child.stderr}
        with selectors.DefaultSelector() as selector:
            for handle in open_ends:
                selector.register(handle, selectors.EVENT_READ)
            while child.stdout in open_ends and (left := deadline - time.monotonic()) > 0.0:
                for key, _ in selector.select(left):
                    content = _read(key.fd)
                    if key.fd == child.stderr:
                        self._keep(content or b"")
                    if content == b"":
                        selector.unregister(key.fd)
                        open_ends.discard(key.fd)


def _read(handle: int) -> bytes | None:
    """What is there, None if nothing is yet, empty at the end."""
    try:
        return os.read(handle, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""
