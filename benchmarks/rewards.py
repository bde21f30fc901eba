"""How much sooner a policy learns from the value change of each move than from how its games end.

    python benchmarks/rewards.py                                        # writes docs/measured/benchmarks/rewards.json
    python -m docs.make.rewards > docs/measured/benchmarks_rewards.md   # the page of it

The learner is the loop of examples/dense_rewards.py, with nothing else exchanged; each kind of reward at every step
size, over the same seeds. What is measured is exact: the share of keeping moves over all critical positions.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from time import process_time

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from arena.board import board  # noqa: E402
from base.files import whole  # noqa: E402
from examples.dense_rewards import learn  # noqa: E402
from games import make_rulebook  # noqa: E402
from solver import scorecard  # noqa: E402

PLACE = ROOT / "docs" / "measured" / "benchmarks" / "rewards.json"
GAMES = ("fifty-wins", "number-flip")
KINDS = ("dense", "outcome")
STEPS = (0.003, 0.01, 0.03)
EVERY = 8  # batches of games between two measurements


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, help="for each kind and step size")
    parser.add_argument("--games", type=int, default=2_048, help="that each learner plays against itself")
    parser.add_argument("--json", type=Path, default=PLACE, help="where the numbers go")
    args = parser.parse_args()
    torch.set_num_threads(1)
    runs = []
    for game in GAMES:
        table = board(make_rulebook(game))
        for step in STEPS:
            for kind in KINDS:
                for seed in range(args.seeds):
                    began, curve = process_time(), []
                    for number, (played, policy) in enumerate(learn(table, kind, seed, args.games + 1, step)):
                        if number % EVERY == 0:
                            curve.append([played, scorecard(table.graph, policy).accuracy])
                    runs.append({"game": game, "rewards": kind, "step": step, "seed": seed, "curve": curve})
                    seconds = process_time() - began
                    print(f"{game} {kind} {step} seed {seed}: {curve[-1][1]:.3f}, {seconds:.1f} s", file=sys.stderr)
    versions = {name: version(name) for name in ("numpy", "torch")}
    about = {"command": "python benchmarks/rewards.py", "python": platform.python_version(), **versions}
    with whole(args.json, "choose another name") as file:
        file.write(json.dumps({"about": about, "runs": runs}).encode() + b"\n")


if __name__ == "__main__":
    main()
