"""PettingZoo's own games through the door: tic-tac-toe is known exactly, connect four is refused in seconds."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from envs.importing import Refused, import_game
from games import compile_rulebook, make_rulebook
from solver import solve

ROOT = Path(__file__).parents[3]
TIC_TAC_TOE = str(ROOT / "examples" / "books" / "tic_tac_toe.py")


def test_tic_tac_toe_of_pettingzoo_is_that_of_the_shelf(tmp_path: Path) -> None:
    file = tmp_path / "tictactoe.game"
    command = [sys.executable, "-m", "envs", "import", "pettingzoo:tictactoe_v3", "--out", str(file), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "5,478 positions, 4,520 of them to move in" in done.stdout
    assert "neither side can force a win" in done.stdout
    imported, ours = make_rulebook(str(file)).arrays, compile_rulebook(make_rulebook(TIC_TAC_TOE))
    assert imported is not None
    assert imported.num_states == ours.num_states == 4_520
    theirs, values = solve(imported).value, solve(ours).value
    square = np.arange(9).reshape(3, 3).T.ravel()  # PettingZoo counts down the columns
    pairs, waiting = {0: 0}, [0]
    while waiting:
        state = waiting.pop()
        assert theirs[state] == values[pairs[state]]
        for action in range(9):
            after, other = imported.next_state[state, action], ours.next_state[pairs[state], square[action]]
            assert (after if after < 0 else -9) == (other if other < 0 else -9)
            if after >= 0 and int(after) not in pairs:
                pairs[int(after)] = int(other)
                waiting.append(int(after))
    assert len(pairs) == 4_520


def test_connect_four_is_refused_soon_with_what_it_would_take() -> None:
    began = time.process_time()
    with pytest.raises(Refused, match=r"too large: .* positions after .* hours"):
        import_game("pettingzoo:connect_four_v3")
    assert time.process_time() - began < 60


def test_hidden_choices_are_no_game_of_this_kind() -> None:
    with pytest.raises(Refused, match="no way to ask"):
        import_game("pettingzoo:rps_v2")


def test_a_turn_based_env_in_anyones_file_is_solved() -> None:
    for sticks in (8, 9, 10):
        graph = import_game(
            f"{ROOT}/tests/envs/importing/foreign/sticks.py:Sticks", options={"sticks": sticks}
        ).game.graph
        values = solve(graph).value
        for state in range(graph.num_states):
            left = int(graph.words(state).partition("left ")[2].split()[0].strip(","))
            assert values[state] == (-1 if left % 4 == 1 else 1)
