"""Our own entries, as configs/entries/ours.toml lists them, and how each is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.settings import plain
from base.mistake import Mistake, unknown
from training.ladders.ladder import ladder_names
from training.resolve import read_toml

ENTRIES = Path(__file__).parents[2] / "configs" / "entries" / "ours.toml"
TEXTS = ("ladder", "name", "about", "agent")
KEYS = (*TEXTS, "settings", "up_to", "seeds")


@dataclass(frozen=True)
class Listed:
    """One entry of ours."""

    ladder: str
    name: str
    about: str  # a sentence for the page
    agent: str
    settings: Mapping[str, Any]
    up_to: int | None
    seeds: str | None

    def words(self, out: str) -> list[str]:
        """What ladder.py is told."""
        words = [self.ladder, "--agent", self.agent, "--name", self.name, "--out", out]
        words += [word for key, value in self.settings.items() for word in ("--set", f"{key}={plain(value)}")]
        words += ["--up-to", str(self.up_to)] if self.up_to is not None else []
        return words + (["--seeds", self.seeds] if self.seeds is not None else [])


def read_listed(file: Path = ENTRIES) -> list[Listed]:
    blocks = read_toml(file, "name a file of entries", "an entry names its ladder, agent and settings").get("entries")
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise Mistake(f"{file}: lists no entries; write them as [[entries]] blocks")
    listed: list[Listed] = []
    for number, block in enumerate(blocks, 1):
        where = f"{file}: [[entries]] block {number}"
        for key in block:
            if key not in KEYS:
                raise unknown(where, "key", key, KEYS)
        for key in TEXTS:
            if not isinstance(block.get(key), str):
                raise Mistake(f"{where}: {key} is missing or is no text; write {key} in quotes")
        if block["ladder"] not in ladder_names():
            raise unknown(where, "ladder", block["ladder"], ladder_names())
        if any((block["ladder"], block["name"]) == (one.ladder, one.name) for one in listed):
            raise Mistake(f"{where}: {block['name']} is there twice; give each entry of a ladder a name of its own")
        optional: dict[str, Any] = {"settings": {}, "up_to": None, "seeds": None}
        listed.append(Listed(**{**optional, **block}))
    return listed
