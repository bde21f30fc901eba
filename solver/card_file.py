"""Reading a scorecard that anybody may have written: strictly, and whatever is wrong in one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter, ValidationError

from base.mistake import Mistake
from solver.card import OPPONENTS, SEATS, Scorecard

LARGEST = 2**63 - 1  # of a count, a seed, or plies
RANGES = {"guaranteed_first": (-1, 1), "guaranteed_second": (-1, 1), "tremble_regret": (0, 2)}  # others: 0 to 1
ROUNDING = 1e-9  # that older cards have: -1.0000000000000002
SHOWN = 60  # characters of a wrong value that are repeated


def read_card(text: str | bytes, where: str) -> Scorecard:
    """A scorecard from its JSON: unknown keys, wrong kinds, and numbers that no measurement gives are refused."""
    try:
        raw = text if isinstance(text, bytes) else text.encode()
        return _adapter().validate_json(raw)
    except UnicodeEncodeError as error:
        raise Mistake(f"{where}: not text ({error.reason}); make the run anew with --overwrite") from error
    except ValidationError as error:
        what = error.errors(include_url=False, include_context=False)[0]
        place, shown = ascii(".".join(map(str, what["loc"])))[1:-1], ascii(what["input"])
        if what["type"] == "json_invalid":
            fault = f"not JSON ({what['msg'].removeprefix('Invalid JSON: ')})"
        elif place:
            fault = f"{place} is {shown[:SHOWN]}{'...' * (len(shown) > SHOWN)}: {what['msg']}"
        else:
            fault = what["msg"].removeprefix("Value error, ")
        raise Mistake(f"{where}: {fault}; make the run anew with --overwrite") from error


@cache
def _adapter() -> TypeAdapter[Scorecard]:
    return TypeAdapter(Annotated[Scorecard, AfterValidator(_possible)])


def _possible(card: Scorecard) -> Scorecard:
    """The card, if a measurement could have given its numbers."""
    record = asdict(card)
    del record["parameters"]
    for table in ("versus", "blunder_rate"):
        if set(record[table]) != set(OPPONENTS) or any(set(seats) != set(SEATS) for seats in record[table].values()):
            raise ValueError(f"{table} must have {', '.join(OPPONENTS)}, each with {' and '.join(SEATS)}")
    for place, number in _numbers(record):
        low, high = _range(place, number)
        if not low - ROUNDING <= number <= high + ROUNDING:
            raise ValueError(f"{place} is {str(number)[:SHOWN]}; it lies between {low} and {high}")
    return card


def _numbers(record: dict[str, Any], place: str = "") -> Iterator[tuple[str, int | float]]:
    for key, value in record.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{place}{key}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield f"{place}{key}", value


def _range(place: str, number: float) -> tuple[float, float]:
    if isinstance(number, int) or place.endswith((".plies", ".plies_error")):
        return 0, LARGEST
    return RANGES.get(place, (0, 1))
