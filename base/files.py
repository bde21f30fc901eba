"""Files on disk that appear whole or not at all, also when the machine goes down, and folders with one writer."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from base.mistake import Mistake

PARTIAL = ".partial"  # how the name of a file ends that is not whole yet
UNABLE = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)  # what a system answers that does not sync folders


@contextmanager
def whole(path: str | os.PathLike[str], what_now: str) -> Iterator[BinaryIO]:
    """A file to write into: it takes the place of what was at `path` once all is written, and leaves it if that fails.

    A link stays a link. `what_now` ends the mistake that says why it cannot be written.
    """
    target = Path(os.path.realpath(path))
    partials = {target: _partial(target)}
    with _or_nothing(partials, what_now):
        if target.exists() and not target.is_file():  # never a folder or a device in its place
            raise Mistake(f"{path}: is there, and is no file; {what_now}")
        with partials[target].open("xb") as file:
            yield file
            _sync(file)
        _appear(partials)


def write_together(files: Mapping[Path, bytes], what_now: str, *, synced: bool = True) -> None:
    """Each whole or absent, and the last absent until the others are there; the disk waits once for all of them.

    Without `synced`, a machine that goes down may leave an empty file.
    """
    partials = {target: _partial(target) for target in files}
    with _or_nothing(partials, what_now):
        with ExitStack() as stack:
            opened = [stack.enter_context(partial.open("xb")) for partial in partials.values()]
            for file, content in zip(opened, files.values(), strict=True):
                file.write(content)
            for file in opened if synced else ():
                _sync(file)
        *first, last = partials.items()
        _appear(dict(first), synced)
        _appear(dict([last]), synced)


def write_folder(folder: Path, files: Mapping[str, str], what_now: str) -> None:
    """Text files into a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Mistake(f"{folder}: cannot be written ({error.strerror}); {what_now}") from error
    write_together({folder / name: text.encode("utf-8", "replace") for name, text in files.items()}, what_now)


@contextmanager
def held(folder: Path, busy: str, what_now: str) -> Iterator[None]:
    """Keep other writers out of a folder, which is made if it is not there, for as long as the block lasts.

    The file `lock` in it is held; the system frees it when this process dies. `busy` is what to tell of a folder that
    another process holds, `what_now` ends the mistake where it cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "lock"
        if file.is_symlink() or (file.exists() and not file.is_file()):  # to lock a link would empty what it leads to
            raise Mistake(f"{file}: is no file of ours; move it away")
        lock = FileLock(file, timeout=0)
        lock.acquire()
    except Timeout:
        raise Mistake(f"{folder}: {busy}") from None
    except OSError as error:
        raise Mistake(f"{folder}: cannot be written ({error.strerror}); {what_now}") from error
    try:
        remove_partials(folder)
        yield
    finally:
        lock.release()


def remove_partials(folder: Path) -> None:
    """Take away what a writer that was killed left in a folder; for whoever holds it."""
    for left in folder.glob(f"*{PARTIAL}"):
        with suppress(OSError):
            left.unlink()


def is_partial_of(name: str, names: Iterable[str]) -> bool:
    """Whether a file of this name is one that became none of these, because its writer was killed."""
    return name.endswith(PARTIAL) and any(name.startswith(f"{one}.") for one in names)


def _partial(target: Path) -> Path:
    """A name of its own for each writer: two that write one file do not write into each other's."""
    return target.with_name(f"{target.name}.{os.urandom(6).hex()}{PARTIAL}")


@contextmanager
def _or_nothing(partials: Mapping[Path, Path], what_now: str) -> Iterator[None]:
    """What was begun is taken away if anything goes wrong; what the system refuses is a mistake."""
    try:
        yield
    except BaseException as error:
        for partial in partials.values():
            with suppress(OSError):
                partial.unlink()
        if isinstance(error, OSError):
            targets = {str(partial): target for target, partial in partials.items()}
            place = targets.get(str(error.filename), error.filename or next(iter(partials)))
            raise Mistake(f"{place}: cannot be written ({error.strerror}); {what_now}") from error
        raise


def _appear(partials: Mapping[Path, Path], synced: bool = True) -> None:
    for target, partial in partials.items():
        partial.replace(target)
    for folder in {target.parent for target in partials} if synced else ():
        _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return  # some systems cannot open a folder, and do without
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in UNABLE:
            raise OSError(error.errno, error.strerror, str(folder)) from error
    finally:
        os.close(handle)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
