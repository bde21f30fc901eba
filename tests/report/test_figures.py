"""The figures of a report say what its runs say, and the same runs give the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from games import Mistake
from report.evaluate import evaluate
from report.figures import draw_figures
from report.film import BLUNDER, KEEPS
from tests.books import need_module
from training.loop import train
from training.resolve import resolve
from training.run import Run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_module("matplotlib")
    folder = tmp_path_factory.mktemp("figures")
    for seed in (0, 1):
        parameters, flags = {"target": 20}, {"steps": "4000"}
        settings = resolve(env="number-flip", agent="q-learning", seed=seed, parameters=parameters, flags=flags)
        train(settings, Run(folder / f"{seed}"))
    return folder


def test_a_map_has_a_square_for_every_blunder_and_the_same_run_gives_the_same_bytes(runs: Path, tmp_path: Path) -> None:
    evaluation = evaluate([str(runs)], command="test")
    files = draw_figures(evaluation.report, evaluation.read.entries, tmp_path / "a")
    assert draw_figures(evaluation.report, evaluation.read.entries, tmp_path / "b")
    assert len(files) == 2 + 2 * 2  # the curves of the game, and a map of each run
    for file in files:
        if file.suffix == ".png":
            with Image.open(file) as picture:
                assert min(picture.size) > 200
        else:
            assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
    for entry in evaluation.read.entries:
        text = (tmp_path / "a" / f"number-flip-q-learning-seed-{entry.card.seed}-map.svg").read_text()
        legend = 1
        assert text.count(f"fill: {BLUNDER}") == entry.card.blunders + legend > 1
        assert text.count(f"fill: {KEEPS}") == entry.card.critical_states - entry.card.blunders + legend


def test_where_there_is_nothing_to_draw_it_says_so(tmp_path: Path) -> None:
    evaluation = evaluate([], command="test")
    with pytest.raises(Mistake, match="no run with a curve or a map"):
        draw_figures(evaluation.report, [], tmp_path)
