"""What a run is: defaults, then a TOML file, then --set, then named flags; the later wins.

A TOML file holds only what differs:

    env = "number-flip"
    agent = "sarsa"
    [parameters]
    target = 200
    [settings]
    epsilon = 0.5

The settings.toml that a run writes is such a file too, with everything in it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import Field

from agents.learner_file import LearnerFile, settings_in
from agents.settings import AGENTS, DEFAULT_AGENT, AgentSettings, Checked, make_checked, plain, settings_of
from base.mistake import Mistake, unknown
from base.reading import LARGEST_TOML, parsed_toml, read_text
from games.find import carried_file, make_rulebook, rulebook_names
from games.graph import playable_graph
from games.rulebook import RuleBook

LONGEST_NAME = 120  # characters of one folder name


@dataclass(frozen=True)
class Settings:
    """One run, resolved."""

    book: RuleBook
    agent: str  # its name; of a learner in a file, that of the file
    seed: int
    options: AgentSettings

    def table(self) -> dict[str, Any]:
        """What settings.toml says; a game from elsewhere is named by the game file that lies beside it."""
        carried, file = self.carried(), self.options.origin
        return {
            "env": next(iter(carried), self.book.name),
            "agent": file.path if file else self.agent,
            **({"agent_sha256": file.digest} if file else {}),
            "seed": self.seed,
            "parameters": {} if carried else self.book.parameters,
            "settings": dict(self.options),
        }

    @property
    def defaults(self) -> AgentSettings:
        """What the settings of this agent are for this game where none is given."""
        return _defaults(type(self.options), self.book)

    def carried(self) -> dict[str, bytes]:
        """The game file, by its name, that a run of a game from elsewhere carries; else nothing."""
        return carried_file(self.book)

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker elsewhere gets the text of a learner's file along, not its name."""
        return _restored, (self.book, self.agent, self.seed, self.options.origin, dict(self.options))

    def toml(self) -> str:
        lines, tables = [], []
        for key, value in self.table().items():
            if isinstance(value, Mapping):
                tables += ["", f"[{key}]", *(f"{name} = {_toml_value(item)}" for name, item in value.items())]
            else:
                lines.append(f"{key} = {_toml_value(value)}")
        return "\n".join(lines + tables) + "\n"

    def path(self, out: str | Path) -> Path:
        """The folder of the run: it spells what differs from the defaults."""
        game = spelled(self.book.name, self.book.parameters, self.book.defaults)
        agent = spelled(self.agent, vars(self.options), vars(self.defaults))
        return Path(out) / game / agent / f"seed-{self.seed}"


def resolve(
    *,
    env: str | RuleBook | None = None,
    agent: str | None = None,
    seed: int | str | None = None,
    parameters: Mapping[str, Any] | None = None,
    config: str | Path | None = None,
    changes: Mapping[str, Any] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """Defaults < the TOML file < `changes` (--set) < `flags` and the other arguments; what is None was not given."""
    file = _read(Path(config)) if config is not None else {}
    if env is None and config is not None and "env" in file:
        env = file["env"]
        if isinstance(env, str) and env and Path(env).name == env:  # as in the settings.toml of a run with its game
            beside = Path(config).with_name(env)
            env = str(beside) if os.path.isfile(beside) else env  # which takes a name of any length
    if env is None:
        raise Mistake(f"--env is missing: name a game, as in --env {rulebook_names()[0]}")
    agent = str(agent if agent is not None else file.get("agent", DEFAULT_AGENT))
    kind = settings_of(agent)
    origin = kind.origin
    name = origin.label if origin else agent
    if origin and name in AGENTS:
        raise Mistake(f"{agent}: an agent of ours has the name {name}; give the file another")
    if origin and file.get("agent_sha256", origin.digest) != origin.digest:
        raise Mistake(f"{config}: made with another version of {agent}; leave out agent_sha256 to use this one")
    chosen = {**file.get("parameters", {}), **(parameters or {})}
    book = env if isinstance(env, RuleBook) else make_rulebook(env, **chosen)
    options = dict(file.get("settings", {}))
    for where, keys in ((f"{config}", options), ("--set", changes or {})):
        for key in keys:
            if key not in kind.model_fields:
                raise unknown(where, f"setting of {name}", key, kind.model_fields)
    options |= changes or {}
    options |= {key: value for key, value in (flags or {}).items() if value is not None}
    number = make_checked(_Seed, "run", {"seed": seed if seed is not None else file.get("seed", 0)}).seed
    return Settings(book, name, number, make_checked(kind, name, options).sized(lambda: playable_graph(book)))


@lru_cache(maxsize=1000)
def _defaults(kind: type[AgentSettings], book: RuleBook) -> AgentSettings:
    return kind().sized(lambda: playable_graph(book))


class _Seed(Checked):
    seed: int = Field(0, ge=0, lt=2**63)


def _restored(book: RuleBook, agent: str, seed: int, origin: LearnerFile | None, values: dict[str, Any]) -> Settings:
    """The settings that were taken apart for a worker."""
    kind = settings_in(origin) if origin else AGENTS[agent]
    return Settings(book, agent, seed, kind(**values))


def read_toml(path: Path, otherwise: str, shorter: str) -> dict[str, Any]:
    """A TOML file; what to do where it cannot be read, or is too large, goes into the mistake."""
    return parsed_toml(read_text(path, LARGEST_TOML, f"{otherwise}; {shorter}"), path)


def _read(path: Path) -> dict[str, Any]:
    table = read_toml(path, "--config takes a TOML file", "a settings file holds only what differs")
    known = ("env", "agent", "agent_sha256", "seed", "parameters", "settings")
    for key, value in table.items():
        if key not in known:
            setting_of = [name for name, kind in AGENTS.items() if key in kind.model_fields]
            if setting_of:
                raise Mistake(f"{path}: {key} is a setting of an agent; put it under [settings]")
            raise unknown(str(path), "key", key, known)
        if key in ("parameters", "settings") and not isinstance(value, dict):
            raise Mistake(f"{path}: {key} is not a table; write [{key}] on a line of its own")
        if key in ("env", "agent") and not isinstance(value, str):
            raise Mistake(f"{path}: {key}={value} is not a name; write {key} in quotes")
    return table


def _toml_value(value: Any) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'
    return plain(value)


def spelled(name: str, values: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """The name of a folder: what differs from the defaults, percent-encoded, and a hash where it grows too long."""
    changed = [f",{key}={quote(plain(value), safe='')}" for key, value in values.items() if value != defaults[key]]
    spelled = name + "".join(changed)
    if len(spelled) > LONGEST_NAME:
        spelled = f"{spelled[: LONGEST_NAME - 13]}-{hashlib.sha256(spelled.encode()).hexdigest()[:12]}"
    return spelled
