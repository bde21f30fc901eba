"""An exam that asked some positions: what was not asked is a count and a colour of its own, and counts nowhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games import Policy, compile_rulebook, make_rulebook
from solver import optimal, solve
from tests.report.browser import Reader

ROOT = Path(__file__).parents[2]
GAME = "number-flip"


def command(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, cwd=ROOT, timeout=120)


def answers(place: Path, policy: Policy, asked: np.ndarray, **exam: Any) -> Path:
    """An exam's folder: these answers at the states that were asked, nothing known elsewhere."""
    place.mkdir(parents=True)
    table = np.where(asked[:, None], policy.probability, Policy.uniform(policy.graph).probability)
    Policy(policy.graph, table, {"asked": asked}).save(place / "policy.npz")
    (place / "exam.json").write_text(json.dumps({"player": "model", "sample": int(asked.sum()), **exam}))
    return place


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command line makes of the exam of a perfect player that was asked 50 times, all answers right."""
    folder = tmp_path_factory.mktemp("exam")
    graph = compile_rulebook(make_rulebook(GAME))
    asked = np.zeros(graph.num_states, dtype=np.bool_)
    asked[np.flatnonzero(solve(graph).critical)[::7][:50]] = True
    exam = answers(folder / "model", optimal(graph), asked, interval={"low": 0.929, "high": 1.0})
    done = command("evaluate.py", exam, "--out", folder / "results", "--latex")
    assert done.returncode == 0, done.stderr
    assert "     0 of 50 asked; 329 not asked" in done.stdout
    return folder / "results"


def test_a_perfect_player_asked_in_part_is_not_slandered(page: Path) -> None:
    game = json.loads((page / "report.json").read_text())["games"][0]
    (exam,) = game["asked_in_part"]
    assert (exam["positions"], exam["not_asked"], exam["blundered"]) == (50, 329, 0)
    assert (exam["exploitability_at_least"], exam["blunders"]) == (0, [])
    assert "model" not in [player["name"] for player in game["players"]]
    text = (page / "report.md").read_text()
    row = "| model | 1 | unknown | 0 of 50 asked; 329 not asked | 0.929 to 1.000 | unknown | unknown |"
    assert row in text
    assert "model blunders at 0 of 50 critical positions of Number Flip that it was asked; 329 were not asked." in text


def test_the_map_colours_and_counts_what_was_not_asked(chromium: Any, page: Path) -> None:
    reader = Reader(chromium, page / "index.html")
    exam = json.loads((page / "report.json").read_text())["games"][0]["asked_in_part"][0]
    cells = reader.cells()
    assert {state for state, (kind, _) in cells.items() if kind == "keeps"} == set(exam["asked"])
    assert sum(kind == "unasked" and text == "?" for kind, text in cells.values()) == 329
    assert "not asked (329)" in reader.tab.inner_text("[data-game='0'] [data-map] .legend")
    colours = [
        reader.tab.evaluate(f"getComputedStyle(document.querySelector('.panels .cell.{kind}')).backgroundColor")
        for kind in ("keeps", "unasked", "nothing")
    ]
    assert len(set(colours)) == 3
    assert "329 were not asked" in reader.tab.inner_text("[data-game='0'] [data-blunders] .note")
    assert "model" not in reader.tab.inner_text("[data-game='0'] [data-play] .controls")
    reader.close()


def test_a_blunder_that_was_seen_is_proved(tmp_path: Path) -> None:
    from report.runs import Reader as Reading
    from report.runs import Sitting

    graph = compile_rulebook(make_rulebook(GAME))
    solution = solve(graph)
    asked = np.zeros(graph.num_states, dtype=np.bool_)
    asked[0] = True
    wrong = Policy.greedy(graph, ~solution.keeps)
    place = answers(tmp_path / "model", wrong, asked)
    sitting = Reading().read(place)
    assert isinstance(sitting, Sitting)
    from report.partial import partial_exam

    exam = partial_exam(sitting, "model", drawn=True)
    assert (exam.blundered, [blunder.state for blunder in exam.blunders]) == (1, [0])
    assert exam.exploitability_at_least == (1.0 if solution.value[0] > 0 else 0.0)
    done = command("evaluate.py", place, "--require", "perfect", "--out", tmp_path / "results")
    assert done.returncode == 1
