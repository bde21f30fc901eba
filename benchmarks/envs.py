"""How fast the vector envs are, beside peers: steps a second, observations and masks written, legal moves drawn.

    python benchmarks/envs.py && python -m docs.make.benchmarks envs

Pinned to one core, CPU time, interleaved rounds, medians. The peers of benchmarks/requirements.txt are optional: one
that is missing is named and left out. A step of a solo env is two plies, one by each player; of all others, one. Ratios
are given in steps, and once more in plies, which are what a game is made of: a solo step in which the learner ends the
game, or with which one starts, has fewer than two, and they are counted.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SOLVER = runpy.run_path(str(ROOT / "benchmarks" / "solver.py"))  # pinning, what machine this is, and where results go
SIZES = (1_024, 8_192, 65_536)
Contender = Callable[[], int]  # plays for a while; how many steps that were


def ours(kind: str, size: int, **options: Any) -> Contender:
    """Through the Gymnasium class, infos included, with its sampler."""
    import envs

    env = getattr(envs, kind)(GAME, size, **options)
    env.reset(seed=0)

    def play() -> int:
        for _ in range(repeats(size)):
            env.step(env.sample_legal())
        return size * repeats(size)

    return play


def ours_from_mask(kind: str, size: int, draw: Callable[[Any, Any], Any]) -> Contender:
    """The same, with moves drawn from the masks that the env returns, by a function that knows nothing else."""
    import envs

    env = getattr(envs, kind)(GAME, size, copy=False)
    _, info = env.reset(seed=0)
    generator = np.random.default_rng(0)

    def play() -> int:
        nonlocal info
        for _ in range(repeats(size)):
            _, _, _, _, info = env.step(draw(info["action_mask"], generator))
        return size * repeats(size)

    return play


def by_helper(mask: Any, generator: Any) -> Any:
    """Our public helper, for anyone's masks."""
    import envs

    return envs.sample_legal(mask, generator)


def by_argmax(mask: Any, generator: Any) -> Any:
    """In numpy, as one would anywhere."""
    return (generator.random(mask.shape, dtype=np.float32) * mask).argmax(axis=1)


def plies_per_step(kind: str) -> float:
    """Moves made in a step, counted: a step that starts a game anew has one of the opponent's or none."""
    import envs

    env = getattr(envs, kind)(GAME, 1_024, copy=False)
    env.reset(seed=0)
    plies = 0
    for _ in range(200):
        before = np.where(env._terminated | env._truncated, 0, env._plies)  # an ended game counts from 0 again
        env.step(env.sample_legal())
        plies += int((env._plies - before).sum())
    return plies / (200 * 1_024)


def bare_kernel(kind: str, size: int) -> Contender:
    """The kernel and the sampler without the class around them."""
    import envs

    env = getattr(envs, kind)(GAME, size, copy=False)
    env.reset(seed=0)
    done = env._terminated

    def play() -> int:
        for _ in range(repeats(size)):
            env._play(env.sample_legal(), done, 0, 0)
        return size * repeats(size)

    return play


def plain_write(kind: str, size: int) -> Contender:
    """The bytes of the observations and masks, filled."""
    import envs

    env = getattr(envs, kind)(GAME, size)
    seen, mask = env.reset(seed=0)[0], env.reset(seed=0)[1]["action_mask"]

    def play() -> int:
        for number in range(repeats(size)):
            seen.fill(number)
            mask.fill(number & 1)
        return size * repeats(size)

    return play


def sync(kind: str, size: int) -> Contender:
    """Gymnasium's SyncVectorEnv over the single env, moves drawn from the masks; it is reset once, before the clock."""
    from gymnasium.vector import SyncVectorEnv

    import envs

    single = {"SoloVectorEnv": envs.SoloEnv, "TwoPlayerVectorEnv": envs.TwoPlayerEnv}[kind]
    env = SyncVectorEnv([lambda: single(GAME)] * size)
    _, info = env.reset(seed=0)
    generator = np.random.default_rng(0)

    def play() -> int:
        nonlocal info
        for _ in range(8):
            _, _, _, _, info = env.step(by_helper(info["action_mask"], generator))
        return size * 8

    return play


def cartpole(size: int) -> Contender:
    import gymnasium

    env = gymnasium.make_vec("CartPole-v1", num_envs=size, vectorization_mode="vector_entry_point")
    env.reset(seed=0)
    generator = np.random.default_rng(0)

    def play() -> int:
        for _ in range(repeats(size)):
            env.step(generator.integers(2, size=size))
        return size * repeats(size)

    return play


def pettingzoo(which: str) -> Contender:
    from pettingzoo.classic import tictactoe_v3

    env = getattr(tictactoe_v3, which)()
    generator = np.random.default_rng(0)

    def play() -> int:
        steps = 0
        for _ in range(30):
            env.reset()
            while True:
                seen, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    break
                env.step(int(generator.choice(np.flatnonzero(seen["action_mask"]))))
                steps += 1
        return steps

    return play


def openspiel() -> Contender:
    import pyspiel

    game = pyspiel.load_game("tic_tac_toe")
    generator = np.random.default_rng(0)

    def play() -> int:
        steps = 0
        for _ in range(300):
            state = game.new_initial_state()
            luck = generator.random(10).tolist()
            while not state.is_terminal():
                state.observation_tensor(state.current_player())
                state.legal_actions_mask()
                legal = state.legal_actions()
                state.apply_action(legal[int(luck[state.move_number()] * len(legal))])
                steps += 1
        return steps

    return play


