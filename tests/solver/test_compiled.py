"""Machine code where nothing may be written."""

from __future__ import annotations

import pytest
from numba.core.caching import CacheImpl

from solver.compiled import cached


def twice(number: int) -> int:
    return 2 * number


def test_without_a_folder_for_its_cache_a_kernel_runs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    assert cached(twice)(21) == 42
