"""evaluate.py as people meet it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agents.run import Run
from agents.settings import resolve
from agents.training import train
from games import rulebook_names

ROOT = Path(__file__).parent.parent
GAME = rulebook_names()[0]


def evaluate(*words: object) -> subprocess.CompletedProcess[str]:
    given = [sys.executable, str(ROOT / "evaluate.py"), *map(str, words)]
    return subprocess.run(given, capture_output=True, text=True, cwd=ROOT, timeout=120)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    settings = resolve(env=GAME, agent="q-learning", changes={"steps": 3000})
    place = Run(settings.path(tmp_path / "runs"))
    train(settings, place)
    return place.path


def test_a_broken_run_is_named_in_one_line_and_left_out(run: Path, tmp_path: Path) -> None:
    broken = run.with_name("seed-1")
    broken.mkdir()
    (broken / "settings.toml").write_text("")
    (broken / "policy.npz").write_bytes(b"PK nonsense")
    done = evaluate(tmp_path / "runs", tmp_path / "nowhere")
    assert done.returncode == 0
    assert f"{run} (q-learning, seed 0)" in done.stdout
    lines = done.stderr.splitlines()
    assert [str(broken) in lines[0], "nowhere" in lines[1], len(lines)] == [True, True, 2]
    assert evaluate(run, "--require", "perfect").returncode == 0
    assert evaluate(run, broken, "--require", "perfect").returncode == 1


def test_nothing_to_show_is_a_mistake(tmp_path: Path) -> None:
    done = evaluate(tmp_path / "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_a_scorecard_that_flatters_its_policy_is_not_shown(run: Path) -> None:
    card = run / "scorecard.json"
    card.write_text(card.read_text().replace('"blunders": 0', '"blunders": 1'))
    done = evaluate(run)
    assert done.returncode == 2
    assert "tells of 1 blunders, but policy.npz beside it makes 0" in done.stderr


@pytest.mark.slow
def test_without_a_run_every_game_shows_its_baselines() -> None:
    done = evaluate()
    assert done.returncode == 0
    for name in rulebook_names():
        assert f"{name}\nplayer" in done.stdout
    assert done.stdout.count("\noptimal ") == len(rulebook_names())
