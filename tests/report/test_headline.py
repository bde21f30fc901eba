"""A headline counts: who is perfect in how many runs, and who is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from report.document import Player
from report.groups import summary
from report.headline import headline
from tests.report.made import baselines


def runs(name: str, blunders: list[int]) -> list[Player]:
    """Runs of one group with so many blunders each."""
    game = next(game for game in baselines().games if game.game == "number-flip")
    optimal = next(player for player in game.players if player.name == "optimal")
    return [
        replace(optimal, name=f"{name} seed {k}", group=name, card=replace(optimal.card, blunders=n, perfect=n == 0))
        for k, n in enumerate(blunders)
    ]


def sentence(**blunders: list[int]) -> str:
    players = [player for name, counts in blunders.items() for player in runs(name, counts)]
    groups = [summary(name, [player for player in players if player.group == name]) for name in blunders]
    return headline("Flip", 379, groups, players)


@pytest.mark.parametrize(
    ("blunders", "words"),
    [
        ({"sarsa": [0]}, "sarsa plays Flip perfectly: 0 blunders at 379 critical positions."),
        ({"sarsa": [5]}, "Nobody learned to play Flip perfectly; sarsa blunders at 5 of 379 critical positions."),
        (
            {"sarsa": [0, 5]},
            "sarsa plays Flip perfectly in 1 of 2 runs; its worst run blunders at 5 of 379 critical positions.",
        ),
        (
            {"sarsa": [0, 0], "ppo": [3, 30, 8, 9], "dqn": [0, 1]},
            "sarsa plays Flip perfectly in all 2 runs: 0 blunders at 379 critical positions. "
            "Not perfect: ppo (0 of 4 runs, at worst 30 blunders), dqn (1 of 2 runs, at worst 1 blunder).",
        ),
        (
            {"ppo": [30], "dqn": [0, 7]},
            "Nobody learned to play Flip perfectly in every run: ppo (0 of 1 runs, 30 blunders), "
            "dqn (1 of 2 runs, at worst 7 blunders), at 379 critical positions.",
        ),
    ],
)
def test_who_failed_is_named_and_counted(blunders: dict[str, list[int]], words: str) -> None:
    assert sentence(**blunders) == words


def test_of_many_groups_the_first_are_named_and_the_others_counted() -> None:
    assert "case4 (0 of 1 runs, 1 blunder), and 3 more" in sentence(**{f"case{k}": [1] for k in range(8)})
