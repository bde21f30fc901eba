"""Files that strangers wrote, read with bounds: regular files only, so many bytes at most, one line if damaged."""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from base.mistake import Mistake

Name = str | os.PathLike[str]
LARGEST_TEXT = 64 << 20  # bytes of a text file, where its reader says nothing else
LARGEST_TOML = 1 << 20  # bytes: a settings file is a page
DEEPEST_KEY = 100  # parts of a dotted key in TOML, whose reader needs memory for the square of them
PIECE = 1 << 20  # bytes read at once


@contextmanager
def opened(path: Name, what_now: str = "name a file") -> Iterator[BinaryIO]:
    """A regular file, open for reading. Nothing else is waited for: a pipe or a device may never end.

    `what_now` ends the mistake that says why it cannot be read.
    """
    try:
        with open(path, "rb", opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Mistake(f"{os.fspath(path)}: is no file but {_kind(path)}; {what_now}")
            yield file
    except IsADirectoryError:
        raise Mistake(f"{os.fspath(path)}: is no file but a folder; {what_now}") from None
    except OSError as error:
        raise Mistake(f"{os.fspath(path)}: cannot be read ({error.strerror}); {what_now}") from error
    except ValueError as error:
        if isinstance(error, Mistake) or "null" not in str(error):
            raise
        raise Mistake(f"{os.fspath(path)!r}: cannot be the name of a file ({error}); {what_now}") from None


def read_bytes(path: Name, most: int = LARGEST_TEXT, what_now: str = "name a file") -> bytes:
    """All of a regular file of at most so many bytes."""
    with opened(path, what_now) as file:
        size = os.fstat(file.fileno()).st_size
        content = bytearray()
        while size <= most and len(content) <= most and (piece := file.read(PIECE)):
            content += piece
        if max(size, len(content)) > most:
            raise Mistake(f"{os.fspath(path)}: larger than {most} bytes; {what_now}")
        return bytes(content)


def read_text(path: Name, most: int = LARGEST_TEXT, what_now: str = "name a file") -> str:
    """All of a regular UTF-8 file of at most so many bytes."""
    try:
        return read_bytes(path, most, what_now).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(f"{os.fspath(path)}: not text ({error.reason} at byte {error.start}); {what_now}") from None


def each_line(file: BinaryIO, most: int) -> Iterator[bytes | None]:
    """The lines of a file one by one; None for one of more than so many bytes, which is passed over."""
    while piece := file.readline(most + 1):
        if len(piece) <= most or piece.endswith(b"\n"):
            yield piece
            continue
        while (rest := file.readline(PIECE)) and not rest.endswith(b"\n"):
            pass
        yield None


def parsed_json(text: str | bytes, where: object, what_now: str) -> Any:
    """What a JSON text says. NaN and Infinity are no JSON, and are refused."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError, MemoryError) as error:
        raise Mistake(f"{where}: not JSON ({_why(error)}); {what_now}") from None


def read_json(path: Name, what_now: str = "name a JSON file", most: int = LARGEST_TEXT) -> Any:
    """What a JSON file says."""
    return parsed_json(read_text(path, most, what_now), os.fspath(path), what_now)


def parsed_toml(text: str, where: object) -> dict[str, Any]:
    """What a TOML text says."""
    if any(piece.count(".") > DEEPEST_KEY for piece in re.split(r"[=,{\[\n]", text)):
        raise Mistake(f"{where}: not TOML that is read here: a key has more than {DEEPEST_KEY} parts")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise Mistake(f"{where}: not TOML: {_why(error)}") from None


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # else opening a pipe waits for its writer


def _kind(path: Name) -> str:
    mode = os.stat(path).st_mode
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return kinds.get(stat.S_IFMT(mode), "something else")


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error) or "too large"


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _finite(word: str) -> float:
    number = float(word)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{word} is too large a number")
    return number
