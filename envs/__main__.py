"""python -m envs [NAME ...]: every conformance check of the ecosystem on every game, or on those named, as a table."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import SyncVectorEnv

from base.command import Parser, prog, run
from base.mistake import Mistake
from envs import ANY_GAME, PettingZooEnv, SoloEnv, SoloVectorEnv, TwoPlayerEnv, TwoPlayerVectorEnv, env_id
from games.find import make_rulebook, parameters, rulebook_names
from games.rulebook import RuleBook

ROWS, STEPS = 4, 200  # of the comparison with SyncVectorEnv

DICT_WARNINGS = {  # PettingZoo gives these of any observation that is a dict
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Observation is not a NumPy array",
}


def check_gymnasium(book: RuleBook, solo: bool) -> None:
    """Gymnasium's own checker."""
    if book.is_foreign:
        check_env(gymnasium.make(env_id(ANY_GAME, solo=solo), game=book).unwrapped)
        return
    parameters: dict[str, Any] = dict(book.parameters)
    check_env(gymnasium.make(env_id(book.name, solo=solo), **parameters).unwrapped)


def check_sb3(book: RuleBook, solo: bool) -> None:
    """Stable-Baselines3's checker."""
    from stable_baselines3.common.env_checker import check_env as check

    check(SoloEnv(book) if solo else TwoPlayerEnv(book))


def check_vector(book: RuleBook, solo: bool) -> None:
    """The vector env against Gymnasium's SyncVectorEnv over the single env, step for step."""
    fast = (SoloVectorEnv if solo else TwoPlayerVectorEnv)(book, ROWS)
    slow = SyncVectorEnv([lambda: SoloEnv(book) if solo else TwoPlayerEnv(book)] * ROWS)
    if not data_equivalence(fast.reset(seed=0), slow.reset(seed=0), exact=True):
        raise AssertionError("reset(seed=0) differs from SyncVectorEnv")
    generator = np.random.default_rng(0)
    for step in range(STEPS):
        actions = generator.integers(fast.graph.num_actions, size=ROWS)
        if not data_equivalence(fast.step(actions), slow.step(actions), exact=True):
            raise AssertionError(f"step {step} differs from SyncVectorEnv")


def check_pettingzoo(book: RuleBook, test: str, **options: Any) -> None:
    """PettingZoo's own tests."""
    import pettingzoo.test as tests

    def make(render_mode: str | None = None) -> PettingZooEnv:
        return PettingZooEnv(book, render_mode=render_mode, **options)

    if test == "api":
        tests.api_test(make(), num_cycles=50)
    elif test == "seed":
        tests.seed_test(make, num_cycles=50)
    else:
        tests.render_test(make)


CHECKS: dict[str, tuple[Callable[[RuleBook], None], set[str]]] = {  # name: the check, the warnings that it gives
    "gymnasium": (lambda book: check_gymnasium(book, False), set()),
    "gymnasium solo": (lambda book: check_gymnasium(book, True), set()),
    "sb3": (lambda book: check_sb3(book, False), set()),
    "sb3 solo": (lambda book: check_sb3(book, True), set()),
    "vector": (lambda book: check_vector(book, False), set()),
    "vector solo": (lambda book: check_vector(book, True), set()),
    "pettingzoo api": (lambda book: check_pettingzoo(book, "api"), set()),
    "pettingzoo api, dict": (lambda book: check_pettingzoo(book, "api", action_mask="observation"), DICT_WARNINGS),
    "pettingzoo seed": (lambda book: check_pettingzoo(book, "seed", first=None), set()),
    "pettingzoo render": (lambda book: check_pettingzoo(book, "render"), set()),
}


def outcome_of(check: str, book: RuleBook) -> str:
    """What a check finds: "" when it passes and warns of nothing that it always warns of."""
    function, expected = CHECKS[check]
    with warnings.catch_warnings(), contextlib.suppress(ImportError):
        warnings.simplefilter("ignore")  # of what it imports itself, PettingZoo warns itself
        import pettingzoo.test  # noqa: F401
    with warnings.catch_warnings(record=True) as seen, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            function(book)
        except ImportError as error:
            return f"not checked: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    unexpected = {str(warning.message) for warning in seen} ^ expected
    return "; ".join(sorted(unexpected))


def main() -> int:
    if sys.argv[1:2] == ["import"]:
        from envs.importing.command import main as import_main

        return import_main(sys.argv[2:])
    if sys.argv[1:2] == ["export"]:
        from envs.export import main as export_main

        return export_main(sys.argv[2:])
    parser = Parser(prog=prog("envs"), description="Runs every conformance check on the envs, and prints a table. "
                    "With the word import first it makes a game file of a foreign env, with export it gives a game "
                    "to OpenSpiel.")  # fmt: skip
    parser.add_argument(
        "games", nargs="*", metavar="NAME", help=f"a game (all, if none is named): {', '.join(rulebook_names())}"
    )
    parser.add_argument(
        "--param", metavar="KEY=VALUE", action="append", default=[], help="a parameter, as in target=200"
    )
    args = parser.parse_args()
    if args.param and len(args.games) != 1:
        raise Mistake("--param: name the one game that it belongs to")
    books = [make_rulebook(name, **parameters(args.param)) for name in args.games or rulebook_names()]
    found = {(check, book.name): outcome_of(check, book) for book in books for check in CHECKS}
    wide = max(map(len, CHECKS))
    print(" " * wide, *(book.name for book in books), sep="  ")
    for check in CHECKS:
        cells = [("FAILED" if found[check, book.name] else "passed").ljust(len(book.name)) for book in books]
        print(check.ljust(wide), *cells, sep="  ")
    faults = {key: fault for key, fault in found.items() if fault}
    for (check, name), fault in faults.items():
        print(f"{name}, {check}: {' '.join(fault.split())}")
    return int(bool(faults))


if __name__ == "__main__":
    run(main)
