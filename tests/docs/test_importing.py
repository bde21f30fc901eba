"""The page of benchmarks/importing.py is made from its numbers, and all its rows walked the same positions."""

from __future__ import annotations

import json
from pathlib import Path

from docs.make.importing import PLACE, page

ROOT = Path(__file__).parents[2]
STORED = json.loads(PLACE.read_text("utf-8"))


def test_the_page_is_what_its_numbers_make() -> None:
    assert (ROOT / "docs/measured/benchmarks_importing.md").read_text("utf-8") == "\n".join(page(STORED)) + "\n"


def test_every_way_walked_the_same_positions() -> None:
    assert {row["positions"] for row in STORED["rows"]} == {4_520}
