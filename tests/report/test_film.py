"""A film of a training shows what the run's files say, and what cannot be filmed is told before the work."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageColor

from games import compile_rulebook, make_rulebook
from report.film import BLUNDER, FPS, HEIGHT, KEEPS, MAP, WIDTH, check_film, drawn, film, places
from report.runs import Entry, Reader
from solver import solve
from tests.books import FAMILIES, label, need_module
from training.loop import train
from training.resolve import resolve
from training.run import Run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("film") / "run"
    flags = {"steps": "100000"}
    train(resolve(env="number-flip", agent="q-learning", parameters={"target": 20}, flags=flags), Run(folder))
    return folder


def entry(run: Path) -> Entry:
    read = Reader().read(run)
    assert isinstance(read, Entry)
    return read


def of_colour(frame: Image.Image, boxes: list[tuple[float, float, float, float]], colour: str) -> set[int]:
    pixels = np.asarray(frame)
    return {k for k, box in enumerate(boxes) if tuple(pixels[int(box[1]), int(box[0])]) == ImageColor.getrgb(colour)}


def test_each_frame_shows_the_blunders_of_its_evaluation(run: Path) -> None:
    one = entry(run)
    assert one.snapshots is not None
    assert one.curve is not None
    graph, (boxes, _) = one.policy.graph, places(one.policy.graph)
    solution, frames = solve(graph), drawn(one)
    assert len(frames) == len(one.curve.steps)
    for frame, blunders, action in zip(frames, one.curve.blunders, one.snapshots[1], strict=True):
        assert frame.size == (WIDTH, HEIGHT)
        wrong = of_colour(frame, boxes, BLUNDER)
        assert len(wrong) == blunders
        assert all(not solution.keeps[state, action[state]] and solution.critical[state] for state in wrong)
        assert of_colour(frame, boxes, KEEPS) == {*np.flatnonzero(solution.critical).tolist()} - wrong


@pytest.mark.parametrize("relative", [*FAMILIES, make_rulebook("number-flip", target=3000)], ids=label)
def test_every_position_has_a_place_of_its_own_within_the_picture(relative: object) -> None:
    graph = compile_rulebook(relative)  # type: ignore[arg-type]
    boxes, _ = places(graph)
    assert len(boxes) == len({(box[0], box[1]) for box in boxes}) == graph.num_states
    assert all(MAP[0] <= box[0] and MAP[1] <= box[1] and box[2] <= MAP[2] + 1 and box[3] <= MAP[3] + 1 for box in boxes)


def evaluate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "evaluate.py"), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)


def test_the_command_writes_a_gif_that_holds_its_last_frame(run: Path, tmp_path: Path) -> None:
    done = evaluate(tmp_path, str(run), "--film", "learning.gif")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "film  learning.gif"
    with Image.open(io.BytesIO((tmp_path / "learning.gif").read_bytes())) as picture:
        steps = entry(run).curve.steps  # type: ignore[union-attr]
        assert 1 < getattr(picture, "n_frames", 1) <= len(steps)  # equal frames become one
        picture.seek(getattr(picture, "n_frames", 1) - 1)
        assert picture.info["duration"] >= 1000


def test_an_mp4_has_a_frame_for_each_evaluation_and_a_pause(run: Path, tmp_path: Path) -> None:
    imageio = need_module("imageio.v3")
    need_module("imageio_ffmpeg")
    film([entry(run)], str(tmp_path / "learning.mp4"))
    about = imageio.immeta(tmp_path / "learning.mp4", plugin="FFMPEG")
    assert about["source_size"] == (WIDTH, HEIGHT)
    frames = len(entry(run).curve.steps) + 2 * FPS  # type: ignore[union-attr]
    assert about["duration"] == pytest.approx(frames / FPS, abs=0.3)


@pytest.mark.parametrize(
    ("name", "told"),
    [("film.avi", "a .gif or an .mp4"), ("film", "a .gif or an .mp4"), ("no/where/l.gif", "no folder")],
)
def test_a_film_that_could_not_be_written_is_refused_at_once(name: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        check_film(name, ["run"])


def test_a_film_needs_one_run_and_says_so(run: Path, tmp_path: Path) -> None:
    none = evaluate(tmp_path, "--film", "l.gif")
    assert (none.returncode, "name the run" in none.stderr) == (2, True)
    assert none.stderr.count("\n") == 1
    with pytest.raises(ValueError, match="there are 2 runs here"):
        film([entry(run), entry(run)], str(tmp_path / "l.gif"))
