"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from base.files import whole, write_together
from games import Mistake


def test_what_was_there_stays_until_all_is_written(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("old")
    with whole(file, "never mind") as content:
        content.write(b"new")
        content.flush()
        assert file.read_text() == "old"
    assert file.read_text() == "new"
    assert [item.name for item in tmp_path.iterdir()] == ["table.csv"]


def test_a_writer_that_fails_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("old")
    with pytest.raises(TypeError), whole(file, "never mind") as content:
        content.writelines([b"half", "a text"])  # type: ignore[list-item]
    assert file.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["table.csv"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "table.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to(target)
    with whole(link, "never mind") as content:
        content.write(b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("place", ["folder", "missing/table.csv", "x" * 300])
def test_a_place_that_takes_no_file_is_a_mistake_that_says_what_now(place: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(Mistake, match=r"; name another$"), whole(tmp_path / place, "name another") as content:
        content.write(b"new")
    assert [item.name for item in tmp_path.iterdir()] == ["folder"]
    assert not list((tmp_path / "folder").iterdir())


def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(Mistake, match="is no file"), whole(pipe, "name another"):
        pass
    assert pipe.is_fifo()


def test_of_several_files_none_appears_where_one_cannot_be_begun(tmp_path: Path) -> None:
    files = {tmp_path / name: name.encode() for name in ("a", "b", "last")}
    write_together(files, "never mind")
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == files
    with pytest.raises(Mistake, match=r"missing/x: cannot be written \(No such file or directory\); make room"):
        write_together({tmp_path / "a": b"new", tmp_path / "missing" / "x": b"new"}, "make room")
    assert (tmp_path / "a").read_bytes() == b"a"
    assert not list(tmp_path.glob("*.partial"))


def test_the_last_of_several_files_waits_for_the_others(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()  # no file can take its place
    with pytest.raises(Mistake, match="b: cannot be written"):
        write_together({tmp_path / "a": b"new", tmp_path / "b": b"new", tmp_path / "last": b"new"}, "never mind")
    assert not (tmp_path / "last").exists()
