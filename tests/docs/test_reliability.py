"""Each promise of the page on reliability names a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_promise_names_a_test_that_there_is() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    promises = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    assert len(promises) > 30
    for line in promises:
        (named,) = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", line)
        file, name = named
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), line
