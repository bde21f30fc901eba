"""Files on disk that appear whole or not at all, also when the machine goes down."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from base.mistake import Mistake


@contextmanager
def whole(path: str | os.PathLike[str], what_now: str) -> Iterator[BinaryIO]:
    """A file to write into: it takes the place of what was at `path` once all is written, and leaves it if that fails.

    A link stays a link. `what_now` ends the mistake that says why it cannot be written.
    """
    target = Path(os.path.realpath(path))
    with _or_nothing([target], what_now):
        if target.exists() and not target.is_file():  # never a folder or a device in its place
            raise Mistake(f"{path}: is there, and is no file; {what_now}")
        with _partial(target).open("wb") as file:
            yield file
            _sync(file)
        _appear([target])


def write_together(files: Mapping[Path, bytes], what_now: str, *, synced: bool = True) -> None:
    """Each whole or absent, and the last absent until the others are there; the disk waits once for all of them.

    Without `synced`, a machine that goes down may leave an empty file.
    """
    targets = list(files)
    with _or_nothing(targets, what_now):
        with ExitStack() as stack:
            opened = [stack.enter_context(_partial(target).open("wb")) for target in targets]
            for file, content in zip(opened, files.values(), strict=True):
                file.write(content)
            for file in opened if synced else ():
                _sync(file)
        _appear(targets[:-1], synced)
        _appear(targets[-1:], synced)


def write_folder(folder: Path, files: Mapping[str, str], what_now: str) -> None:
    """Text files into a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Mistake(f"{folder}: cannot be written ({error.strerror}); {what_now}") from error
    write_together({folder / name: text.encode("utf-8", "replace") for name, text in files.items()}, what_now)


def _partial(target: Path) -> Path:
    return target.with_name(f"{target.name}.partial")


@contextmanager
def _or_nothing(targets: Sequence[Path], what_now: str) -> Iterator[None]:
    """What was begun is taken away if anything goes wrong; what the system refuses is a mistake."""
    try:
        yield
    except BaseException as error:
        for target in targets:
            with suppress(OSError):
                _partial(target).unlink()
        if isinstance(error, OSError):
            place = str(error.filename or targets[0]).removesuffix(".partial")
            raise Mistake(f"{place}: cannot be written ({error.strerror}); {what_now}") from error
        raise


def _appear(targets: Iterable[Path], synced: bool = True) -> None:
    targets = list(targets)
    for target in targets:
        _partial(target).replace(target)
    for folder in {target.parent for target in targets} if synced else ():
        with suppress(OSError):  # some systems cannot open a folder, and do without
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
