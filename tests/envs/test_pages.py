"""The manual pages, which are the docstrings of the env classes, read against the signatures and a real info."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import envs
from envs import PettingZooEnv, SoloEnv, SoloVectorEnv, TwoPlayerEnv, TwoPlayerVectorEnv
from envs.core import DEFAULT_PLIES, ILLEGAL_MOVES, RENDER_MODES
from envs.opponent import OPPONENTS
from envs.pettingzoo_env import AGENTS, MASK_PLACES
from envs.vector import MODES
from games import rulebook_names
from games.observation import VIEWS

ALL: list[Any] = [TwoPlayerEnv, SoloEnv, PettingZooEnv, TwoPlayerVectorEnv, SoloVectorEnv]
ORDER = [
    "Description",
    "Action space",
    "Observation space",
    "Rewards",
    "Episode end",
    "Info",
    "Arguments",
    "Version history",
]
CHOICES = {
    "illegal_move": ILLEGAL_MOVES,
    "render_mode": RENDER_MODES,
    "opponent": OPPONENTS,
    "first": AGENTS,
    "action_mask": MASK_PLACES,
    "autoreset_mode": tuple(MODES),
}


def sections(env: Any) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", inspect.getdoc(env) or "", flags=re.MULTILINE)
    assert parts[0].strip() == ""
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(text: str) -> dict[str, str]:
    """The `name`: sentence pairs of a list."""
    found = re.findall(r"^- `(\w+)`: (.+?)(?=^- |^$|\Z)", text, flags=re.MULTILINE | re.DOTALL)
    return {name: " ".join(words.split()) for name, words in found}


@pytest.mark.parametrize("env", ALL)
def test_a_page_has_its_sections_in_order(env: Any) -> None:
    assert list(sections(env)) == ORDER
    assert all(text.strip() for text in sections(env).values())


@pytest.mark.parametrize("env", ALL)
def test_a_page_names_the_arguments_in_their_order(env: Any) -> None:
    assert list(entries(sections(env)["Arguments"])) == list(inspect.signature(env).parameters)


@pytest.mark.parametrize("env", ALL)
def test_a_page_names_every_choice_and_default_of_an_argument(env: Any) -> None:
    told = entries(sections(env)["Arguments"])
    for name in inspect.signature(env).parameters:
        shown = not issubclass(env, TwoPlayerVectorEnv) or name != "render_mode"  # many games are not
        for choice in CHOICES.get(name, ()) if shown else ():
            assert f'`"{choice}"`' in told[name], name
    assert f"is {DEFAULT_PLIES} where" in told["max_plies"]
    if not issubclass(env, TwoPlayerVectorEnv):
        assert re.findall(r'`"(\w+)"` \(', sections(env)["Observation space"]) == list(VIEWS)


@pytest.mark.parametrize("env", ALL)
def test_a_page_names_the_keys_of_a_real_info(env: Any) -> None:
    played = env(rulebook_names()[0])
    if env is PettingZooEnv:
        played.reset(seed=0)
        info = played.infos["player_0"]
    else:
        _, info = played.reset(seed=0)
    assert [key for key in info if not key.startswith("_")] == list(entries(sections(env)["Info"]))


def test_the_public_names_are_those_of_the_design() -> None:
    wanted = {
        "MaskInObservation",
        "TwoPlayerEnv",
        "SoloEnv",
        "PettingZooEnv",
        "TwoPlayerVectorEnv",
        "SoloVectorEnv",
        "env_id",
        "sample_legal",
    }
    assert set(envs.__all__) == wanted
