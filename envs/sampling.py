"""A legal move for each of many games, drawn from their masks: any masks, of any env."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.mistake import Mistake
from envs import stream


def sample_legal(mask: NDArray[Any], generator: np.random.Generator) -> NDArray[np.int64]:
    """[N]: for each row of a mask [N, A] one of the actions that it allows, each alike.

    One number of the generator starts a stream for all rows; `argmax(random * mask)` draws N x A and takes far longer.
    """
    from envs import kernel

    if not isinstance(mask, np.ndarray) or mask.ndim != 2 or mask.dtype.kind not in "biu":
        kind = f"{mask.dtype} of shape {mask.shape}" if isinstance(mask, np.ndarray) else type(mask).__name__
        raise Mistake(
            f"sample_legal: the mask is {kind}; it must be an array [games, actions] of bools or whole numbers"
        )
    if mask.dtype != np.int8:
        mask = (mask != 0).view(np.int8)
    actions = np.empty(len(mask), dtype=np.int64)
    luck = stream.seeded(int(generator.integers(2**63)))
    empty = kernel.draw(np.uint64(luck), mask, actions)
    if empty >= 0:
        raise Mistake(f"sample_legal: row {empty} of the mask allows nothing; draw for games that go on")
    return actions
