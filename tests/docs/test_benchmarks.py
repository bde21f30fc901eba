"""The pages of the benchmarks are what their stored measurements make."""

from __future__ import annotations

import pytest

from docs.make.benchmarks import MEASURED, ROOT, count, names, page, share, short, times

STORED = [name for name in names() if (MEASURED / "benchmarks" / f"{name}.json").exists()]


@pytest.mark.parametrize("name", STORED)
def test_a_page_is_made_from_its_measurements_and_nothing_else(name: str) -> None:
    assert (ROOT / "benchmarks" / f"{name}.py").is_file()
    assert (MEASURED / f"benchmarks_{name}.md").read_text(encoding="utf-8") == page(name)


def test_numbers_have_three_digits_and_a_unit() -> None:
    assert [short(seconds) for seconds in (12.345, 0.0012345, 4.2e-6, 5e-9)] == ["12.3 s", "1.23 ms", "4.2 µs", "5 ns"]
    assert (count(1234567.0), times(1.6049), times(1234.5), share(0.1234)) == ("1,234,567", "1.6 ×", "1,234 ×", "12.3%")
