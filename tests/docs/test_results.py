"""The results page: tables against the runs, figures, and that it is current."""

from __future__ import annotations

import csv
import json
import math
import statistics
from pathlib import Path

import pytest

from docs.make import figures
from docs.make.results import SECTIONS, page
from docs.make.stored import load, steps_to, store
from games import Mistake, make_rulebook, rulebook_names
from report.statistics import lower_bound
from tests.books import need_module
from training.sweeps.folder import Sweep
from training.sweeps.plan import read_plan
from training.sweeps.workers import Workers, carry_out

ROOT = Path(__file__).parents[2]
GAME = next(name for name in rulebook_names() if "target" in make_rulebook(name).parameters)
SWEEPS = {
    "record": 'env = "all"\nagent = "q-learning"\nseeds = "0-2"\nsettings = {steps = 40_000, evaluations = 10}',
    "tabular": f'env = "{GAME}"\nagent = ["q-learning", "sarsa"]\nseeds = "0-1"\nsettings.steps = 3_000',
    "scaling": f"""
env = "{GAME}"
agent = ["sarsa", "q-learning"]
seeds = "0-1"
parameters.target = [12, 25]
settings = {{steps = 5_000, evaluations = 10}}""",
    "ablation": f"""
env = "{GAME}"
agent = "q-learning"
seeds = "0-2"
settings = {{steps = 20_000, evaluations = 5}}
[[runs]]
label = "default"
[[runs]]
label = "no exploration"
settings = {{epsilon = 0.0, epsilon_end = 0.0}}
[[runs]]
label = "nobody there"
settings.opponent = "nobody"
""",
    "search": f"""
env = "{GAME}"
seeds = "0-1"
settings.evaluations = 3
[[runs]]
label = "no search"
agent = "q-learning"
settings.steps = 2_000
[[runs]]
label = "no search, longer"
agent = "q-learning"
settings.steps = 4_000
""",
}


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stored tables of small sweeps, really run; those of views are missing."""
    place = tmp_path_factory.mktemp("docs")
    for name, text in SWEEPS.items():
        file = place / f"{name}.toml"
        file.write_text(text, encoding="utf-8")
        sweep = Sweep(place / "sweeps" / name, read_plan(file))
        with sweep.held(text):
            carry_out(sweep, Workers(1), command=f"python sweep.py {name}.toml --out '{place}' --jobs 1")
            sweep.write_tables()
        store(sweep.path, place / "results")
    return place


@pytest.fixture(scope="module")
def text(docs: Path) -> str:
    return "\n".join(page(docs / "results"))


def section(text: str, title: str) -> list[list[str]]:
    """The cells of the table rows below a heading."""
    part = text.partition(f"# {title}")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def runs(docs: Path, name: str) -> list[dict[str, str]]:
    with (docs / "results" / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_the_record_counts_what_the_runs_say(docs: Path, text: str) -> None:
    critical = 0
    for game in rulebook_names():
        cards = [json.loads(file.read_text()) for file in (docs / "sweeps" / "record" / game).rglob("scorecard.json")]
        assert len(cards) == 3
        perfect = sum(card["perfect"] for card in cards)
        assert f"| {game} | {cards[0]['critical_states']} | {perfect} of 3 | {lower_bound(perfect, 3):.1%} |" in text
        critical += cards[0]["critical_states"]
    assert f"games have {critical} critical positions" in text.replace("\n", " ")


def test_the_ablation_gives_median_and_worst_of_the_blunders_left(docs: Path, text: str) -> None:
    for label in ("default", "no exploration"):
        blunders = [int(row["blunders"]) for row in runs(docs, "ablation") if row["label"] == label]
        (row,) = [row for row in section(text, "What each part") if row[0] == label]
        assert row[2:4] == [f"{statistics.median(blunders):g}", f"{max(blunders):g}"]


def test_runs_that_failed_are_told_and_count_as_not_perfect(text: str) -> None:
    assert "3 of 9 runs did not finish and count as not perfect" in text
    assert "no such player: nobody" in text
    (row,) = [row for row in section(text, "What each part") if row[0] == "nobody there"]
    assert row[1:4] == ["0 of 3", "?", "?"]


def test_a_run_that_failed_is_not_there_when_the_others_are() -> None:
    there = {"steps": 100, "steps_to_perfect": 10}
    failed = {"steps": None, "steps_to_perfect": None}
    assert steps_to([there, there, failed], "perfect").median == 10
    assert steps_to([there, failed, failed], "perfect").median == math.inf
    assert steps_to([there, there, failed], "perfect").worst == math.inf


def test_scaling_has_a_row_for_every_size_in_order(text: str) -> None:
    rows = [row[:3] for row in section(text, "How it scales")[1:]]
    assert rows == [[GAME, agent, size] for agent in ("q-learning", "sarsa") for size in ("12", "25")]


def test_search_is_told_beside_its_plies_and_cpu_seconds(docs: Path, text: str) -> None:
    rows = section(text, "What search adds")
    assert [row[:2] for row in rows[1:]] == [["no search", "2,000"], ["no search, longer", "4,000"]]
    for label, _, median, worst, *_ in rows[1:]:
        names = {row["run"] for row in runs(docs, "search") if row["label"] == label}
        with (docs / "results" / "search.times.csv").open(encoding="utf-8", newline="") as lines:
            seconds = [float(row["cpu_seconds"]) for row in csv.DictReader(lines) if row["run"] in names]
        assert [median, worst] == [f"{statistics.median(seconds):.1f}", f"{max(seconds):.1f}"]


def test_what_was_not_measured_is_said_so(text: str) -> None:
    assert "Not measured yet: `python sweep.py configs/sweeps/views.toml`" in text


def test_every_named_sweep_but_smoke_has_its_section() -> None:
    names = {file.stem for file in (ROOT / "configs" / "sweeps").glob("*.toml")}
    assert set(SECTIONS) == names - {"smoke"}


def test_the_page_tells_command_commit_versions_and_machine(docs: Path, text: str) -> None:
    origin = json.loads((docs / "results" / "record.json").read_text())
    assert "| record | 15 | `python sweep.py record.toml --jobs 1` | `" in text
    assert str(docs) not in text  # where it was written says nothing to another reader
    assert all(f"{name} {number}" in text.replace("\n", " ") for name, number in origin["versions"][0].items())
    assert f"cores {origin['machine'][0]['cores']}" in text


def test_figures_are_small_and_the_same_tables_give_the_same_bytes(docs: Path, tmp_path: Path) -> None:
    need_module("matplotlib")
    made = figures.draw(docs / "results", tmp_path / "one")
    assert [file.name for file in made] == ["record.svg", "ablation.svg", "scaling.svg"]
    again = figures.draw(docs / "results", tmp_path / "two")
    for one, two in zip(made, again, strict=True):
        assert one.read_bytes() == two.read_bytes()
        assert one.stat().st_size < 150_000


def test_the_stored_page_is_what_the_stored_tables_make() -> None:
    stored = (ROOT / "docs" / "measured" / "results.md").read_text(encoding="utf-8")
    assert stored == "\n".join(page(ROOT / "docs" / "measured" / "results")) + "\n"
    for name in ("record", "ablation", "scaling", "scaling_tabular"):
        drawn = (ROOT / "docs" / "measured" / "figures" / f"{name}.svg").is_file()
        assert drawn == (f"figures/{name}.svg" in stored)


def test_what_is_not_a_sweep_is_not_stored(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="run it with"):
        store(tmp_path, tmp_path / "docs")
    assert load(tmp_path, "record") is None
    (tmp_path / "record.csv").write_text("a,b\n1,2\n")
    (tmp_path / "record.times.csv").write_text("a,b\n1,2\n")
    with pytest.raises(Mistake, match="not the table of a sweep"):
        load(tmp_path, "record")
