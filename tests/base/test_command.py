"""What every command here does when something is wrong: one line, an exit code, no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from base.command import Parser, pairs
from games import Mistake

ROOT = Path(__file__).parents[2]
HEAD = "import sys\nfrom base.command import run\nfrom base.mistake import Mistake\n"


def shell(body: str, redirect: str = "") -> subprocess.CompletedProcess[str]:
    """A command whose main is `body`, started by a shell with that redirection."""
    code = f"{HEAD}def main():\n    {body}\nrun(main)"
    words = ["sh", "-c", f'"$0" -c "$1" {redirect}', sys.executable, code]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("body", "code", "told"),
    [
        ("return None", 0, ""),
        ("return 1", 1, ""),
        ("raise Mistake('here: this;\\n what now')", 2, "here: this; what now\n"),
        ("raise KeyboardInterrupt", 130, "interrupted\n"),
        ("open('x' * 300, 'w')", 2, f"{'x' * 300}: File name too long; name another place\n"),
    ],
)
def test_what_happened_is_one_line_and_a_code(body: str, code: int, told: str) -> None:
    done = shell(body)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", told)


def test_a_disk_that_is_full_is_told() -> None:
    done = shell("print('much')", "> /dev/full")
    assert (done.returncode, done.stderr) == (2, "output: No space left on device; name another place\n")


def test_a_reader_that_has_gone_is_no_failure() -> None:
    done = shell("[print('much' * 1000) for _ in range(1000)]", "| head -c 1")
    assert (done.stdout, done.stderr) == ("m", "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_empty_and_silent(closed: str) -> None:
    done = shell("print('said', sys.stdin.read()); print('said', file=sys.stderr); raise Mistake('wrong')", closed)
    assert done.returncode == 2
    assert "Traceback" not in done.stdout + done.stderr


def test_a_file_that_is_opened_later_does_not_get_what_was_said(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    done = shell(f"import os; f = open({str(file)!r}, 'w'); os.write(1, b'said'); f.write('mine')", ">&-")
    assert (done.returncode, file.read_text()) == (0, "mine")


@pytest.mark.parametrize(
    ("word", "told"), [("steps", "as in --set steps=1000"), ("=1", "KEY=VALUE"), ("a=", "KEY=VALUE")]
)
def test_a_word_that_is_no_pair_is_refused_with_an_example(word: str, told: str) -> None:
    with pytest.raises(Mistake, match=told):
        pairs([word], "--set", "steps=1000")


def test_a_key_is_given_once() -> None:
    assert pairs(["a=1", " b = 2 "], "--set", "a=1") == {"a": "1", "b": "2"}
    with pytest.raises(Mistake, match="a is given twice"):
        pairs(["a=1", "a=2"], "--set", "a=1")


def parser() -> Parser:
    made = Parser(prog="thing.py")
    made.add_argument("--out", metavar="DIR")
    made.add_argument("--at", metavar='"8 7"')
    made.add_argument("--first", choices=["me", "opponent"])
    return made


def test_an_option_that_names_something_names_something() -> None:
    assert parser().parse_args(["--at", "", "--out", "x"]).at == ""
    with pytest.raises(Mistake, match="--out: is empty; name DIR, or leave it out"):
        parser().parse_args(["--out", ""])


def test_a_choice_that_there_is_not_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        Mistake, match=r"thing.py --first: no such choice: mee; did you mean me\? \(there is: me, opponent\)"
    ):
        parser().parse_args(["--first", "mee"])
