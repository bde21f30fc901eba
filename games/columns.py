"""Columns: one rule text run on whole arrays of positions.

A Column stands where the rule expects an int. Asked for its truth (by `if`, `and`, `or`, `not`, `in`, `min`, ...), it
answers when all rows agree; when they do not, it raises Split, and `run` runs the rule again on each part. Whatever a
column cannot do exactly as ints do (be printed, indexed with, hashed, grow past 64 bits) it refuses with NotOnColumns.

Columns broadcast like any arrays: where fields lie along different axes of a grid, arithmetic on one costs its length
and not the grid's, and an `if` that looks at one cuts the grid across that axis only.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32] | NDArray[np.int64]
LARGEST = 2**63 - 1


class NotOnColumns(Exception):
    """This rule needs ints; its message says what it did."""


class Split(Exception):
    def __init__(self, truth: NDArray[np.bool_]) -> None:
        self.truth = truth  # which side of the `if` each row is on; of length 1 along axes that it does not look at


class Column:
    """Whole numbers, one per row, known to lie between `low` and `high`."""

    __slots__ = ("high", "low", "values")

    def __init__(self, values: Ints, low: int, high: int) -> None:
        self.values, self.low, self.high = values, low, high

    def __bool__(self) -> bool:
        truth = self.values.astype(bool, copy=False)
        if truth.all():
            return True
        if truth.any():
            raise Split(truth)
        return False

    def __neg__(self) -> Column:
        values, low, high = _parts(self)
        return Column(-values, -high, -low)

    def __pos__(self) -> Column:
        return self

    def __abs__(self) -> Column:
        return Column(np.abs(self.values), 0, max(-self.low, self.high))


def _parts(operand: Any) -> tuple[Any, int, int]:
    if isinstance(operand, Column):
        values = operand.values  # of a comparison they are bools, and numpy's add by `or`
        return values.astype(np.int32) if values.dtype == np.bool_ else values, operand.low, operand.high
    if isinstance(operand, int):
        return int(operand), int(operand), int(operand)
    raise NotOnColumns(f"a column met {type(operand).__name__} {operand!r}")


def _bounds(name: str, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """An interval that holds every result of the operation, by the intervals of its operands."""
    if name in ("floordiv", "mod"):
        size = max(-b[0], b[1])
        if name == "floordiv":
            return -max(-a[0], a[1]), max(-a[0], a[1])
        return (0, size - 1) if b[0] > 0 else (1 - size, size - 1)
    ends = [getattr(operator, name)(x, y) for x in a for y in b]  # monotone: the extremes lie at the corners
    return min(ends), max(ends)


def _arithmetic(name: str) -> tuple[Callable[[Any, Any], Column], Callable[[Any, Any], Column]]:
    function = getattr(operator, name)

    def apply(left: Any, right: Any) -> Column:
        (x, x_low, x_high), (y, y_low, y_high) = _parts(left), _parts(right)
        if name in ("floordiv", "mod") and not np.all(y):
            raise NotOnColumns("a division by zero")
        low, high = _bounds(name, (x_low, x_high), (y_low, y_high))
        widest = max(-low, high, -x_low, x_high, -y_low, y_high)
        if widest > LARGEST:
            raise NotOnColumns(f"a number may grow to {widest}, past 64 bits")
        if widest >= 2**31:  # else 32 bits are enough, and twice as fast
            x, y = np.asarray(x, dtype=np.int64), np.asarray(y, dtype=np.int64)
        return Column(function(x, y), low, high)

    return apply, lambda self, other: apply(other, self)


def _comparison(name: str) -> Callable[[Any, Any], Column]:
    function = getattr(operator, name)
    return lambda self, other: Column(function(self.values, _parts(other)[0]), 0, 1)


def _refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(self: Column, *_: Any) -> NoReturn:
        raise NotOnColumns(f"a rule used {name} on a whole column")

    return refuse


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    _forward, _backward = _arithmetic(_name)
    setattr(Column, f"__{_name}__", _forward)
    setattr(Column, f"__r{_name}__", _backward)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Column, f"__{_name}__", _comparison(_name))
for _name in ("str", "repr", "format", "int", "float", "index", "hash", "iter", "len", "contains", "getitem", "round"):
    setattr(Column, f"__{_name}__", _refusal(_name))
for _name in ("truediv", "divmod", "pow", "lshift", "rshift", "and", "or", "xor", "matmul"):
    setattr(Column, f"__{_name}__", _refusal(_name))
    setattr(Column, f"__r{_name}__", _refusal(_name))
setattr(Column, "__invert__", _refusal("invert"))  # noqa: B010  (a def would need the same refusal twice)


def run(
    rule: Callable[..., Any],
    columns: Sequence[Ints],
    sizes: Sequence[int],
    encode: Callable[[Any], Any],
    answer: NDArray[np.int32],
) -> None:
    """Fill in what the rule says of every row; rows that go the same way are answered, and encoded, together."""
    try:
        answer[...] = encode(rule(*(Column(column, 0, size - 1) for column, size in zip(columns, sizes, strict=True))))
    except Split as split:
        axes = [axis for axis, length in enumerate(split.truth.shape) if length > 1]
        for side in (split.truth, ~split.truth):
            if len(axes) == 1:
                [axis] = axes
                among = np.flatnonzero(side)
                part = [column.take(among, axis) if column.shape[axis] > 1 else column for column in columns]
                where: Any = (*[slice(None)] * axis, among)
            else:  # a part of the grid that is no grid: row by row
                where = np.broadcast_to(side, answer.shape)
                part = [np.broadcast_to(column, answer.shape)[where] for column in columns]
            some = np.empty(np.broadcast_shapes(*(column.shape for column in part)), dtype=np.int32)
            run(rule, part, sizes, encode, some)
            answer[where] = some
