"""How fast PPO trains here, part by part, beside the same algorithm as people usually run it.

    python benchmarks/ppo.py > docs/measured/benchmarks_ppo.md

First the front door, `python train.py --env number-flip`, from Enter to the scorecard in wall time. Then the training
loop alone, in CPU time on one pinned core: ours beside sb3-contrib's MaskablePPO with its stock policy on a DummyVecEnv
of 8 solo envs, with the same network and the same minibatches, in turns within one run.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import runpy
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PEER = runpy.run_path(str(ROOT / "benchmarks" / "solver.py"))  # pinning and provenance
GAME = "number-flip"
PARTS = {  # the innermost of these that is running takes the time
    "playing (network, sampling)": ("ppo.py", "forward"),
    "playing (the games)": ("sb3.py", "step_wait"),
    "playing (SB3's loop and buffer)": ("ppo_mask.py", "collect_rollouts"),
    "learning (network, loss)": ("ppo.py", "evaluate_actions"),
    "learning (backward)": ("~", "run_backward"),
    "learning (Adam)": ("optimizer.py", "wrapper"),
    "learning (SB3's loop and buffer)": ("ppo_mask.py", "train"),
}


def front_door(rounds: int) -> None:
    """Wall seconds from Enter to the scorecard, and where they go."""
    inside = (
        "import time; a = time.perf_counter();"
        "import agents.ppo, training.loop, rich.progress; b = time.perf_counter();"
        "from training.resolve import resolve; from training.loop import learn, make_learner;"
        "from games import compile_rulebook; from solver import scorecard;"
        f"s = resolve(env={GAME!r}); g = compile_rulebook(s.book); c = time.perf_counter();"
        "l = make_learner(s, g); l.policy(); d = time.perf_counter();"
        "r = learn(s, g); e = time.perf_counter(); scorecard(g, l.policy()); f = time.perf_counter();"
        "print(b - a, c - b, d - c, e - d, f - e)"
    )
    walls, parts = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            began = perf_counter()
            command = [sys.executable, "train.py", "--env", GAME, "--quiet", "--out", folder]
            subprocess.run(command, cwd=ROOT, check=True)
            walls.append(perf_counter() - began)
        told = subprocess.run([sys.executable, "-c", inside], cwd=ROOT, check=True, capture_output=True, text=True)
        parts.append([float(word) for word in told.stdout.split()])
    print(
        f"\n## From Enter to the scorecard\n\n`python train.py --env {GAME}`: {statistics.median(walls):.1f} s of wall"
    )
    print(f"time (median of {rounds}; {min(walls):.1f} to {max(walls):.1f}), imports and all files included.\n")
    print("| part, timed apart | seconds |\n|---|---:|")
    names = (
        "importing torch, SB3 and ours",
        "compiling the game",
        "making the learner",
        "training and scoring",
        "scorecard",
    )
    for name, column in zip(names, zip(*parts, strict=True), strict=True):
        print(f"| {name} | {statistics.median(column):.2f} |")


def ours() -> Callable[[], int]:
    from games import compile_rulebook
    from training.loop import make_learner
    from training.resolve import resolve

    settings = resolve(env=GAME)
    learner = make_learner(settings, compile_rulebook(settings.book))
    return lambda: learner.advance(1)


def stock() -> Callable[[], int]:
    """MaskablePPO as its manual shows it; the same number of steps in a rollout, minibatch, epochs and network."""
    import gymnasium
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv
    from torch import nn

    import envs
    from training.resolve import resolve

    o: Any = resolve(env=GAME).options
    rollout = o.games * o.plies
    games = DummyVecEnv([lambda: gymnasium.make(envs.env_id(GAME, solo=True))] * 8)
    model = MaskablePPO(
        "MlpPolicy",
        games,
        n_steps=rollout // 8,
        batch_size=o.batch,
        n_epochs=o.epochs,
        gae_lambda=o.gae_lambda,
        clip_range=o.clip,
        ent_coef=o.entropy,
        learning_rate=o.learning_rate,
        policy_kwargs={"net_arch": [o.width] * o.layers, "activation_fn": nn.Tanh},
        device="cpu",
        seed=0,
    )

    def advance() -> int:
        before = model.num_timesteps
        model.learn(rollout, reset_num_timesteps=False)
        return model.num_timesteps - before

    return advance


def shares(advance: Callable[[], int], rollouts: int) -> dict[str, float]:
    """Each part's share of the time, by a profiler; what the profiler itself costs is in all of them."""
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(rollouts):
        advance()
    profile.disable()
    spent: dict[str, float] = dict.fromkeys(PARTS, 0.0)
    rows: Any = pstats.Stats(profile)
    for (file, _, function), (_, _, _, cumulative, _) in rows.stats.items():
        for part, (place, name) in PARTS.items():
            if file.endswith(place) and (function == name or (place == "~" and name in function)):
                spent[part] += cumulative
    loops = {"playing": "playing (SB3's loop and buffer)", "learning": "learning (SB3's loop and buffer)"}
    whole = sum(spent[loop] for loop in loops.values())
    for kind, loop in loops.items():
        spent[loop] -= sum(time for part, time in spent.items() if part.startswith(kind) and part != loop)
    return {part: time / whole for part, time in spent.items()}


def throughput(rounds: int) -> None:
    import torch

    torch.set_num_threads(1)
    learners = {"Perfect Play": ours(), "MaskablePPO, stock policy, DummyVecEnv of 8 solo envs": stock()}
    rates: dict[str, list[float]] = {name: [] for name in learners}
    for advance in learners.values():
        advance()  # the machine code is loaded before the clock starts
    for _ in range(rounds):
        for name, advance in learners.items():
            began = process_time()
            steps = sum(advance() for _ in range(8 if name == "Perfect Play" else 1))
            rates[name].append(steps / (process_time() - began))
    print("\n## The training loop\n\nSteps of CPU time, playing and learning; medians over rounds in turns.\n")
    print("| learner | steps a second | rounds |\n|---|---:|---:|")
    for name, found in rates.items():
        print(f"| {name} | {statistics.median(found):,.0f} | {min(found):,.0f} to {max(found):,.0f} |")
    mine, theirs = (statistics.median(found) for found in rates.values())
    print(f"\n{mine / theirs:.1f} times as many steps a second. A step of ours is one ply; of theirs, a move and its")
    print("reply.")
    print("\n| part of our loop | share of the time |\n|---|---:|")
    for part, share in shares(learners["Perfect Play"], 20).items():
        print(f"| {part} | {share:.0%} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="PPO's training loop beside stock MaskablePPO, in one run.")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured, in turns")
    args = parser.parse_args()
    print("# How fast PPO trains\n")
    print("Everything here is the output of `python benchmarks/ppo.py`, one run, nothing typed in.\n")
    print(PEER["machine"](), end="\n\n")
    front_door(args.rounds)  # before pinning: the front door may use both cores
    PEER["pin"]()
    throughput(args.rounds)


if __name__ == "__main__":
    main()
