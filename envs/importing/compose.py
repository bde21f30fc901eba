"""From what was explored to arrays and words: passes for who moves twice, alike positions merged, fields, names."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.importing.bisimulation import classes_of
from envs.importing.endings import Results
from envs.importing.explorer import Exploration
from games.gamefile import LONGEST, clashing_name, cleaned
from games.graph import GameGraph
from games.rulebook import ILLEGAL

WIDEST = 2_000  # numbers of a one-hot view; beyond that a position is a number only
PASS = "pass"


@dataclass(frozen=True)
class Composed:
    graph: GameGraph
    names: tuple[str, ...]
    words: tuple[str, ...]
    own: NDArray[np.float32] | None
    before: int  # positions before alike ones were merged
    passes: int  # positions in which a player has to pass
    origin: NDArray[np.int64]  # [S]: the explored state that each row stands for; -1 where a player passes


def compose(game: str, found: Exploration, results: Results, names: Sequence[str], numbers: Sequence[int]) -> Composed:
    """The graph, with the words for its positions."""
    table, origin = _table(found, results, len(names))
    passing = origin < 0
    moves, said = list(numbers), list(names)
    if passing.any():
        moves.append(max(moves) + 1)
        said.append(PASS if PASS not in said else f"{PASS} (forced)")
    else:
        table = table[:, :-1]
    target = np.where(passing, -1 - origin, origin)  # of a pass: where it leads
    labels = _labels(found, target, passing)
    classes = _in_order(classes_of(table, labels))
    first = np.unique(classes, return_index=True)[1]  # a state of each class: the first that was met
    merged = np.where(table[first] >= 0, classes[table[first]], table[first]).astype(np.int32)
    fields, positions, words = _fields(found, target, passing, classes, first)
    order = np.lexsort(positions.T[::-1])
    place = np.argsort(order)
    next_state = np.where(merged >= 0, place[merged], merged).astype(np.int32)[order]
    graph = GameGraph(game, {}, fields, positions[order].astype(np.int32), np.array(moves, dtype=np.int64), next_state)
    rows = target[first[order]]
    own = None
    if found.observations and found.observations[0] is not None:
        width = max(len(found.observations[state]) for state in rows)
        own = np.zeros((len(rows), width), dtype=np.float32)
        for row, state in enumerate(rows):
            own[row, : len(found.observations[state])] = found.observations[state]
        own = np.nan_to_num(own)
    clean = tuple(cleaned(name, LONGEST["name"]) for name in said)
    if clashing_name(clean, moves):
        clean = tuple(map(str, moves))
    return Composed(graph, clean, tuple(words[state] for state in order), own, int((~passing).sum()),
                    int(passing[first].sum()), origin[first[order]])  # fmt: skip


def _in_order(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same classes, numbered as they were met: that of the start is 0."""
    first = np.unique(classes, return_index=True)[1]
    return np.asarray(np.argsort(np.argsort(first))[classes], dtype=np.int64)


