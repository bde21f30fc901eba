"""How fast and how large: compile, solve and certify up to 10^8 moves, beside OpenSpiel, and a full scorecard.

    python benchmarks/solver.py && python -m docs.make.benchmarks solver

Each size runs in a process of its own, so that its peak memory is its own; all are pinned to one core and timed in CPU
seconds. OpenSpiel (`pip install open_spiel cvxpy`) is an optional peer: where it is missing, its part is named and left
out.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

FAMILIES = {
    "race": "A race: fifty-wins, target growing",
    "no-repeat": "A no-repeat race: number-flip, target growing",
    "sequence": "Sequences: sequence-duel, window growing from 3 to 5, then the limit",
    "append-digit": "Appended digits: seven-is-forbidden, prime modulus growing (cycles; every position is endless)",
    "random": "Random cyclic graphs: targets anywhere, three quarters of the moves illegal (shallow; cache misses)",
    "back-moves": "A race in which every won position has a random move back (cycles; the end is far away)",
}
RANDOM = ("random", "back-moves")  # built directly as arrays: there is nothing to compile
STORE = ROOT / "docs" / "measured" / "benchmarks"
ENOUGH = 0.5  # CPU seconds of rounds, and no more than
ROUNDS = 7


def pin() -> None:
    """This process, and what it starts, on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def peak_megabytes() -> float:
    """Of this process alone: rusage would inherit the peak of whoever started it."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024 / 1e6
    return float("nan")


# One size of one family, in its own process.


def book(family: str, pairs: int) -> Any:
    from games import make_rulebook

    if family == "race":
        return make_rulebook("fifty-wins", target=pairs // 10)
    if family == "no-repeat":
        return make_rulebook("number-flip", target=pairs // 100)
    if family == "append-digit":
        return make_rulebook("seven-is-forbidden", modulus=next_prime(pairs // 9))
    window = {1_000: 3, 10_000: 3, 100_000: 4}.get(pairs, 5)
    return make_rulebook("sequence-duel", window=window, limit=max(window + 1, round(pairs / (81 * 8 ** (window - 2)))))


def next_prime(number: int) -> int:
    while any(number % factor == 0 for factor in range(2, int(number**0.5) + 1)):
        number += 1
    return number


def random_graph(family: str, pairs: int, seed: int = 0) -> Any:
    """State after state in blocks, so that building takes no more memory than the graph."""
    import numpy as np

    from games import ILLEGAL, MOVER_LOSES, MOVER_WINS, GameGraph

    rng, states, actions, block = np.random.default_rng(seed), pairs // 10, 10, 1 << 15
    next_state = np.empty((states, actions), dtype=np.int32)
    for first in range(0, states, block):
        rows = next_state[first : first + block]
        numbers = np.arange(first, first + len(rows))
        if family == "random":
            rows[...] = rng.integers(0, states, rows.shape)
            chance = rng.random(rows.shape)
            for bound, verdict in ((0.772, MOVER_LOSES), (0.752, MOVER_WINS), (0.75, ILLEGAL)):
                rows[chance < bound] = verdict
        else:  # add 1 to 9; whoever reaches `states` wins, so multiples of ten before it are lost
            rows[:, :9] = numbers[:, None] + np.arange(1, 10)
            rows[rows > states] = MOVER_LOSES
            rows[rows == states] = MOVER_WINS
            back = (rng.random(len(rows)) * (numbers + 1)).astype(np.int32)
            rows[:, 9] = np.where((states - numbers) % 10 == 0, np.int32(ILLEGAL), back)
    positions = np.arange(states, dtype=np.int32)[:, None]
    return GameGraph(family, {"seed": seed}, {"state": states}, positions, np.arange(actions), next_state)


def measure(family: str, pairs: int) -> dict[str, Any]:
    import numpy as np

    from games import compile_rulebook
    from solver import certify, solve

    def once(graph: Any) -> tuple[list[float], Any, Any]:
        marks = [process_time()]
        # a given graph is taken without what the last round has found out
        graph = compile_rulebook(book(family, pairs)) if graph is None else replace(graph)
        marks.append(process_time())
        solution = solve(graph)
        marks.append(process_time())
        faults = certify(graph, solution)
        marks.append(process_time())
        assert not faults, faults
        return [after - before for before, after in pairwise(marks)], graph, solution

    def made(size: int) -> Any:
        return random_graph(family, size) if family in RANDOM else compile_rulebook(book(family, size))

    warm = made(1_000)
    certify(warm, solve(warm))
    base = peak_megabytes()
    fixed = random_graph(family, pairs) if family in RANDOM else None
    rounds: list[list[float]] = []
    peak, solution, graph = 0.0, None, None
    while not rounds or (sum(map(sum, rounds)) < ENOUGH and len(rounds) < ROUNDS):
        solution = graph = None  # the last round's memory first
        seconds, graph, solution = once(fixed)
        peak = peak or peak_megabytes()
        rounds.append(seconds)
    table = graph.next_state
    other = np.zeros_like(table)  # zeros and a first copy: its pages are there before the clock starts
    np.copyto(other, table)
    copy = many(lambda: np.copyto(other, table), times := max(1, 10_000_000 // table.size))
    [copying] = timed(copy, rounds=7)
    compiling, solving, certifying = (median(column) for column in zip(*rounds, strict=True))
    return {
        "pairs": int(table.size),
        "states": graph.num_states,
        "compile": compiling,
        "solve": solving,
        "certify": certifying,
        "peak": peak,
        "base": base,
        "bytes": int(table.nbytes),
        "copy": copying / times,
        "decided": float((solution.value != 0).mean()),
        "longest": int(solution.remoteness.max()),
        "rounds": len(rounds),
    }


# Beside OpenSpiel, in one process and interleaved.


def timed(*works: Callable[[], Any], rounds: int) -> list[float]:
    """Median CPU seconds of each, taken in turns."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, seconds in zip(works, found, strict=True):
            before = process_time()
            work()
            seconds.append(process_time() - before)
    return [median(seconds) for seconds in found]


