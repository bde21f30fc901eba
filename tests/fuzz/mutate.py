"""Damage of every kind, drawn from a seed: to bytes, to the arrays of an npz file, to the values of a JSON text."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import numpy as np

from base.arrays import packed

TOKENS = [
    *(
        b"",
        b"\x00",
        b"\xff",
        b"\xed\xa0\x80",
        b"\x1b[2J",
        b"\r",
        b"\n",
        b"\n\n\n",
        b'"',
        b"'",
        b"[",
        b"{",
        b"}",
        b"=",
        b",",
    ),
    *(b"-1", b"0", b"1e999", b"-1e-999", b"NaN", b"Infinity", b"null", b"true", b"9" * 30, b"9" * 5_000, b"0x7fffffff"),
    *(b"18446744073709551616", b"-9223372036854775808", b"2147483648", b"[" * 3_000, b'{"a":' * 3_000, b"a." * 200),
    *(
        b"../../etc/passwd",
        b"/dev/zero",
        b"__import__('os')",
        b"=cmd()",
        b"\\ud800",
        b"%s%n",
        "é".encode(),
        "𝟘".encode(),
    ),
]
NUMBERS: list[Any] = [0, 1, -1, 2**31, -(2**31), 2**63, 10**30, 10**400, 0.5, -0.0, 1e308, 1e-320]
VALUES: list[Any] = [
    *NUMBERS,
    None,
    True,
    "",
    "x" * 5_000,
    "\x1b[2J",
    "\ud800",
    [],
    {},
    [[[[]]]],
    {"a": {"b": 1}},
    "0-99999",
]


def damaged(content: bytes, draw: random.Random) -> bytes:
    """The content of a file after one to three mishaps."""
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        content = draw.choice([_bytes, _bytes, _words, _arrays, _json])(content, draw)
    return content


def _bytes(content: bytes, draw: random.Random) -> bytes:
    size = max(len(content), 1)
    a, b = sorted((draw.randrange(size), min(draw.randrange(size), size)))
    b = min(b, a + draw.choice([1, 8, 64, size]))
    way = draw.randrange(7)
    if way == 0:
        return content[:a]
    if way == 1:
        return content[:a] + content[b:]
    if way == 2:
        return content[:b] + content[a:b] * draw.choice([1, 3]) + content[b:]
    if way == 3:
        return content[:a] + draw.randbytes(b - a) + content[b:]
    if way == 4:
        return content[b:] + content[a:b] + content[:a]
    data = bytearray(content or b"\x00")
    for _ in range(draw.choice([1, 1, 4, 30])):
        place = draw.randrange(min(len(data), draw.choice([128, 10**9])))
        data[place] = data[place] ^ 1 << draw.randrange(8) if way == 5 else draw.choice([0, 1, 127, 128, 255])
    return bytes(data)


def _words(content: bytes, draw: random.Random) -> bytes:
    """A word that means something somewhere, in place of a few bytes; most of all after a sign."""
    places = [n for n, byte in enumerate(content[:20_000]) if byte in b"=:,[{ \n"] or [0]
    place = min(draw.choice(places) + 1, len(content))
    end = min((n for sign in b",]}\n" if (n := content.find(sign, place)) >= 0), default=len(content))
    return content[:place] + draw.choice(TOKENS) + content[draw.choice([place, end]) :]


def _arrays(content: bytes, draw: random.Random) -> bytes:
    """One array of another shape, type or range, in a file that is whole."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays: dict[str, Any] = {name: file[name] for name in file.files}
    except Exception:  # no npz file, or no longer one
        return _bytes(content, draw)
    name = draw.choice(sorted(arrays) or [""])
    array = arrays.pop(name, np.zeros(0))
    kinds = ["<i2", "<i8", ">i4", "<u8", "<f4", "<f8", "|b1", "<c16", "<U3", "|S4"]
    with np.errstate(all="ignore"):
        way = draw.randrange(9)
        if way == 0:
            pass  # missing
        elif way == 1:
            arrays[name] = _cast(array, draw.choice(kinds))
        elif way == 2:
            arrays[name] = array.reshape(draw.choice([(-1,), (1, -1), (-1, 1), (1, 1, -1)]))
        elif way == 3:
            arrays[name] = array[: draw.randrange(len(array) + 1)] if array.ndim else array[None]
        elif way == 4:
            arrays[name] = (
                np.concatenate([array, array]) if array.ndim else np.array(draw.choice(["", "x", "{}", "[[["]))
            )
        elif way == 5:
            arrays[name] = np.zeros(draw.choice([(0,), (0, 7), (2**30, 0), (7, 0)]), array.dtype)
        elif way == 6 and array.size and array.dtype.kind in "iuf":
            array = array.copy()
            extremes = [-1, 0, 1, 10**6] + (
                [np.nan, np.inf, 1e-310, -0.5] if array.dtype.kind == "f" else [2**31, -(2**62)]
            )
            array.flat[draw.randrange(array.size)] = np.array(draw.choice(extremes)).astype(array.dtype)
            arrays[name] = array
        elif way == 7:
            arrays[name] = array
            arrays[draw.choice(["extra", name + "x", "../x", ""])] = np.array(draw.choice([[1], ["text"]]))
        else:
            other = draw.choice(sorted(arrays) or [name])
            arrays[name] = arrays.get(other, array)
    return packed(arrays)


def _cast(array: Any, kind: str) -> Any:
    try:
        with np.testing.suppress_warnings() as quiet:  # a complex number loses a part
            quiet.filter(np.exceptions.ComplexWarning)
            return array.astype(kind)
    except (ValueError, TypeError):
        return np.zeros(array.shape, kind)


def _json(content: bytes, draw: random.Random) -> bytes:
    """Another value at some place of a JSON text, or of one of its lines."""
    lines = content.split(b"\n")
    whole = len(lines) < 2 or not lines[0].startswith(b'{"')
    number = 0 if whole else draw.randrange(len(lines))
    try:
        value = json.loads(content if whole else lines[number])
    except (ValueError, RecursionError):
        return _words(content, draw)
    place = value
    while isinstance(place, dict | list) and place:
        key = draw.choice(sorted(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], dict | list) or not place[key] or draw.random() < 0.3:
            if draw.random() < 0.2:
                del place[key]
            else:
                place[key] = draw.choice(VALUES)
            break
        place = place[key]
    text = json.dumps(value, indent=2 if whole else None).encode()
    return text if whole else b"\n".join([*lines[:number], text, *lines[number + 1 :]])
