"""Arrays on disk (npz): packed alike each time, and read with bounds. No pickle, and no size is believed unchecked."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, BinaryIO

from base.mistake import Mistake
from base.reading import opened

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = "biufU"  # numpy's letters for truth, whole numbers, numbers and text: all that a file of ours holds
END = struct.Struct("<4s4H2LH")  # how a zip file ends: with the size of its list of contents, among other things
PLACE_64, END_64 = struct.Struct("<4sLQL"), struct.Struct("<4sQ2H2L4Q")  # where that stands in a large one
LARGEST_LIST = 65_536  # bytes of that list, which is read whole: a thousand names
UNPACKED, DENSEST = 16 << 20, 200  # bytes that may come of any entry; how many times its packed size if more
LONGEST_AXIS = 2**32  # no array of ours is longer; one without bytes could say anything


def packed(arrays: Mapping[str, Any]) -> bytes:
    """An npz file as bytes: the same arrays give the same bytes."""
    import numpy as np

    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@dataclass(frozen=True)
class Arrays:
    """An npz file, open; an array is read when it is asked for, after its head has been looked at."""

    where: str
    archive: zipfile.ZipFile

    @property
    def sizes(self) -> dict[str, int]:
        """Name: bytes on disk, head included, as the file claims."""
        return {info.filename.removesuffix(".npy"): info.file_size for info in self.archive.infolist()}

    def shape(self, name: str) -> tuple[int, ...]:
        """What the head of an array claims, checked against the bytes that there are."""
        with self._member(name) as member:
            return self._head(name, member)[0]

    def read(self, name: str, most: int) -> NDArray[Any]:
        """An array of at most so many bytes."""
        import numpy as np

        with self._member(name) as member:
            shape, by_column, kind, size = self._head(name, member)
            if size > most:
                raise Mistake(f"{self.where}: {name} takes {size} bytes; at most {most} are taken here")
            content = member.read(size)
        if len(content) != size:
            raise Mistake(f"{self.where}: {name} is cut short")
        return np.frombuffer(bytearray(content), dtype=kind).reshape(shape, order="F" if by_column else "C")

    def text(self, name: str, most: int = LARGEST_LIST) -> str:
        """A text, which numpy keeps as an array without axes."""
        array = self.read(name, most)
        if array.shape != () or array.dtype.kind != "U":
            raise Mistake(f"{self.where}: {name} is no text")
        return str(array)

    def _member(self, name: str) -> Any:
        try:
            return self.archive.open(f"{name}.npy")
        except KeyError:
            raise Mistake(f"{self.where}: has no {name}") from None

    def _head(self, name: str, member: Any) -> tuple[tuple[int, ...], bool, Any, int]:
        """Shape, whether it lies by columns, dtype, and how many bytes follow."""
        from numpy.lib import format as npy

        whole = self.archive.getinfo(f"{name}.npy").file_size
        heads = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        shape, by_column, kind = heads[npy.read_magic(member)](member)
        size = prod(shape) * kind.itemsize
        if kind.kind not in KINDS or kind.hasobject:
            raise Mistake(f"{self.where}: {name} holds {kind}, which is neither numbers nor text")
        if min(shape, default=0) < 0 or max(shape, default=0) > LONGEST_AXIS or member.tell() + size != whole:
            raise Mistake(f"{self.where}: {name} claims the shape {shape}, which is not what there is")
        return shape, by_column, kind, size


@contextmanager
def opened_arrays(source: str | os.PathLike[str] | bytes, where: str, what: str, what_now: str) -> Iterator[Arrays]:
    """An npz file, or its bytes. Whatever is damaged in it, in here or by the block, is one mistake: not `what`."""
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else opened(source, what_now) as file:
            _check_end(file, where)
            with zipfile.ZipFile(file) as archive:
                names = [info.filename for info in archive.infolist()]
                if len(set(names)) != len(names):
                    raise Mistake(f"{where}: not {what} (a name occurs twice); {what_now}")
                for info in archive.infolist():
                    if info.file_size > max(UNPACKED, DENSEST * info.compress_size):
                        raise Mistake(f"{where}: {info.filename} grows {info.file_size} bytes large; {what_now}")
                yield Arrays(where, archive)
    except Mistake:
        raise
    except Exception as error:  # a damaged file fails in many ways; all mean the same to the reader
        raise Mistake(f"{where}: not {what} ({type(error).__name__}: {error}); {what_now}") from error


def _check_end(file: BinaryIO, where: str) -> None:
    """The list of contents is read whole by whoever opens a zip file, so it is looked at before."""
    size = file.seek(0, os.SEEK_END)
    end = _record(file, END, size - END.size)
    length = end[5]
    if length == 2**32 - 1:  # of a file of 4 GB and more, told in a record before
        _, _, place, _ = _record(file, PLACE_64, size - END.size - PLACE_64.size)
        length = _record(file, END_64, place)[8]
    if length > LARGEST_LIST:
        raise Mistake(f"{where}: lists more contents than any file of ours has")
    file.seek(0)


def _record(file: BinaryIO, form: struct.Struct, place: int) -> tuple[Any, ...]:
    file.seek(max(place, 0))
    return form.unpack(file.read(form.size))
