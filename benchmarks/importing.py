"""How fast foreign games are explored, beside a plain negamax that copies the env, and OpenSpiel's own clones.

    python benchmarks/importing.py                                          # docs/measured/benchmarks/importing.json
    python -m docs.make.importing > docs/measured/benchmarks_importing.md   # the page of it

All solve tic-tac-toe from its 4,520 positions to move in, on one core; CPU seconds, median of interleaved rounds. The
negamax remembers positions and checks nothing; the importer's time holds all its checks, the merging and the words.
OpenSpiel is an optional peer: where it is missing, its rows are left out, and named.
"""

from __future__ import annotations

import argparse
import copy
import json
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from base.files import whole  # noqa: E402
from envs.importing import import_game  # noqa: E402
from envs.importing.gymnasium_env import gymnasium_world  # noqa: E402
from envs.importing.pettingzoo_env import pettingzoo_world  # noqa: E402

PLACE = ROOT / "docs" / "measured" / "benchmarks" / "importing.json"
FOREIGN = f"{ROOT}/tests/envs/importing/foreign/solved.py:CustomEnv"


def imported(spec: str) -> Callable[[], int]:
    return lambda: import_game(spec).positions


def negamax_of_gymnasium() -> int:
    world: Any = gymnasium_world(FOREIGN, {}, None, None)
    world.restart()
    known: dict[Any, int] = {}

    def value(env: Any) -> int:
        key = (env.board.tobytes(), env.current_player)
        if key not in known:
            best = -1
            for move in env.valid_moves():
                after = copy.deepcopy(env)
                _, reward, over, _, _ = after.step(move)
                best = max(best, int(reward) if over else -value(after))
            known[key] = best
        return known[key]

    value(world.env)
    return len(known)


def negamax_of_pettingzoo() -> int:
    """deepcopy loses the state of this env, so each position is played to from the start."""
    world = pettingzoo_world("tictactoe_v3", {})
    known: dict[Any, int] = {}

    def value(line: list[int]) -> int:
        world.restart()
        for move in line:
            world.env.step(move)
        key = tuple(world.env.board.squares)
        if key not in known:
            best, mover = -1, world.env.agent_selection
            for move in world.env.board.legal_moves():
                world.restart()
                for earlier in [*line, move]:
                    world.env.step(earlier)
                over = world.env.terminations[mover]
                best = max(best, int(world.env.rewards[mover]) if over else -value([*line, move]))
            known[key] = best
        return known[key]

    value([])
    return len(known)


def negamax_of_openspiel() -> int:
    import pyspiel

    known: dict[str, float] = {}

    def value(state: Any) -> float:
        key = str(state)
        if key not in known:
            mover, best = state.current_player(), -1.0
            for move in state.legal_actions():
                after = state.clone()
                after.apply_action(move)
                best = max(best, after.returns()[mover] if after.is_terminal() else -value(after))
            known[key] = best
        return known[key]

    value(pyspiel.load_game("tic_tac_toe").new_initial_state())
    return len(known)


WAYS: dict[str, tuple[str, Callable[[], int]]] = {  # what is measured: the game, how
    "imported": ("an env with a numpy board", imported(FOREIGN)),
    "negamax on deepcopy": ("an env with a numpy board", negamax_of_gymnasium),
    "imported ": ("PettingZoo tictactoe_v3", imported("pettingzoo:tictactoe_v3")),
    "negamax on replays": ("PettingZoo tictactoe_v3", negamax_of_pettingzoo),
    "imported  ": ("OpenSpiel tic_tac_toe (C++)", imported("openspiel:tic_tac_toe")),
    "negamax on its clones": ("OpenSpiel tic_tac_toe (C++)", negamax_of_openspiel),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, default=PLACE, help="where the numbers go")
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    try:
        import pyspiel  # noqa: F401

        missing = []
    except ImportError:
        missing = ["OpenSpiel"]
    rows: dict[str, dict[str, Any]] = {}
    for _ in range(args.rounds):
        for name, (game, way) in WAYS.items():
            if missing and "OpenSpiel" in game:
                continue
            began = process_time()
            positions = way()
            row = rows.setdefault(name, {"game": game, "way": name.strip(), "positions": positions, "seconds": []})
            row["seconds"].append(process_time() - began)
            print(f"{game}, {name.strip()}: {positions} positions, {row['seconds'][-1]:.2f} s", file=sys.stderr)
    for row in rows.values():
        row["rate"] = row["positions"] / median(row["seconds"])
    versions = {name: version(name) for name in ("numpy", "gymnasium", "pettingzoo")}
    about = {
        "command": "python benchmarks/importing.py", "rounds": args.rounds, "python": platform.python_version(),
        "missing": missing, **versions,
    }  # fmt: skip
    with whole(args.json, "choose another name") as file:
        file.write(json.dumps({"about": about, "rows": list(rows.values())}, indent=1).encode() + b"\n")


if __name__ == "__main__":
    main()
