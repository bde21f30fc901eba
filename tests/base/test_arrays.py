"""Arrays on disk: what a file claims is checked before anything is allocated."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy

from base.arrays import opened_arrays, packed
from base.mistake import Mistake


def read(content: bytes, name: str = "x", most: int = 10_000) -> Any:
    with opened_arrays(content, "file", "a table", "make it anew") as arrays:
        return arrays.read(name, most)


def claiming(shape: tuple[int, ...], kind: str = "<f8", content: bytes = b"") -> bytes:
    """An npz file whose array x claims a shape."""
    head, buffer = io.BytesIO(), io.BytesIO()
    npy.write_array_header_1_0(head, {"descr": kind, "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("x.npy", head.getvalue() + content)
    return buffer.getvalue()


@pytest.mark.parametrize("dtype", ["f8", ">f4", "i2", "u8", "?", "U7"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 5), (2, 0, 3)])
def test_arrays_come_back_as_they_were(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    for order in ("C", "F"):
        again = read(packed({"x": np.array(array, order=order)}))  # type: ignore[call-overload]
        assert (again.dtype, again.shape) == (array.dtype, array.shape)
        assert (again == array).all()


@pytest.mark.parametrize("shape", [(2**40, 0), (10**12,), (2,), (-1,), (2**62, 2**62)])
def test_a_shape_that_the_bytes_do_not_bear_out_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(Mistake, match=r"x claims the shape|x takes"):
        read(claiming(shape))


@pytest.mark.parametrize("kind", ["|O", "|V8", "<c16", "<M8[s]", "|S4"])
def test_only_numbers_and_text_are_read(kind: str) -> None:
    with pytest.raises(Mistake, match="neither numbers nor text"):
        read(claiming((1,), kind, b"12345678"))


def test_what_is_larger_than_its_reader_takes_is_refused() -> None:
    with pytest.raises(Mistake, match="x takes 80000 bytes; at most 10000 are taken here"):
        read(packed({"x": np.zeros(10_000)}))


def test_what_is_packed_to_nothing_is_refused() -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, x=np.zeros(10_000_000))
    with pytest.raises(Mistake, match=r"x\.npy grows 80000128 bytes large"):
        read(buffer.getvalue())


def test_a_long_list_of_contents_is_not_read() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(2_000):
            archive.writestr(f"{number}.npy", b"")
    with pytest.raises(Mistake, match="lists more contents"):
        read(buffer.getvalue())


def test_where_a_large_file_keeps_the_length_of_its_list_is_known() -> None:
    content = bytearray(packed({"x": np.zeros(3)}))
    length, place = struct.unpack_from("<LL", content, len(content) - 10)
    struct.pack_into("<LL", content, len(content) - 10, 2**32 - 1, 2**32 - 1)
    end, start = content[-22:], len(content) - 22
    for claimed in (length, 10**6):
        more = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, claimed, place)
        whole = bytes(content[:-22] + more + struct.pack("<4sLQL", b"PK\6\7", 0, start, 1) + end)
        if claimed == length:
            assert read(whole).tolist() == [0, 0, 0]
        else:
            with pytest.raises(Mistake, match="lists more contents"):
                read(whole)


def test_a_name_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("x.npy", b"")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("x.npy", b"")
    with pytest.raises(Mistake, match="a name occurs twice"):
        read((tmp_path / "x.npz").read_bytes())


def test_no_cut_and_no_flipped_bit_gives_a_traceback() -> None:
    good = packed({"x": np.arange(5), "words": np.array("what it is")})
    for place in range(len(good)):
        for bad in (good[:place], good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :]):
            try:
                with opened_arrays(bad, "file", "a table", "make it anew") as arrays:
                    answer = arrays.read("x", 1000).tolist(), arrays.text("words")
            except Mistake:
                continue
            assert answer == ([0, 1, 2, 3, 4], "what it is")
