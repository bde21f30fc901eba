"""Our own games go out by a door and come back by the importer: they have the values of the compiled graph."""

from __future__ import annotations

from typing import Any

import pytest

from envs import env_id
from envs.importing import import_game
from games import GameGraph, compile_rulebook
from solver import solve
from tests.books import BOOKS, label

SMALLEST = min((compile_rulebook(book) for book in BOOKS), key=lambda graph: graph.num_states)
DOORS = {"gymnasium": "{}", "pettingzoo": "pettingzoo:{}"}


def differences(imported: GameGraph, ours: GameGraph) -> int:
    """Positions, reached by the same moves, of other values or with other outcomes."""
    theirs, values = solve(imported).value, solve(ours).value
    met, waiting, wrong = {(0, 0)}, [(0, 0)], 0
    while waiting:
        state, known = waiting.pop()
        wrong += int(theirs[state] != values[known])
        for after, outcome in zip(imported.next_state[state].tolist(), ours.outcome[known].tolist(), strict=True):
            if after < 0 or outcome < 0:
                wrong += int(after != outcome)
            elif (after, outcome) not in met:
                met.add((after, outcome))
                waiting.append((after, outcome))
    assert {known for _, known in met} >= {state for state in range(ours.num_states) if ours.legal[state].any()}
    return wrong


def came_back(ours: GameGraph, door: str) -> GameGraph:
    options: dict[str, Any] = {"max_plies": None}
    return import_game(DOORS[door].format(env_id(ours.game)), options=options).game.graph


@pytest.mark.parametrize("door", DOORS)
def test_the_smallest_game_comes_back_as_it_went(door: str) -> None:
    assert differences(came_back(SMALLEST, door), SMALLEST) == 0


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("number", range(len(BOOKS)), ids=[label(book) for book in BOOKS])
def test_each_game_comes_back_as_it_went(number: int, door: str) -> None:
    ours = compile_rulebook(BOOKS[number])
    assert differences(came_back(ours, door), ours) == 0
