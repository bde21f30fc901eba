"""The command `perfectplay`: every command of this project by one name, in whatever folder one is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from base.command import MODULES, SCRIPTS, run
from base.mistake import Mistake, unknown

HERE = Path(__file__).parent
ABOUT = {
    "train": "train an agent, and measure it exactly",
    "evaluate": "turn runs, exams and saved policies into one page",
    "play": "play against perfection",
    "exam": "examine any program at every critical position",
    "sweep": "train many agents",
    "ladder": "climb a ladder, or judge an entry",
    "solve": "the facts of a game, or the value of every move of a position",
    "games": "list games, check a rule book, export a game",
    "envs": "run every conformance check on the envs",
    "agents": "list agents, check a learner",
}


def main() -> int | None:
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("--help", "-h", "help"):
        print("perfectplay COMMAND ...\n")
        print(*(f"  {command:10}{about}" for command, about in ABOUT.items()), sep="\n")
        print("\nperfectplay COMMAND --help says what a command takes.")
        return 0
    if name not in ABOUT:
        raise unknown("perfectplay", "command", name, ABOUT)
    sys.argv = ["perfectplay", *sys.argv[2:]]  # as if the command had been started by itself
    return main_of(name)()


def main_of(name: str) -> Callable[[], int | None]:
    """The main function of a command: of a room, or of a script, which lies beside us where we were installed."""
    if name in MODULES:
        return _main(import_module(f"{MODULES[name]}.__main__"))
    assert name in SCRIPTS
    places = (HERE / "commands" / f"{name}.py", HERE.parent / f"{name}.py")
    file = next((place for place in places if place.is_file()), None)
    spec = spec_from_file_location(f"perfectplay.commands.{name}", file) if file else None
    if spec is None or spec.loader is None:
        raise Mistake(f"perfectplay: {places[0]} is missing; install the project again")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return _main(module)


def _main(module: object) -> Callable[[], int | None]:
    main: Callable[[], int | None] = vars(module)["main"]
    return main


def start() -> None:
    """What the installed command calls."""
    run(main)


if __name__ == "__main__":
    start()
