"""The pages of the benchmarks, made from what these measured: python -m docs.make.benchmarks [NAME ...]

benchmarks/NAME.py writes docs/measured/benchmarks/NAME.json; with the words of templates/benchmarks_NAME.md.j2 that
becomes docs/measured/benchmarks_NAME.md. A page can be made again without measuring again.
"""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from base.command import Parser, run
from base.files import write_folder
from base.mistake import Mistake, need

ROOT = Path(__file__).parents[2]
MEASURED = ROOT / "docs" / "measured"
TEMPLATES = Path(__file__).parent / "templates"
UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def names() -> list[str]:
    """The benchmarks whose pages are made from JSON."""
    return sorted(file.name.removeprefix("benchmarks_").removesuffix(".md.j2") for file in TEMPLATES.glob("*.md.j2"))


def page(name: str, folder: Path = MEASURED / "benchmarks") -> str:
    """The page of what that benchmark measured."""
    file = folder / f"{name}.json"
    if not file.exists():
        raise Mistake(f"{file}: nothing is stored there; measure it with: python benchmarks/{name}.py")
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    environment.filters |= {"short": short, "count": count, "times": times, "share": share}
    return environment.get_template(f"benchmarks_{name}.md.j2").render(json.loads(file.read_text(encoding="utf-8")))


def short(seconds: float) -> str:
    """A time with three digits and the unit that suits it."""
    for unit, size in UNITS:
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.2g} ns"


def count(number: float) -> str:
    return f"{number:,.0f}"


def times(ratio: float) -> str:
    return f"{ratio:,.0f} ×" if ratio >= 100 else f"{ratio:.3g} ×"


def share(part: float) -> str:
    return f"{part:.1%}"


def main() -> int:
    parser = Parser(prog="python -m docs.make.benchmarks", description="Makes the pages of the benchmarks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(names())} (default: all that are stored)")
    args = parser.parse_args()
    for name in args.names:
        need("benchmarks", "page", name, names())
    chosen = args.names or [name for name in names() if (MEASURED / "benchmarks" / f"{name}.json").exists()]
    write_folder(MEASURED, {f"benchmarks_{name}.md": page(name) for name in chosen}, "choose another folder")
    for name in chosen:
        print(MEASURED / f"benchmarks_{name}.md")
    return 0


if __name__ == "__main__":
    run(main)
