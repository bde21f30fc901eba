"""The process between a judge and its player: when the judge ends, so does everything that the player started.

    python -I -S guard.py LIFE STATUS WORD...

LIFE is a pipe of which the judge holds the other end; the system closes that when the judge is gone, after SIGKILL too.
On STATUS stands the number of the error if the command cannot be started, and nothing if it can. On Linux the system
hands what leaves the player's session, as daemons do, to this process, which ends it as well.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from contextlib import suppress
from typing import NoReturn

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # of prctl(2)
PATIENCE = 10.0  # seconds that processes may take to die; one that waits for a dead disk may take for ever
BETWEEN = 0.002  # seconds between two looks at what is left


def main() -> None:
    life, status, words = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    for handle in (life, status):
        os.set_inheritable(handle, False)  # the status ends when the player's program has begun
    _tell_system(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGCHLD, lambda *_: _reap() or sys.exit())
    player = os.fork()
    if player == 0:
        _become(words, status)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # the player's alone: its stdout ends when it does
        os.dup2(nothing, stream)
    os.close(status)
    select.select([life], [], [])
    _end_all(player)


def _become(words: list[str], status: int) -> NoReturn:
    try:
        _tell_system(PR_SET_PDEATHSIG, signal.SIGKILL)  # should somebody end the guard
        os.setsid()
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):  # as a program expects them
            signal.signal(number, signal.SIG_DFL)
        os.execvp(words[0], words)
    except OSError as error:
        os.write(status, str(error.errno).encode())
    finally:
        os._exit(127)


def _reap() -> bool:
    """Take leave of the children that have ended; whether there are others."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _end_all(player: int) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    deadline = time.monotonic() + PATIENCE
    while _reap() and time.monotonic() < deadline:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(player, signal.SIGKILL)
        for process in _descendants():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        time.sleep(BETWEEN)


def _descendants() -> list[int]:
    """The processes that descend from this one, as /proc tells; none where there is no such folder."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal():
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    family, size = {os.getpid()}, 0
    while len(family) > size:
        size = len(family)
        family |= {process for process, parent in parents.items() if parent in family}
    return sorted(family - {os.getpid()})


def _tell_system(what: int, value: int) -> None:
    """prctl(2), where there is one."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(what, ctypes.c_ulong(value), 0, 0, 0)


if __name__ == "__main__":
    main()
