"""The manners of every command line here: how words become values, and how a mistake is answered."""

from __future__ import annotations

import argparse
import math
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from base.mistake import Mistake, unknown
from base.text import one_line

SCRIPTS = ("train", "evaluate", "play", "exam", "sweep", "ladder")  # files beside the rooms
MODULES = {"solve": "solver", "games": "games", "envs": "envs", "agents": "agents"}  # rooms that are commands
LONGEST_WAIT = 86_400.0  # seconds that an option may ask for


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are mistakes: one line, exit code 2, no usage dump."""

    def error(self, message: str) -> NoReturn:
        if choice := re.fullmatch(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message, re.DOTALL):
            option, word, choices = choice.groups()
            raise unknown(f"{self.prog} {option}", "choice", word, re.findall(r"[^\s,']+", choices))
        raise Mistake(f"{self.prog}: {message}; {self.prog} --help lists what it takes")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As always; but an option that names a place or a player must name one."""
        values = super().parse_args(args, namespace)
        for action in self._actions:
            named = action.option_strings and action.metavar is not None and not str(action.metavar).startswith('"')
            if named and getattr(values, action.dest, None) == "":
                raise Mistake(f"{action.option_strings[-1]}: is empty; name {action.metavar}, or leave it out")
        return values


def command(name: str) -> list[str]:
    """The words that start a command, as whoever started this one may write them."""
    if Path(sys.argv[0]).stem == "perfectplay":
        return ["perfectplay", name]
    return ["python", "-m", MODULES[name]] if name in MODULES else ["python", f"{name}.py"]


def spelled(name: str, *words: str) -> str:
    """A command line that people can copy."""
    return shlex.join([*command(name), *words])


def prog(name: str) -> str:
    """What a command calls itself: `train.py`, `python -m solver`, or `perfectplay train` where it was started so."""
    words = command(name)
    return words[-1] if words[-1].endswith(".py") else " ".join(words)


def again(name: str, *, without: Sequence[str] = (), more: Sequence[str] = ()) -> str:
    """The command line that started this command, for whoever wants to run it once more."""
    return spelled(name, *(word for word in sys.argv[1:] if word not in without), *more)


def run(main: Callable[[], int | None]) -> NoReturn:
    """Run a command and leave: 0 done, 1 a failure of ours or a gate not passed, 2 a user's mistake, 130 Ctrl-C."""
    _open_streams()
    try:
        code = main() or 0
        sys.stdout.flush()
    except Mistake as mistake:
        print(one_line(mistake), file=sys.stderr)
        code = 2
    except MemoryError:
        print("out of memory; take a smaller game, or fewer at once", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:  # the reader, a pager perhaps, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:  # a full disk, a name too long, a folder without rights: nothing that a traceback explains
        print(one_line(f"{error.filename or 'output'}: {error.strerror or error}; name another place"), file=sys.stderr)
        code = 2
    sys.exit(code)


def _open_streams() -> None:
    """Where nobody listens or types (`<&-`, `>&-`), Python has no stream; then nothing is read, and what is said lost.

    The numbers 0 to 2 are taken so, and no file that is opened later gets what was meant for a terminal.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  (open as long as we are)


def pairs(words: Sequence[str], flag: str, example: str) -> dict[str, str]:
    """KEY=VALUE words as a dictionary."""
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise Mistake(f"{flag} {word}: not of the form KEY=VALUE, as in {flag} {example}")
        if key.strip() in values:
            raise Mistake(f"{flag} {word}: {key.strip()} is given twice; leave one out")
        values[key.strip()] = value.strip()
    return values


def whole_number(word: str, flag: str, least: int, most: int) -> int:
    """A whole number within bounds."""
    try:
        number = int(word) if len(word) <= 20 else most + 1
    except ValueError:
        raise Mistake(f"{flag} {word}: not a whole number; write one from {least} to {most}") from None
    if not least <= number <= most:
        raise Mistake(f"{flag} {word}: out of range; write a whole number from {least} to {most}")
    return number


def seconds(word: str, flag: str, least: float) -> float:
    """A time in seconds, of a day at most."""
    try:
        number = float(word)
    except ValueError:
        raise Mistake(f"{flag} {word}: not a number of seconds; write {flag} 60, for example") from None
    if not math.isfinite(number) or not least <= number <= LONGEST_WAIT:
        raise Mistake(f"{flag} {word}: out of range; write {least:g} to {LONGEST_WAIT:g} seconds")
    return number