def many(work: Callable[[], Any], times: int) -> Callable[[], None]:
    def again() -> None:
        for _ in range(times):
            work()

    return again


def openspiel_game(
    name: str,
    longest: int,
    actions: int,
    start: Any,
    legal: Callable[[Any], list[int]],
    play: Callable[[Any, int], Any],
) -> Any:
    """An OpenSpiel game in Python; `play(position, action)` gives the next position, or a verdict on the mover."""
    import pyspiel

    from games.rulebook import MOVER_WINS, Verdict

    kind = pyspiel.GameType(
        short_name=name,
        long_name=name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(actions, 0, 2, -1.0, 1.0, 0.0, longest)

    class State(pyspiel.State):  # type: ignore[misc]
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.position, self.player, self.winner = start, 0, -1

        def current_player(self) -> int:
            return int(pyspiel.PlayerId.TERMINAL) if self.winner >= 0 else self.player

        def _legal_actions(self, _player: int) -> list[int]:
            return legal(self.position)

        def _apply_action(self, action: int) -> None:
            self.position = play(self.position, action)
            if isinstance(self.position, Verdict):
                self.winner = self.player if self.position == MOVER_WINS else 1 - self.player
            self.player = 1 - self.player

        def _action_to_string(self, _player: int, action: int) -> str:
            return str(action)

        def is_terminal(self) -> bool:
            return self.winner >= 0

        def returns(self) -> list[float]:
            return [[0.0, 0.0], [1.0, -1.0], [-1.0, 1.0]][self.winner + 1]

        def information_state_string(self, _player: int | None = None) -> str:
            return str(self)

        def observation_string(self, _player: int | None = None) -> str:
            return str(self)

        def __str__(self) -> str:
            return f"{self.player} {self.position}"

    class Observer:
        """All that matters is the position and who moves: the kindest reading for OpenSpiel."""

        tensor, dict = None, {}

        def set_from(self, state: Any, player: int) -> None:
            pass

        def string_from(self, state: Any, _player: int) -> str:
            return str(state)

    class Game(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, info, params or {})

        def new_initial_state(self, *_: Any) -> Any:
            return State(self)

        def make_py_observer(self, kind: Any = None, params: Any = None) -> Any:
            return Observer()

    pyspiel.register_game(kind, Game)
    return Game()


def fifty_wins_of_openspiel(target: int, largest: int = 10) -> Any:
    """The rules once more, by hand and light, so that OpenSpiel's time is its own; action 0 adds 1."""
    from games import MOVER_LOSES, MOVER_WINS

    def play(total: int, action: int) -> int:
        total += action + 1
        return total if total < target else (MOVER_WINS if total == target else MOVER_LOSES)

    everything = list(range(largest))
    return openspiel_game(f"fifty_wins_{target}", target, largest, 0, lambda _: everything, play)


def graph_of_openspiel(graph: Any) -> Any:
    """Any acyclic game, state by state."""
    from games.rulebook import ILLEGAL, Verdict

    rows = graph.outcome.tolist()
    legal = [[action for action, after in enumerate(row) if after != ILLEGAL] for row in rows]

    def play(state: int, action: int) -> int:
        after = rows[state][action]
        return Verdict(after) if after < 0 else after

    name = "_".join([graph.game, *map(str, graph.parameters.values())]).replace("-", "_")
    return openspiel_game(name, graph.num_states, graph.num_actions, 0, lambda state: legal[state], play)


# Members of the acyclic families that are small enough to walk every history of.
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("fifty-wins", {"target": 9, "largest": 4}),
    ("fifty-wins", {"target": 11}),
    ("number-flip", {"target": 11}),
    ("number-flip", {"target": 16, "largest": 4}),
    ("number-flip", {"target": 9, "repeats": "allowed"}),
    ("sequence-duel", {"limit": 4, "largest": 9}),
    ("sequence-duel", {"limit": 5, "largest": 6}),
    ("sequence-duel", {"limit": 6, "largest": 4, "limit_loser": "next"}),
    ("sequence-duel", {"limit": 7, "largest": 3, "window": 4}),
]


