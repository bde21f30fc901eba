"""A film of a terminal for the README, of commands that are really run: python -m docs.make.terminal"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from base.command import Parser, run
from base.files import whole
from base.mistake import Mistake

ROOT = Path(__file__).parents[2]
COMMANDS = (
    "python -m solver --env number-flip",
    "python train.py --env number-flip",
    'python -m solver --env number-flip --at "8 7"',
    "python evaluate.py runs/number-flip/ppo/seed-0",
)
COLUMNS, ROWS = 110, 30
LINE, CHARACTER, MARGIN = 19, 8.43, 16  # pixels
TYPING = 0.045  # seconds a key
LONGEST_PAUSE = 1.5  # a longer wait is cut to this, and the film says so
READING = 2.0  # seconds after each command, and three times as long at the end


@dataclass(frozen=True)
class Line:
    at: float  # seconds from the beginning
    text: str
    typed: bool = False


def film(commands: Sequence[str]) -> list[Line]:
    """Runs them one after another in an empty folder, and notes when each line came."""
    now, lines = 0.5, [Line(0.0, f"# every command is run for real; waits of more than {LONGEST_PAUSE} s are cut")]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "COLUMNS": str(COLUMNS)}
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            lines.append(Line(now, f"$ {command}", typed=True))
            now += TYPING * len(command)
            words = shlex.split(command)[1:]
            script = [str(ROOT / words[0]), *words[1:]] if words[0].endswith(".py") else words
            call = [sys.executable, *script]
            with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment) as process:
                before = time.monotonic()
                for output in process.stdout or ():
                    now += min(time.monotonic() - before, LONGEST_PAUSE)
                    before = time.monotonic()
                    parts = textwrap.wrap(output.rstrip(), COLUMNS, subsequent_indent="  ")
                    lines += [Line(now, part) for part in parts]
            if process.returncode:
                raise Mistake(f"{command}: left with {process.returncode}; what it says stands above")
            now += READING
    return [*lines, Line(now, "$ ")]


def drawn(lines: Sequence[Line]) -> str:
    """The film as an SVG that loops; who asked for less motion sees its last picture."""
    length = lines[-1].at + 3 * READING
    wide, high = round(COLUMNS * CHARACTER + 2 * MARGIN), ROWS * LINE + 2 * MARGIN
    steps, style, texts = [], [], []
    for number, line in enumerate(lines):
        if number >= ROWS:
            steps.append(f"{100 * line.at / length:.3f}% {{ transform: translateY(-{(number - ROWS + 1) * LINE}px) }}")
        begin = 100 * line.at / length
        style.append(f"@keyframes l{number} {{ 0% {{ opacity: 0 }} {begin:.3f}%, 100% {{ opacity: 1 }} }}")
        kind = ' class="typed"' if line.typed or line.text.startswith("#") else ""
        texts.append(
            f'<text{kind} style="animation-name: l{number}" x="{MARGIN}" y="{MARGIN + LINE * (number + 0.75):.0f}" '
            f'xml:space="preserve">{escape(line.text)}</text>'
        )
    last = max(len(lines) - ROWS, 0) * LINE
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">
<title>A terminal: a game is solved, PPO is trained on it, and the report is written</title>
<style>
rect {{ fill: #14171c }}
text {{ font: 14px ui-monospace, "DejaVu Sans Mono", monospace; fill: #d6dae2;
  animation: {length:.2f}s step-end infinite }}
.typed {{ fill: #7fd1b9 }}
#roll {{ transform: translateY(-{last}px); animation: roll {length:.2f}s step-end infinite }}
@keyframes roll {{ 0% {{ transform: translateY(0) }} {" ".join(steps)} }}
{chr(10).join(style)}
@media (prefers-reduced-motion: reduce) {{ text, #roll {{ animation: none }} }}
</style>
<clipPath id="window"><rect x="0" y="{MARGIN}" width="{wide}" height="{ROWS * LINE}"/></clipPath>
<rect width="{wide}" height="{high}" rx="8"/>
<g clip-path="url(#window)"><g id="roll">
{chr(10).join(texts)}
</g></g>
</svg>
"""


def main() -> int:
    parser = Parser(prog="python -m docs.make.terminal", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--out", metavar="FILE", default=str(ROOT / "docs" / "terminal.svg"), help="where the film goes"
    )
    args = parser.parse_args()
    with whole(args.out, "choose another --out") as file:
        file.write(drawn(film(COMMANDS)).encode())
    print(args.out)
    return 0


if __name__ == "__main__":
    run(main)
