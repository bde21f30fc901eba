"""A file of recorded games: read a line at a time, however large it is, and added to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.recording import Books, Recording, parse
from base.files import write_together
from base.reading import each_line, opened
from games import Mistake
from games.find import carried_file

LONGEST_LINE = 1 << 20  # bytes of one game
MOST_FAULTS = 10_000  # lines in one file that hold no game; it is something else then
WHAT = "name a file of games, one JSON line each"


def games_in(
    path: str | os.PathLike[str], show: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[Recording | Mistake]:
    """The games in a file, each checked move by move against its rule book, and a Mistake for a line that holds none.

    Only one line is in memory at a time; `show` is told how many bytes of how many are read.
    """
    books, faults, done = Books(Path(path).parent), 0, 0
    with opened(path, WHAT) as file:
        total = os.fstat(file.fileno()).st_size
        for number, line in enumerate(each_line(file, LONGEST_LINE), start=1):
            done = done + len(line) if line is not None else file.tell()
            game = _game(line, f"{os.fspath(path)}:{number}", books)
            if isinstance(game, Mistake):
                faults += 1
                if faults > MOST_FAULTS:
                    raise Mistake(f"{os.fspath(path)}: more than {MOST_FAULTS} of its lines hold no game; {WHAT}")
            if game is not None:
                yield game
            show(done, total)


def _game(line: bytes | None, where: str, books: Books) -> Recording | Mistake | None:
    if line is None:
        return Mistake(f"{where}: longer than {LONGEST_LINE} bytes; one game is one line")
    try:
        text = line.decode("utf-8").strip()
        return parse(text, where, books) if text else None
    except UnicodeDecodeError as error:
        return Mistake(f"{where}: not text ({error.reason}); a transcript is JSON lines in UTF-8")
    except Mistake as fault:
        return fault


def read(path: str | os.PathLike[str]) -> list[Recording]:
    """The games in a file; a line that holds none is a Mistake."""
    games, faults = scan(path)
    if faults:
        raise faults[0]
    return games


def scan(path: str | os.PathLike[str]) -> tuple[list[Recording], list[Mistake]]:
    """The games in a file, and what is wrong with the lines that hold none, as a killed recorder leaves them."""
    games, faults = list[Recording](), list[Mistake]()
    for game in games_in(path):
        if isinstance(game, Mistake):
            faults.append(game)
        else:
            games.append(game)
    return games, faults


def append(path: str | os.PathLike[str], recording: Recording) -> None:
    """Add a game to the end of a file, on a line of its own even where the last writer was cut off.

    The game file of a game from elsewhere is laid beside it.
    """
    for name, content in carried_file(recording.book()).items():
        if not (beside := Path(path).with_name(name)).exists():
            write_together({beside: content}, "name another file")
    try:
        with Path(path).open("ab+") as file:
            torn = file.seek(0, os.SEEK_END) > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
            file.write(b"\n" * torn + recording.line().encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise Mistake(f"{path}: cannot be written ({error.strerror}); name another file") from error
