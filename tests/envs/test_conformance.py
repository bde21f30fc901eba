"""The ecosystem's own checkers are silent: warnings are errors here, by the settings of pytest."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from envs import PettingZooEnv, SoloEnv, TwoPlayerEnv, env_id
from envs.__main__ import CHECKS, DICT_WARNINGS, outcome_of
from games import RuleBook
from games.observation import VIEWS

ENVS = [TwoPlayerEnv, SoloEnv]


@pytest.mark.parametrize("solo", [False, True])
def test_gymnasiums_checker_is_silent(relative: RuleBook, solo: bool) -> None:
    check_env(gymnasium.make(env_id(relative.name, solo=solo), **relative.parameters).unwrapped)  # type: ignore[arg-type]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("env", ENVS)
def test_stable_baselines_checker_is_silent(relative: RuleBook, env: type[TwoPlayerEnv], view: str) -> None:
    sb3_check_env(env(relative, observation=view))


@pytest.mark.parametrize("first", ["player_0", "player_1", None])
def test_pettingzoos_tests_are_silent(
    relative: RuleBook, first: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if PettingZooEnv(relative).observation_space("player_0").shape == (1,):
        pytest.skip("one position alone: PettingZoo warns of any observation of one number")

    def make(render_mode: str | None = None) -> PettingZooEnv:
        return PettingZooEnv(relative, first=first, render_mode=render_mode)

    api_test(make(), num_cycles=20)
    seed_test(make, num_cycles=20)
    render_test(make)


def test_a_dict_observation_gives_exactly_pettingzoos_two_warnings(book: RuleBook) -> None:
    with pytest.warns(UserWarning, match="Observation") as seen:
        api_test(PettingZooEnv(book, action_mask="observation"), num_cycles=20)
    assert {str(warning.message) for warning in seen} == DICT_WARNINGS


def test_the_command_passes_every_check(book: RuleBook) -> None:
    assert {check: outcome_of(check, book) for check in CHECKS} == dict.fromkeys(CHECKS, "")


def test_the_command_prints_a_table_and_answers_a_mistake_in_one_line() -> None:
    from games import rulebook_names

    name = rulebook_names()[0]
    passed = subprocess.run([sys.executable, "-m", "envs", name], capture_output=True, text=True, check=False)
    assert passed.returncode == 0, passed.stderr
    assert name in passed.stdout
    assert all(check in passed.stdout for check in CHECKS)
    refused = subprocess.run([sys.executable, "-m", "envs", name + "x"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert f"did you mean {name}?" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_importing_the_envs_imports_neither_torch_nor_numba() -> None:
    program = "import envs, sys; print(sorted({'torch', 'numba', 'stable_baselines3', 'solver'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_an_id_needs_no_import() -> None:
    program = (
        "import gymnasium; from games import rulebook_names\n"
        "for name in rulebook_names():\n"
        "    words = ''.join(word.capitalize() for word in name.split('-'))\n"
        "    for solo in ('', 'Solo'):\n"
        "        gymnasium.make(f'envs:perfectplay/{words}{solo}-v0').reset(seed=0)\n"
        "print('ok')"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "ok"