def beside_openspiel(targets: list[int]) -> dict[str, Any]:
    try:
        import pyspiel
        from open_spiel.python import policy as policies
        from open_spiel.python.algorithms import exploitability as theirs
        from open_spiel.python.algorithms import value_iteration
    except ImportError as error:
        return {"missing": str(error)}
    import numpy as np

    from games import Policy, compile_rulebook, make_rulebook
    from solver import exploitability, solve

    class Same(policies.Policy):  # type: ignore[misc]
        """Our table, read by OpenSpiel's own algorithms; in every game here, a position is the number of its state."""

        def __init__(self, game: Any, graph: Any, table: Any) -> None:
            super().__init__(game, [0, 1])
            legal = [np.flatnonzero(row).tolist() for row in graph.legal]
            self.table = [{a: row[a] for a in some} for row, some in zip(table.tolist(), legal, strict=True)]

        def action_probabilities(self, state: Any, _player: int | None = None) -> dict[int, float]:
            return self.table[state.position]

        def compiled(self) -> Any:
            spread = {f"{player} {s}": list(row.items()) for player in (0, 1) for s, row in enumerate(self.table)}
            return pyspiel.TabularPolicy(spread)

    def some_policy(graph: Any, exact: bool) -> Any:
        """If exact, in parts of 1/1,024, which floats add up without rounding."""
        chances = np.where(graph.legal, rng.dirichlet(np.ones(graph.num_actions), graph.num_states), 0.0)
        chances /= chances.sum(axis=1, keepdims=True)
        return Policy(graph, rng.multinomial(1_024, chances) / 1_024 if exact else chances)

    def answers(game: Any, graph: Any, policy: Any) -> dict[str, Callable[[], float]]:
        same = Same(game, graph, policy.probability)
        compiled = same.compiled()
        return {
            "walk": lambda: theirs.exploitability(game, same),
            "nash_conv": lambda: theirs.nash_conv(game, same) / 2,
            "mdp": lambda: pyspiel.TabularBestResponseMDP(game, compiled).exploitability().exploitability,
        }

    graph = compile_rulebook(make_rulebook("fifty-wins"))
    game = fifty_wins_of_openspiel(50)
    solution = solve(graph)
    values = value_iteration.value_iteration(game, -1, 1e-9, cyclic_game=True)
    wrong = sum(values.get(f"0 {total}", worth) != worth for total, worth in enumerate(solution.value.tolist()))
    iteration, sweep = timed(
        lambda: value_iteration.value_iteration(game, -1, 1e-9, cyclic_game=True),
        many(lambda: solve(replace(graph)), 1_000),
        rounds=7,
    )
    found: dict[str, Any] = {"iteration": iteration, "solve": sweep / 1_000, "wrong": wrong, "rows": [], "games": []}
    rng = np.random.default_rng(0)
    for target in targets:
        graph, game = compile_rulebook(make_rulebook("fifty-wins", target=target)), fifty_wins_of_openspiel(target)
        policy = some_policy(graph, exact=True)
        works: dict[str, Callable[[], Any]] = answers(game, graph, policy)
        ours = exploitability(graph, policy)
        apart = max(abs(work() - ours) for work in works.values())
        works["ours"] = many(lambda g=graph, p=policy: exploitability(g, p), 100)  # type: ignore[misc]
        seconds = dict(zip(works, timed(*works.values(), rounds=3), strict=True))
        seconds["ours"] /= 100
        found["rows"].append({"target": target, "apart": apart, "value": ours, **seconds})
    for name, parameters in SMALL:
        graph = compile_rulebook(make_rulebook(name, **parameters))
        game, apart, least, largest = graph_of_openspiel(graph), 0.0, 1.0, 0.0
        for exact in (True, False, True, False, False):
            policy = some_policy(graph, exact)
            ours = exploitability(graph, policy)
            least, largest = min(least, ours), max(largest, ours)
            works = answers(game, graph, policy)
            if not exact:
                del works["mdp"]  # it refuses a sum of probabilities that rounding takes above 1
            apart = max(apart, *(abs(work() - ours) for work in works.values()))
        told = ", ".join(f"{key}={value}" for key, value in parameters.items())
        row = {"game": name, "member": told, "states": graph.num_states, "least": least, "largest": largest}
        found["games"].append({**row, "apart": apart})
    return found


