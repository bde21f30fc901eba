"""A run on disk: one folder that explains itself, written so that every file is whole or absent, and no pickle.

settings.toml     what decided the run; compared on resume
provenance.json   versions, commit, graph checksum, machine, seconds, finished or not; never compared
curve.csv         one row per exact evaluation
timing.csv        steps, seconds; never compared
snapshots.npz     steps [E], action [E, S]: the greedy policy at each row (-1 where there is no move)
policy.npz        the judged policy
network.safetensors   the weights of a network, where there is one
scorecard.json    its exact scorecard
manifest.json     written last: the SHA-256 of each of these files as the run left it
checkpoint/       the two newest, each with its checksum in its name
lock              held by the process that writes; the system frees it when that process dies
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from base.files import held, is_partial_of, remove_partials, write_together
from base.manifest import MANIFEST, manifest
from base.mistake import Mistake
from base.reading import read_bytes
from training.resolve import Settings

KEPT = 2  # checkpoints
AGAIN = "make room and add --resume"
CHECKPOINT = re.compile(r"(\d{14})-([0-9a-f]{16})\.npz")
PACKAGES = (
    "perfect-play",
    "numpy",
    "numba",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
)  # whose versions may matter to a result
FILES = (
    MANIFEST,
    "scorecard.json",
    "policy.npz",
    "network.safetensors",
    "snapshots.npz",
    "timing.csv",
    "curve.csv",
    "provenance.json",
    "settings.toml",
)


class RunExists(Mistake):
    """A run stands where one was to be started."""


class NoRun(Mistake):
    """No run stands where one was to be resumed."""


class Run:
    """The folder of one run; `held` makes it ours."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def finished(self) -> bool:
        """Whether it was brought to its end; whether its files are still what they were then is for `verify` to say."""
        return (self.path / MANIFEST).is_file()

    def admit(self, *, resume: bool = False, overwrite: bool = False) -> None:
        """Refuse to write here where that is not what was asked for; nothing is changed."""
        existed = self.path.exists()
        if resume and not existed:
            raise NoRun(f"{self.path}: no run to resume")
        if existed:
            self._stranger()
        if existed and not resume and not overwrite:
            raise RunExists(f"{self.path}: this run exists")

    @contextmanager
    def held(self, settings: Settings, *, resume: bool = False, overwrite: bool = False) -> Iterator[None]:
        """Make or take over the folder, with these settings and no other, and keep other writers out."""
        self.admit(resume=resume, overwrite=overwrite)
        with self.locked():
            remove_partials(self.path / "checkpoint")
            if overwrite:
                self._clear()
            self._settle(settings)
            yield

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out, for as long as the block lasts; the folder is made if it is not there."""
        busy = "another process is writing this run; wait for it, or take another --seed or --out"
        with held(self.path, busy, "choose another --out"):
            yield

    def _stranger(self) -> None:
        """Nothing is written into, or deleted from, a folder that is not a run of ours."""
        ours = {*FILES, "checkpoint", "lock", "tensorboard"}
        if not self.path.is_dir():
            raise Mistake(f"{self.path}: not a folder; move it away or choose another --out")
        names = sorted(item.name for item in self.path.iterdir())
        odd = [name for name in names if name not in ours and not is_partial_of(name, ours)]
        if odd and not (self.path / "settings.toml").is_file():
            raise Mistake(f"{self.path}: not a run (it holds {odd[0]}); move it away or choose another --out")

    def _clear(self) -> None:
        for file in self.checkpoints():  # first: without its settings, a checkpoint could be gone on with by others
            file.unlink()
        for name in FILES:
            (self.path / name).unlink(missing_ok=True)

    def _settle(self, settings: Settings) -> None:
        file = self.path / "settings.toml"
        if not file.exists():
            self.write({**settings.carried(), "settings.toml": settings.toml()})
            return
        text = read_bytes(file, what_now="add --overwrite, or choose another --out").decode("utf-8", "replace")
        if text != settings.toml():
            theirs, ours = text.splitlines(), settings.toml().splitlines()
            line = next((line for line in theirs if line not in ours), "another length")
            raise Mistake(f"{file}: made with other settings ({line}); add --overwrite, or choose another --out")

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Each appears whole or not at all, also when the machine goes down, and the last one last."""
        try:
            for folder in {(self.path / name).parent for name in files}:
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise Mistake(f"{error.filename}: cannot be made ({error.strerror}); {AGAIN}") from error
        write_together({self.path / name: _encoded(content) for name, content in files.items()}, AGAIN)
        for old in self.checkpoints()[KEPT:]:
            old.unlink()

    def finish(self, settings: Settings, files: Mapping[str, str | bytes]) -> None:
        """The last files of the run, and after all of them the manifest, which tells what each is."""
        contents = {name: _encoded(content) for name, content in files.items()}
        decided = {"settings.toml": settings.toml().encode(), **settings.carried()}  # written when it began
        lasting = {name: content for name, content in contents.items() if not name.startswith("checkpoint/")}
        self.write(contents | {MANIFEST: manifest(decided | lasting)})

    def reopen(self) -> None:
        """The run has not finished after all: what says so is taken away, and its checkpoints stay."""
        for name in (MANIFEST, "scorecard.json"):
            (self.path / name).unlink(missing_ok=True)

    def checkpoints(self) -> list[Path]:
        """Newest first."""
        folder = self.path / "checkpoint"
        names = (file for file in folder.iterdir() if CHECKPOINT.fullmatch(file.name)) if folder.is_dir() else ()
        return sorted(names, reverse=True)


def _encoded(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def provenance(settings: Settings | str, checksum: str, seconds: float, finished: bool, **more: Any) -> str:
    """Where the numbers come from; nothing here is ever compared. A run without settings gives its path instead."""
    record = {
        **workshop(),
        "graph_checksum": checksum,
        "path": settings if isinstance(settings, str) else settings.path("").as_posix(),
        "seconds": round(seconds, 3),
        "finished": finished,
        **more,
    }
    return json.dumps(record, indent=2) + "\n"


def _instructions() -> str | None:
    """What torch adds up with, which decides its last digits; None where it is not at work."""
    torch: Any = sys.modules.get("torch")
    return None if torch is None else str(torch.backends.cpu.get_cpu_capability())


@cache  # the code of a process is what it was when it was loaded, and a sweep writes thousands of these
def workshop() -> dict[str, Any]:
    """Versions, commit and machine."""
    import platform
    import subprocess
    from importlib.metadata import PackageNotFoundError, version

    def of(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    here = Path(__file__).parent

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(here), *words], capture_output=True, text=True, timeout=5, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no")
    return {
        "versions": {"python": platform.python_version()} | {name: of(name) for name in PACKAGES},
        "commit": git("rev-parse", "HEAD"),
        "changed_since_commit": None if changed is None else bool(changed),
        "machine": {"system": platform.system(), "machine": platform.machine(), "cores": os.cpu_count()},
        "torch_instructions": _instructions(),
    }
