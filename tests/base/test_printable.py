"""What strangers write reaches no terminal as a command."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from base.printable import one_line, printable


def test_an_escape_sequence_is_shown_and_not_obeyed() -> None:
    assert printable("\x1b[2Jgone\x07 \u202eevil\ud800") == "\ufffd[2Jgone\ufffd \ufffdevil\ufffd"
    assert one_line("a\r\n\tb\x00") == "a b\ufffd"


def test_plain_text_of_any_script_stays_as_it_is() -> None:
    for text in ("total 15", "Zürich → 東京", "a\nb\tc", "½ × ≤"):
        assert printable(text) == text


@given(st.text())
def test_one_line_is_one_line_that_every_terminal_prints(text: str) -> None:
    line = one_line(text)
    assert "\n" not in line
    assert all(sign.isprintable() or sign.isspace() or sign in "\u200c\u200d" for sign in line)
    line.encode("utf-8")
