"""Machine code where nothing may be written."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest
from numba.core.caching import CacheImpl, IndexDataCacheFile

from solver.compiled import cached


def twice(number: int) -> int:
    return 2 * number


def test_without_a_folder_for_its_cache_a_kernel_runs_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    assert cached(twice)(21) == 42


@pytest.mark.parametrize("torn", ["*.nbi", "*.nbc"])
def test_a_torn_cache_is_made_again(torn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert cached(twice)(21) == 42
    (file,) = tmp_path.rglob(torn)
    whole = file.read_bytes()
    file.write_bytes(whole[:20])
    assert cached(twice)(21) == 42
    assert cached(twice)(21) == 42
    (again,) = tmp_path.rglob(torn)
    assert len(again.read_bytes()) == len(whole)


def test_a_disk_that_keeps_no_cache_is_no_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, *rest: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(IndexDataCacheFile, "_dump", full)
    monkeypatch.setattr(IndexDataCacheFile, "_save_data", full)
    assert cached(twice)(21) == 42
