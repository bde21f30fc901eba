"""The page of the ladders: its numbers are those of the policies, and what is listed is what is run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from base.mistake import Mistake
from docs.make.ladder_figures import draw
from docs.make.ladders import Shown, entries_of, page
from report.comparison import improvement, profile
from training.ladders.judge import judge
from training.ladders.ladder import read_ladder
from training.ladders.listed import ENTRIES, read_listed

ROOT = Path(__file__).parents[2]
TINY = """
title = "Tiny"
question = "Does it work?"
may_know = "All."
score = "size"
size = "target"
budget = 100000
seeds = "0-1"
tuning = "None."
[[members]]
env = "fifty-wins"
parameters.target = [5, 10]
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two entries to a tiny ladder: one that learns it, and one that has no time to."""
    place = tmp_path_factory.mktemp("ladders")
    (place / "tiny.toml").write_text(TINY)
    for name, steps in (("long", "2000"), ("short", "1")):
        words = [str(place / "tiny.toml"), "--agent", "q-learning", "--set", f"steps={steps}", "--name", name]
        words += ["--out", str(place / "runs"), "--jobs", "1", "--quiet"]
        subprocess.run([sys.executable, ROOT / "ladder.py", *words], cwd=ROOT, check=True, capture_output=True)
        shutil.copytree(place / "runs" / "tiny" / name / "entry", place / "stored" / "tiny" / name)
    return place


def shown(stored: Path) -> list[Shown]:
    return entries_of("tiny", stored / "stored", [])


def test_the_page_tells_what_the_judge_finds_and_not_what_is_claimed(stored: Path, tmp_path: Path) -> None:
    ladder = read_ladder(str(stored / "tiny.toml"))
    lines = "\n".join(page([ladder], [shown(stored)], []))
    assert "| long | 10 | **2/2** | **2/2** |" in lines
    assert "| short | not reached | 0/2" in lines
    changed = tmp_path / "stored"
    shutil.copytree(stored / "stored", changed)
    file = changed / "tiny" / "short" / "entry.json"
    table = json.loads(file.read_text())
    for claim in table["runs"]:
        claim["blunders"] = 0
    file.write_text(json.dumps(table))
    liar = "\n".join(page([ladder], [entries_of("tiny", changed, [])], []))
    assert [line for line in liar.splitlines() if "not as claimed" not in line] == lines.splitlines()
    assert "*not as claimed*" in liar


def test_figures_are_the_same_bytes_each_time(stored: Path, tmp_path: Path) -> None:
    ladder = read_ladder(str(stored / "tiny.toml"))
    entries = [(each.name, each.judgement) for each in shown(stored)]
    one, other = (draw(ladder, entries, tmp_path / name).read_bytes() for name in ("one", "other"))
    assert one == other


@pytest.mark.slow
def test_every_stored_entry_is_as_claimed_and_of_its_ladder() -> None:
    """But for those of large boards, which `python -m docs.make.ladders` judges."""
    for file in (ROOT / "docs" / "measured" / "ladders").glob("*/*/entry.json"):
        if file.with_name("policies.npz").stat().st_size < 16_000:
            assert not judge(file.parent).faults, file


def test_the_page_names_every_stored_entry_and_only_those() -> None:
    text = (ROOT / "docs" / "ladders.md").read_text()
    for file in (ROOT / "docs" / "measured" / "ladders").glob("*/*/entry.json"):
        assert f"measured/ladders/{file.parent.parent.name}/{file.parent.name}/entry.json" in text
    for one in read_listed():
        assert one.name in text


@pytest.mark.parametrize("one", read_listed(), ids=lambda one: f"{one.ladder}-{one.name}")
def test_what_is_listed_can_be_run(one: object) -> None:
    from training.ladders.listed import Listed
    from training.sweeps.plan import seeds_of

    assert isinstance(one, Listed)
    seeds = tuple(seeds_of(one.seeds, "seeds")) if one.seeds else None
    ladder = read_ladder(one.ladder)
    assert ladder.tasks(one.agent, one.settings, seeds, one.up_to)
    assert set(seeds or ladder.seeds) <= set(ladder.seeds)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "lists no entries"),
        ('[[entries]]\nladder = "nim"', "name is missing"),
        ('[[entries]]\nladder = "nil"\nname = "a"\nabout = "b"\nagent = "ppo"', "did you mean nim"),
        ('[[entries]]\ncolour = "red"', "colour"),
    ],
)
def test_a_damaged_list_is_refused_in_a_line(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "entries.toml").write_text(text)
    with pytest.raises(Mistake, match=told):
        read_listed(tmp_path / "entries.toml")
    assert ENTRIES.is_file()


def test_improvement_counts_pairs_and_a_profile_counts_runs() -> None:
    draw_ = np.random.default_rng(1)
    ours, theirs = draw_.integers(0, 5, (2, 7)).tolist(), draw_.integers(0, 5, (2, 9)).tolist()
    pairs = [[(x < y) + 0.5 * (x == y) for x in xs for y in ys] for xs, ys in zip(ours, theirs, strict=True)]
    ahead = improvement(ours, theirs)
    assert ahead.iqm == pytest.approx(np.mean([np.mean(part) for part in pairs]))
    assert ahead.low is not None
    assert ahead.high is not None
    assert ahead.low <= ahead.iqm <= ahead.high
    assert improvement(ours, theirs).iqm + improvement(theirs, ours).iqm == pytest.approx(1)
    assert profile([[0.0, 0.5], [0.5, 1.0]], [0.0, 0.5, 1.0]) == [0.25, 0.75, 1.0]
