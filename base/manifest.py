"""The manifest of a folder: the SHA-256 of each of its files, written after all of them, so that a change shows."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from base.mistake import Mistake
from base.reading import read_bytes, read_json

MANIFEST = "manifest.json"
FORMAT = "perfect-play-manifest-1"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # of a file in the folder itself, never of one elsewhere
MOST_FILES = 1_000
LARGEST = 1 << 36  # bytes of a file that is looked at
AGAIN = "make the folder anew"


def manifest(files: Mapping[str, bytes]) -> bytes:
    """The content of manifest.json for these files."""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    return json.dumps({"format": FORMAT, "files": digests}, indent=2).encode() + b"\n"


def edited(folder: Path) -> tuple[str, ...]:
    """The files that are not as the manifest says, in its order; manifest.json itself where there is none to read."""
    try:
        digests = read_manifest(folder)
    except Mistake:
        return (MANIFEST,)
    return tuple(name for name, digest in digests.items() if not _is(folder / name, digest))


def read_manifest(folder: Path) -> dict[str, str]:
    """Name: SHA-256."""
    record = read_json(folder / MANIFEST, AGAIN)
    files = record.get("files") if isinstance(record, dict) and record.get("format") == FORMAT else None
    if not isinstance(files, dict) or not 0 < len(files) <= MOST_FILES or not all(map(NAME.fullmatch, files)):
        raise Mistake(f"{folder / MANIFEST}: not a list of files and their digests; {AGAIN}")
    return files


def _is(file: Path, digest: str) -> bool:
    try:
        return hashlib.sha256(read_bytes(file, LARGEST)).hexdigest() == digest
    except Mistake:
        return False
