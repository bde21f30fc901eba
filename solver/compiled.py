"""The one door to numba: a decorator for kernels. Modules of kernels alone import it, and come on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Machine code, made on the first call and kept on disk for the next process."""
    return cached(function, error_model="numpy", nogil=True)


def cached(function: Function, **options: Any) -> Function:
    """The same with numba's options of one's own. Where no folder may be written, each process compiles anew."""
    jit: Any = numba.njit  # its types do not know all of them
    try:
        return cast(Function, jit(cache=True, **options)(function))
    except RuntimeError:  # numba found no such folder
        return cast(Function, jit(**options)(function))
