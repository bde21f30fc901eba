"""The page of benchmarks/rewards.py is made from its numbers, which say that dense rewards teach sooner."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from statistics import fmean

import torch

from arena.board import board
from docs.make.rewards import PLACE, page
from games import make_rulebook
from solver import grade

ROOT = Path(__file__).parents[2]
STORED = json.loads(PLACE.read_text("utf-8"))


def test_the_page_is_made_from_the_stored_numbers() -> None:
    assert (ROOT / "docs/measured/benchmarks_rewards.md").read_text("utf-8") == "\n".join(page(STORED)) + "\n"


def test_dense_rewards_were_measured_to_teach_sooner_on_every_game_at_every_step_size() -> None:
    ends: dict[tuple[str, float], dict[str, list[float]]] = {}
    for one in STORED["runs"]:
        ends.setdefault((one["game"], one["step"]), {}).setdefault(one["rewards"], []).append(one["curve"][-1][1])
    assert all(fmean(kinds["dense"]) > fmean(kinds["outcome"]) for kinds in ends.values())


def test_the_loop_of_the_example_learns_sooner_from_dense_rewards() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        learn = runpy.run_path("examples/dense_rewards.py")["learn"]
        table = board(make_rulebook("fifty-wins", target=15, largest=4))
        accuracy = {}
        for kind in ("dense", "outcome"):
            (*_, (_, policy)) = learn(table, kind, 0, 400, 0.03)
            accuracy[kind] = grade(table.graph, policy).accuracy
        assert accuracy["dense"] > 0.9 > accuracy["outcome"]
    finally:
        torch.set_num_threads(threads)
