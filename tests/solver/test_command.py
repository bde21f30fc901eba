"""The command line of the solver, the second checker in another language, and what importing costs."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solver
from games import GameGraph, rulebook_names
from solver import certificate, solve
from solver.export import export
from tests.books import need

ROOT = Path(__file__).parents[2]


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", rulebook_names())
def test_the_facts_of_every_game_are_told(name: str) -> None:
    told = command("-m", "solver", "--env", name)
    assert told.returncode == 0, told.stderr
    for words in ("value", "optimal openings", "critical states", "an optimal line"):
        assert words in told.stdout


def test_after_some_moves_every_legal_move_is_told() -> None:
    told = command("-m", "solver", "--env", "number-flip", "--at", "8 7")
    assert told.returncode == 0
    assert len(told.stdout.splitlines()) == 1 + 9  # the position, and all but the number just said
    assert told.stdout.count("keeps") + told.stdout.count("blunder") == 9


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--env", "number-flop"],
        ["--env", "number-flip", "--at", "8 8"],
        ["--env", "number-flip", "--at", "x"],
        ["--env", "fifty-wins", "--param", "target=5", "--at", "5"],
        ["--env", "fifty-wins", "--export", "no folder/x.json"],
        ["--nonsense"],
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(words: list[str]) -> None:
    told = command("-m", "solver", *words)
    assert told.returncode == 2
    assert len(told.stderr.strip().splitlines()) == 1


def test_importing_the_solver_imports_neither_numba_nor_scipy() -> None:
    heavy = "import sys, solver, solver.__main__; print([m for m in ('numba', 'scipy', 'torch') if m in sys.modules])"
    assert command("-c", heavy).stdout.strip() == "[]"


def test_the_certificate_is_short_and_imports_numpy_games_and_the_slabs_only() -> None:
    text = Path(certificate.__file__).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 100
    found = {node.module for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)}
    assert found == {"__future__", "typing", "base.slabs", "games.graph", "games.rulebook"}


def test_all_names_that_are_promised_are_there() -> None:
    promised = [
        "solve",
        "Solution",
        "certify",
        "versus",
        "Result",
        "best_response",
        "Response",
        "tremble",
        "scorecard",
        "Scorecard",
        "optimal",
    ]
    assert set(promised) <= set(solver.__all__)
    assert all(hasattr(solver, name) for name in solver.__all__)


def mutants(record: dict[str, Any], rng: np.random.Generator) -> list[dict[str, Any]]:
    """One wrong number each: value, remoteness, keep bit, critical bit, an edge, and a parameter's name."""
    made = []
    for name in ("value", "remoteness", "critical", "keeps", "next_state"):
        for _ in range(5):
            mutant = json.loads(json.dumps(record))
            s = int(rng.integers(len(record["value"])))
            if name in ("keeps", "next_state"):
                a = int(rng.integers(len(record["moves"])))
                mutant[name][s][a] = (
                    1 - mutant[name][s][a] if name == "keeps" else (-3 if mutant[name][s][a] != -3 else -2)
                )
            else:
                mutant[name][s] = 1 - mutant[name][s] if name == "critical" else mutant[name][s] + 1
            made.append(mutant)
    mutant = json.loads(json.dumps(record))
    mutant["parameters"]["another"] = 1
    return [*made, mutant]


def test_a_checker_in_another_language_accepts_the_solution_and_rejects_mutants(
    graph: GameGraph, tmp_path: Path
) -> None:
    node = need("node")
    export(graph, solve(graph), tmp_path / "right.json")
    record = json.loads((tmp_path / "right.json").read_text())
    for i, mutant in enumerate(mutants(record, np.random.default_rng(0))):
        (tmp_path / f"mutant-{i:02}.json").write_text(json.dumps(mutant))
    wrong = sorted(tmp_path.glob("mutant-*.json"))
    told = subprocess.run(
        [node, "examples/check_solution.mjs", tmp_path / "right.json", *wrong],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1, told.stderr
    first, *others = told.stdout.splitlines()
    assert first.endswith("accepted")
    assert len(others) == len(wrong)
    assert all("REJECTED" in line for line in others)


def test_a_long_line_of_perfect_play_is_cut() -> None:
    told = command("-m", "solver", "--env", "fifty-wins", "--param", "target=1000").stdout
    (distance,) = re.findall(r"won for the mover, in (\d+) plies", told)
    last = told.splitlines()[-1]
    assert last.endswith(f" ... ({distance} moves)")
    assert len(last) < 400