# A full scorecard.


def scorecards() -> list[dict[str, Any]]:
    import numpy as np

    from games import Policy, compile_rulebook, make_rulebook, rulebook_names
    from solver import optimal, scorecard

    rng, works, told = np.random.default_rng(0), [], []
    for name in rulebook_names():
        graph = compile_rulebook(make_rulebook(name))
        noise = np.where(graph.legal, rng.random(graph.next_state.shape) + 1e-3, 0.0)
        noise /= np.maximum(noise.sum(axis=1, keepdims=True), 1e-9)
        greedy = Policy.greedy(graph, rng.random(graph.next_state.shape))
        kinds = {"random": Policy(graph, noise), "greedy": greedy, "perfect": optimal(graph)}
        for kind, policy in kinds.items():
            works.append(lambda graph=graph, policy=policy: scorecard(graph, policy))  # type: ignore[misc]
            told.append({"game": name, "policy": kind, "states": graph.num_states})
    for work in works:
        work()
    for row, seconds in zip(told, timed(*works, rounds=21), strict=True):
        row["seconds"] = seconds
    return told


# The page.


def ask(*arguments: str) -> Any:
    """What a fresh process, pinned to one core, has measured."""
    print(" ".join(arguments), file=sys.stderr, flush=True)
    command = [sys.executable, str(Path(__file__).resolve()), "--one", *arguments]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(answer.stdout.splitlines()[-1])


def machine(packages: Iterable[str] = ("numpy", "numba", "scipy", "open_spiel")) -> str:
    """What was measured, on what, and when."""
    cpu = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), cpu)
    versions = [f"Python {platform.python_version()}"]
    for name in packages:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    return f"{', '.join(versions)}. {cpu}. {datetime.now(UTC):%Y-%m-%d}."


def measured(largest: int, quick: bool) -> dict[str, Any]:
    """Everything that the page tells, measured in this run."""
    families = []
    for family, title in FAMILIES.items():
        sizes = [10**power for power in range(3, 10) if 10**power <= largest]
        rows = [ask(family, str(size)) for size in sizes]
        families.append({"family": family, "title": title, "compiled": family not in RANDOM, "rows": rows})
    return {
        "made": machine(),
        "families": families,
        "openspiel": ask("openspiel", "8" if quick else "12"),
        "scorecards": ask("scorecards", "0"),
    }


def store(name: str, record: dict[str, Any]) -> None:
    """Where docs.make.benchmarks makes the page from."""
    file = STORE / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(file)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the solver and writes JSON.")
    parser.add_argument("--largest", type=float, default=1e8, help="most state-action pairs (default: 1e8)")
    parser.add_argument("--quick", action="store_true", help="up to 1e5 pairs and small targets: does it run at all?")
    parser.add_argument("--one", nargs=2, metavar=("WHAT", "SIZE"), help="one measurement as JSON (used inside)")
    args = parser.parse_args()
    if args.one is None:
        store("solver", measured(int(min(args.largest, 1e5) if args.quick else args.largest), args.quick))
        return
    pin()
    what, size = args.one[0], int(args.one[1])
    if what == "openspiel":
        print(json.dumps(beside_openspiel(list(range(6, size + 1, 2)))))
    elif what == "scorecards":
        print(json.dumps(scorecards()))
    else:
        print(json.dumps(measure(what, size)))


if __name__ == "__main__":
    main()
