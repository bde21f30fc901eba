"""Random numbers from SHA-256: the same for ever, everywhere, and what they chose tells nobody a secret key."""

from __future__ import annotations

import hashlib
import json

RANGE = 2**64


class Draws:
    """A stream of numbers that its key decides."""

    def __init__(self, *key: str | int) -> None:
        self._key = hashlib.sha256(json.dumps(key).encode()).digest()
        self._count = 0

    def below(self, number: int) -> int:
        """0 to number - 1, each alike."""
        while True:
            block = hashlib.sha256(self._key + self._count.to_bytes(8, "big")).digest()
            self._count += 1
            value = int.from_bytes(block[:8], "big")
            if value < RANGE - RANGE % number:  # else the first numbers would be a little more frequent
                return value % number


class Bag:
    """The numbers 0 to size - 1, drawn without putting back; nothing is written down but what was drawn."""

    def __init__(self, size: int) -> None:
        self.left = size
        self._moved: dict[int, int] = {}

    def draw(self, draws: Draws) -> int:
        place = draws.below(self.left)
        self.left -= 1
        drawn = self._moved.get(place, place)
        self._moved[place] = self._moved.pop(self.left, self.left)
        return drawn
