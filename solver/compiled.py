"""The one door to numba: a decorator for kernels. Modules of kernels alone import it, and come on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Machine code, made on the first call and kept on disk for the next process."""
    return cast(Function, numba.njit(cache=True, error_model="numpy", nogil=True)(function))
