"""What `make floor` installs: the oldest versions that pyproject.toml admits, of all that does not need torch."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

NEED_TORCH = ("torch", "stable-baselines3", "sb3-contrib")  # old ones bring gigabytes of CUDA
TOOLS = ("pytest", "pytest-xdist", "hypothesis")

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
for line in project["dependencies"]:
    name, oldest = re.fullmatch(r"([\w-]+)>=([\d.]+)(?:,.*)?", line).groups()  # type: ignore[union-attr]
    if name not in NEED_TORCH:
        print(f"{name}=={oldest}")
print(*TOOLS, sep="\n")
