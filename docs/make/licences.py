"""The licences of all that an installation brings, as each package tells its own: python -m docs.make.licences"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from base.command import run

US = "perfect-play"
LONGEST = 60  # characters of a licence that a package writes out whole


def needed(name: str) -> Iterator[str]:
    """What a package needs to be installed here, its optional parts left out."""
    for line in distribution(name).requires or ():
        package, _, condition = line.partition(";")
        if "extra ==" not in condition:
            yield re.split(r"[\s<>=!~\[(]", package.strip(), maxsplit=1)[0]


def installed(name: str) -> dict[str, Distribution]:
    """Everything that comes with a package, by its name in lower case; what this machine does not need is not there."""
    every, waiting = dict[str, Distribution](), [name]
    while waiting:
        for one in needed(waiting.pop()):
            key = re.sub(r"[-_.]+", "-", one).lower()
            try:
                if key not in every:
                    every[key] = distribution(one)
                    waiting.append(one)
            except PackageNotFoundError:
                continue
    return every


def licence(package: Distribution) -> str:
    """What its metadata say, in a few words."""

    def told(key: str) -> list[str]:
        return [str(line) for line in package.metadata.get_all(key) or []]

    classified = [line.rpartition(" :: ")[2] for line in told("Classifier") if line.startswith("License")]
    words = told("License-Expression") or [" / ".join(classified)]
    line = (words[0] or "".join(told("License")).strip()).partition("\n")[0]
    return f"{line[:LONGEST]}..." if len(line) > LONGEST else line or "not told"


def page() -> Iterator[str]:
    yield f"{'package':24} {'version':16} licence"
    for name, package in sorted(installed(US).items()):
        yield f"{name:24} {package.version:16} {licence(package)}"


def main() -> int:
    print("\n".join(page()))
    return 0


if __name__ == "__main__":
    run(main)
