"""The list of licences has every package that an installation brings."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from docs.make.licences import US, installed, licence

ROOT = Path(__file__).parents[2]


def test_every_dependency_is_listed_with_a_licence() -> None:
    every = installed(US)
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    direct = {re.split(r"[<>=]", line, maxsplit=1)[0] for line in wanted}
    assert direct < set(every)  # and what these need
    assert [name for name in direct if licence(every[name]) == "not told"] == []
