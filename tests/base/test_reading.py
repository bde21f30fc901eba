"""Files that strangers wrote: regular ones only, bounded, one line if damaged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from base.mistake import Mistake
from base.reading import each_line, opened, parsed_json, parsed_toml, read_bytes, read_json, read_text


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Mistake, match="pipe: is no file but a pipe; name one"):
        read_bytes(tmp_path / "pipe", what_now="name one")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/tty"])
def test_no_device_is_read_not_even_through_a_link(device: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(device)
    with pytest.raises(Mistake, match=r"is no file but a device|cannot be read \(No such device"):
        read_bytes(tmp_path / "link")


def test_a_folder_a_missing_file_and_a_name_that_is_none_are_one_line(tmp_path: Path) -> None:
    for name, says in ((tmp_path, "is no file but a folder"), (tmp_path / "no", "No such file"), ("a\0b", "null")):
        with pytest.raises(Mistake, match=says):
            read_bytes(name)


def test_a_file_is_read_whole_or_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 5_000_000)
    assert read_bytes(tmp_path / "file", 5_000_000) == b"x" * 5_000_000
    with pytest.raises(Mistake, match="larger than 4999999 bytes"):
        read_bytes(tmp_path / "file", 4_999_999)


def test_what_claims_no_size_is_read_to_its_end_or_refused() -> None:
    assert b"Name:" in read_bytes("/proc/self/status")
    with pytest.raises(Mistake, match="larger than 9 bytes"):
        read_bytes("/proc/self/status", 9)


def test_bytes_that_are_no_text_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff\xfe")
    with pytest.raises(Mistake, match=r"not text \(invalid start byte at byte 0\); write it anew"):
        read_text(tmp_path / "file", what_now="write it anew")


@pytest.mark.parametrize(
    "text", ["{", "[" * 100_000, "NaN", "[-Infinity]", "1e999", "9" * 5_000, '{"a": 1,}', "", b"\xff".decode("latin1")]
)
def test_what_is_no_json_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    with pytest.raises(Mistake, match=r"file: not JSON \(.*\); write it anew"):
        read_json(tmp_path / "file", "write it anew")


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5_000, "a = " + "9" * 45_000, "a = = 3", ".".join("a" * 25_000) + " = 1"]
)
def test_what_is_no_toml_is_one_line(text: str) -> None:
    with pytest.raises(Mistake, match="file: not TOML"):
        parsed_toml(text, "file")


def test_what_is_good_is_told() -> None:
    assert parsed_json('{"a": [1, 2.5, null]}', "here", "never mind") == {"a": [1, 2.5, None]}
    assert parsed_toml("a.b = [0.1, 0.2]\n[c]\nd = '...'", "here") == {"a": {"b": [0.1, 0.2]}, "c": {"d": "..."}}


@pytest.mark.parametrize("most", [1, 2, 3, 5, 100])
def test_lines_come_one_by_one_and_longer_ones_as_none(most: int, tmp_path: Path) -> None:
    texts = [b"", b"a", b"\n", b"ab\n\nabc\nx", b"abcdef\nab\n", b"x" * 50 + b"\n" + b"y" * 3_000_000 + b"\nz"]
    for text in texts:
        (tmp_path / "file").write_bytes(text)
        expected = [line if len(line.removesuffix(b"\n")) <= most else None for line in text.splitlines(keepends=True)]
        with opened(tmp_path / "file") as file:
            assert list(each_line(file, most)) == expected
