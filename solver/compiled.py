"""The one door to numba: a decorator for kernels. Modules of kernels alone import it, and come on first use."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba
from numba.core import caching

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Machine code, made on the first call and kept on disk for the next process."""
    return cached(function, error_model="numpy", nogil=True)


def cached(function: Function, **options: Any) -> Function:
    """The same with numba's options of one's own. Where no folder may be written, each process compiles anew."""
    jit: Any = numba.njit  # its types do not know all of them
    dispatcher = jit(**options)(function)
    with suppress(RuntimeError):  # numba found no such folder
        dispatcher._cache = _Cache(function)
    return cast(Function, dispatcher)


Kept: Any = caching.FunctionCache  # its types do not know any of it


class _Cache(Kept):  # type: ignore[misc]
    """Numba's own, but what is torn in it is compiled once more, and what the disk does not take is not kept."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a pickle that was cut short fails in many ways
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:  # a full disk, or an index that is torn
            with suppress(OSError):
                self.flush()