def _table(found: Exploration, results: Results, actions: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """[S, A + 1] with a last action to pass, and where each row comes from: a state, or ~the state passed into."""
    verdicts, closed, seats = results.verdicts, results.closed, found.seats
    rows: list[tuple[int, list[tuple[int, int]]]] = []
    number: dict[int, int] = {}
    origin: list[int] = []
    queue = [0]
    number[0] = 0
    origin.append(0)

    def numbered(key: int) -> int:
        if key not in number:
            number[key] = len(origin)
            origin.append(key)
            queue.append(key)
        return number[key]

    at = 0
    while at < len(queue):
        key = queue[at]
        at += 1
        row: list[tuple[int, int]] = []
        if key < 0:
            row.append((actions, numbered(~key)))
        else:
            for move, target in zip(found.legal[key], found.targets[key], strict=True):
                if target < 0:
                    row.append((move, verdicts[~target]))
                elif target in closed:
                    row.append((move, closed[target] if seats[target] != seats[key] else _turned(closed[target])))
                else:
                    row.append((move, numbered(target if seats[target] != seats[key] else ~target)))
        rows.append((number[key], row))
    table = np.full((len(origin), actions + 1), int(ILLEGAL), dtype=np.int32)
    for state, row in rows:
        for move, target in row:
            table[state, move] = target
    return table, np.array(origin, dtype=np.int64)


def _turned(verdict: int) -> int:
    """What happens to who moved into a position of their own where the verdict was told for the other."""
    return {-2: -3, -3: -2}.get(verdict, verdict)


def _labels(found: Exploration, target: NDArray[np.int64], passing: NDArray[np.bool_]) -> NDArray[np.int64]:
    """What nobody may merge: positions that look different, or in which another player moves, or one must pass."""
    seats = np.array(found.seats) if found.known_mover else np.zeros(len(found.seats), dtype=np.int64)
    seen = np.unique(np.array(found.seen, dtype=np.int64), return_inverse=True)[1].ravel()
    return np.asarray((seen[target] * 2 + seats[target]) * 2 + passing, dtype=np.int64)


def _fields(
    found: Exploration, target: NDArray[np.int64], passing: NDArray[np.bool_], classes: NDArray[np.int64],
    first: NDArray[np.int64],
) -> tuple[dict[str, int], NDArray[np.int64], list[str]]:  # fmt: skip
    """The fields of each class and the words for it: what all its states have in common."""
    columns = _columns(found, target)
    codes: dict[str, NDArray[np.int64]] = {}
    common: dict[str, list[Hashable]] = {}
    told: set[bytes] = set()  # what single values say: said once is enough
    for name, values in sorted(columns.items(), key=lambda pair: "_" in pair[0][:1] or "._" in pair[0]):
        values_there: dict[Hashable, int] = {}
        column = np.array([values_there.setdefault(value, len(values_there)) for value in values], dtype=np.int64)
        if len(values_there) < 2 or not (column == column[first][classes]).all():
            continue
        if not re.search(r"_\d+$", name):
            if column.tobytes() in told:
                continue
            told.add(column.tobytes())
        common[name] = [values[state] for state in first]
        codes[name] = _ranked(list(values_there), column[first])
    if passing.any():
        codes[PASS] = passing[first].astype(np.int64)
    words = _words(common, passing[first])
    fields = {_field_name(name): int(column.max()) + 1 for name, column in codes.items()}
    table = np.column_stack(list(codes.values())) if codes else np.zeros((len(first), 0), dtype=np.int64)
    if not codes or len(fields) < len(codes) or sum(fields.values()) > WIDEST:
        return {"position": len(first)}, np.arange(len(first))[:, None], words
    alike = np.unique(table, axis=0, return_inverse=True)[1].ravel()
    if len(np.unique(alike)) < len(first):  # positions that look the same and are not: they are counted
        seen: dict[int, int] = {}
        extra = np.zeros(len(first), dtype=np.int64)
        for state, kind in enumerate(alike.tolist()):
            extra[state] = seen.get(kind, 0)
            seen[kind] = int(extra[state]) + 1
        fields["variant"] = int(extra.max()) + 1
        if sum(fields.values()) > WIDEST:
            return {"position": len(first)}, np.arange(len(first))[:, None], words
        table = np.column_stack([table, extra])
    return fields, table, words


def _ranked(values: list[Hashable], column: NDArray[np.int64]) -> NDArray[np.int64]:
    """Codes in the order of the values where they have one, with that of the start as 0."""
    start = values[int(column[0])]
    try:
        rest = sorted((value for value in values if value != start), key=lambda value: (isinstance(value, str), value))
    except TypeError:
        rest = [value for value in values if value != start]
    rank = {value: code for code, value in enumerate([start, *rest])}
    lookup = np.array([rank[value] for value in values], dtype=np.int64)
    used = np.unique(lookup[column])
    return np.searchsorted(used, lookup[column]).astype(np.int64)


def _columns(found: Exploration, target: NDArray[np.int64]) -> dict[str, list[Hashable]]:
    """The parts of each state; arrays and lists of one shape are taken apart, square by square."""
    parts = [dict(found.keys[state]) for state in target]
    columns: dict[str, list[Hashable]] = {}
    for name in parts[0]:
        values = [part.get(name) for part in parts]
        if all(value == values[0] for value in values):
            continue
        for inner, column in _apart(values):
            columns[name + inner] = column
    return columns


def _apart(values: list[Any], depth: int = 3) -> list[tuple[str, list[Hashable]]]:
    head = values[0]
    if depth and type(head) is tuple and head:
        kinds = {_kind(value) for value in values}
        if len(kinds) == 1 and head[0] == "array" and head[2] != "O":
            cells = np.stack([np.frombuffer(value[3], dtype=head[2]) for value in values])
            places = list(np.ndindex(*head[1])) if head[1] else [()]
            return [
                ("_".join(["", *map(str, place)]), cells[:, number].tolist()) for number, place in enumerate(places)
            ]
        if len(kinds) == 1 and head[0] in ("list", "tuple"):
            found = []
            for place in range(1, len(head)):
                found += [(f"_{place - 1}{inner}", column)
                          for inner, column in _apart([value[place] for value in values], depth - 1)]  # fmt: skip
            return found
        if (
            len(kinds) == 1
            and head[0] == "dict"
            and all({k for k, _ in v[1]} == {k for k, _ in head[1]} for v in values)
        ):
            tables = [dict(value[1]) for value in values]
            found = []
            for key in sorted(tables[0], key=str):
                found += [(f"_{key}{inner}", column) for inner, column in _apart([t[key] for t in tables], depth - 1)]
            return found
    return [("", values)]


def _kind(value: Any) -> Hashable:
    """What must be alike for two values to be taken apart together."""
    if type(value) is not tuple or not value:
        return None
    return value[:3] if value[0] == "array" else (value[0], len(value))


def _words(common: dict[str, list[Hashable]], passing: NDArray[np.bool_]) -> list[str]:
    """A line for people: "board 1 0 2 0 0 0 0 0 0, current player 2"."""
    groups: dict[str, list[str]] = {}
    for name in common:
        groups.setdefault(re.sub(r"(_\d+)+$", "", name), []).append(name)
    lines = []
    for state in range(len(passing)):
        said = []
        for group, names in groups.items():
            spoken = " ".join(_spoken(common[name][state]) for name in names)
            said.append(f"{group.strip('_').replace('_', ' ').replace('.', ' ')} {spoken}")
        line = ", ".join(said) or "the start"
        lines.append(cleaned(f"{line}, a pass is forced" if passing[state] else line, LONGEST["words"]))
    return lines


def _spoken(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if type(value) is tuple and value and value[0] in ("list", "tuple", "deque", "set", "enum"):
        items = value[1:] if value[0] not in ("set",) else sorted(value[1], key=str)
        return " ".join(map(_spoken, items)) or "-"
    if type(value) is tuple and value and value[0] == "dict":
        return " ".join(f"{_spoken(key)}: {_spoken(item)}" for key, item in sorted(value[1], key=str))
    return re.sub(r"[^\w.+-]+", " ", str(value)).strip() or "-"


def _field_name(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")[: LONGEST["name"]] or "field"