def _jax_loop(init: Any, step: Any, mask_of: Any, size: int) -> Contender:
    import jax
    import jax.numpy as jnp

    def one(carry: Any, _: Any) -> Any:
        state, key = carry
        key, draw = jax.random.split(key)
        logits = jnp.where(mask_of(state), 0.0, -jnp.inf)
        state = step(state, jax.random.categorical(draw, logits, axis=-1), key)
        return (state, key), None

    # As ours: one call per step, from Python, with the results of each step in memory.
    run = jax.jit(lambda state, key: one((state, key), None)[0])
    state, key = init(jax.random.split(jax.random.PRNGKey(0), size)), jax.random.PRNGKey(1)
    state, key = jax.block_until_ready(run(state, key))

    def play() -> int:
        nonlocal state, key
        for _ in range(repeats(size) // 4 + 1):
            state, key = run(state, key)
        jax.block_until_ready(state)
        return size * (repeats(size) // 4 + 1)

    return play


def pgx(size: int) -> Contender:
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make("tic_tac_toe")
    step = auto_reset(env.step, env.init)

    def advance(state: Any, action: Any, key: Any) -> Any:
        return jax.vmap(step)(state, action, jax.random.split(key, size))

    return _jax_loop(jax.jit(jax.vmap(env.init)), advance, lambda state: state.legal_action_mask, size)


def ludax(size: int) -> Contender:
    import jax
    import jax.numpy as jnp
    from ludax import LudaxEnvironment, games

    env = LudaxEnvironment(game_str=games.tic_tac_toe)

    def advance(state: Any, action: Any, key: Any) -> Any:
        after = jax.vmap(env.step)(state, action.astype(jnp.int16))
        fresh = jax.vmap(env.init)(jax.random.split(key, size))
        over = after.terminated | after.truncated

        def choose(new: Any, old: Any) -> Any:
            return jnp.where(over.reshape(over.shape + (1,) * (old.ndim - 1)), new, old)

        return jax.tree_util.tree_map(choose, fresh, after)

    return _jax_loop(jax.jit(jax.vmap(env.init)), advance, lambda state: state.legal_action_mask, size)


GAME = "number-flip"
KINDS = {"solo": "SoloVectorEnv", "two-player": "TwoPlayerVectorEnv"}


def repeats(size: int) -> int:
    return max(262_144 // size, 1)


def contenders(peers: bool) -> dict[tuple[str, int], Callable[[], Contender]]:
    """By name and number of games; 0 where games are played one after the other."""
    found: dict[tuple[str, int], Callable[[], Contender]] = {}
    for size in SIZES:
        for short, kind in KINDS.items():
            found |= {
                (f"{short}, sampler", size): lambda k=kind, n=size: ours(k, n, copy=False),
                (f"{short}, sampler, index view", size): lambda k=kind, n=size: ours(
                    k, n, copy=False, observation="index"
                ),
                (f"{short}, sampler, copies", size): lambda k=kind, n=size: ours(k, n),
                (f"{short}, drawn from the mask", size): lambda k=kind, n=size: ours_from_mask(k, n, by_helper),
                (f"{short}, mask by numpy's argmax", size): lambda k=kind, n=size: ours_from_mask(k, n, by_argmax),
                (f"{short}, bare kernel and sampler", size): lambda k=kind, n=size: bare_kernel(k, n),
            }
        found["plain write of the same bytes", size] = lambda n=size: plain_write("SoloVectorEnv", n)
        if peers:
            found["CartPole vector env (gymnasium)", size] = lambda n=size: cartpole(n)
            found["PGX tic_tac_toe", size] = lambda n=size: pgx(n)
            found["Ludax tic_tac_toe", size] = lambda n=size: ludax(n)
    if peers:
        for short, kind in KINDS.items():
            found[f"SyncVectorEnv over the same env, {short}", SIZES[0]] = lambda k=kind: sync(k, SIZES[0])
        found["OpenSpiel tic_tac_toe (C++ states)", 0] = openspiel
        found["PettingZoo tictactoe, raw_env()", 0] = lambda: pettingzoo("raw_env")
        found["PettingZoo tictactoe, env()", 0] = lambda: pettingzoo("env")
    return found


def measure(rounds: int, peers: bool) -> tuple[dict[tuple[str, int], float], list[str]]:
    """Millions of steps a second, and who is missing and why."""
    ready: dict[tuple[str, int], Contender] = {}
    missing: list[str] = []
    for key, make in contenders(peers).items():
        try:
            play = make()
            play()
        except Exception as error:  # a peer that is not installed, or not in the version that is asked
            missing.append(
                f"{key[0]} ({key[1] or 'one'} at a time): {type(error).__name__}: {str(error).splitlines()[0]}"
            )
            continue
        ready[key] = play
    speeds: dict[tuple[str, int], list[float]] = {key: [] for key in ready}
    for _ in range(rounds):
        for key, play in ready.items():
            before = process_time()
            steps = play()
            speeds[key].append(steps / (process_time() - before) / 1e6)
    return {key: median(values) for key, values in speeds.items()}, missing


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each contender plays; the median counts")
    parser.add_argument("--no-peers", action="store_true", help="measure only what is ours")
    args = parser.parse_args()
    SOLVER["pin"]()
    speeds, missing = measure(args.rounds, not args.no_peers)
    by_name: dict[str, dict[int, float]] = {}
    for (name, size), speed in speeds.items():
        by_name.setdefault(name, {})[size] = speed
    record = {
        "made": SOLVER["machine"](("numpy", "numba", "gymnasium", "pettingzoo", "open_spiel", "pgx", "ludax", "jax")),
        "game": GAME,
        "rounds": args.rounds,
        "sizes": SIZES,
        "kinds": list(KINDS),
        "plies": {short: plies_per_step(kind) for short, kind in KINDS.items()},
        "speeds": by_name,
        "missing": missing,
    }
    SOLVER["store"]("envs", record)


if __name__ == "__main__":
    main()
