"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from base.files import held, remove_partials, whole, write_together
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


def test_two_processes_that_write_one_file_tear_no_reader(tmp_path: Path) -> None:
    write = (
        "import sys; sys.path.insert(0, '.')\n"
        "from pathlib import Path; from base.files import write_together\n"
        "for number in range(400):\n"
        "    content = sys.argv[1].encode() * (1 + 5_000 * int(sys.argv[2]))\n"
        f"    write_together({{Path({str(tmp_path)!r}) / 'table': content}}, 'never mind', synced=False)\n"
    )
    root = Path(__file__).parents[2]
    writers = [
        subprocess.Popen([sys.executable, "-c", write, letter, str(n)], cwd=root) for n, letter in enumerate("ab")
    ]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if (tmp_path / "table").exists():
            seen.add((tmp_path / "table").read_bytes())
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen <= {b"a", b"b" * 5_001}
    assert [file.name for file in tmp_path.iterdir()] == ["table"]


def test_a_folder_that_the_disk_does_not_keep_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync = os.fsync

    def fail_on_folders(handle: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{handle}"):
            raise OSError(errno.EIO, "Input/output error")
        sync(handle)

    monkeypatch.setattr(os, "fsync", fail_on_folders)
    with pytest.raises(Mistake, match=rf"{tmp_path}: cannot be written \(Input/output error\); make room"):
        write_together({tmp_path / "a": b"new"}, "make room")


def test_a_folder_has_one_writer_and_what_a_dead_one_left_goes(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "one"
    with held(folder, "somebody writes", "choose another"):
        with pytest.raises(Mistake, match="one: somebody writes"), held(folder, "somebody writes", "choose another"):
            pass
        (folder / "curve.csv.123.partial").touch()
        (folder / "curve.csv").touch()
    with held(folder, "somebody writes", "choose another"):
        assert {file.name for file in folder.iterdir()} == {"curve.csv", "lock"}
    remove_partials(tmp_path / "missing")


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    (tmp_path / "lock").symlink_to(tmp_path / "thesis.tex")
    with pytest.raises(Mistake, match="is no file of ours"), held(tmp_path, "busy", "choose another"):
        pass
    assert (tmp_path / "thesis.tex").read_text() == "years of work"
