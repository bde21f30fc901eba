"""Settings: who wins over whom, what is refused, and how a run is spelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.settings import AGENTS, explain, make_options
from games import Mistake, make_rulebook, rulebook_names
from training.resolve import LONGEST_NAME, resolve

GAME = next(name for name in rulebook_names() if "modulus" in make_rulebook(name).parameters)


def test_defaults_yield_to_the_file_to_set_and_to_flags(tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text(
        f'env = "{GAME}"\nagent = "q-learning"\nseed = 4\n[settings]\nsteps = 10\nepsilon = 0.5\ndiscount = 0.9\n'
    )
    settings = resolve(config=file, changes={"epsilon": "0.25", "steps": "20"}, flags={"steps": "3e1", "until": None})
    assert (settings.seed, settings.agent) == (4, "q-learning")
    found = vars(settings.options)
    assert (found["steps"], found["epsilon"], found["discount"]) == (30, 0.25, 0.9)


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_what_a_run_writes_down_makes_the_same_run(tmp_path: Path, agent: str) -> None:
    settings = resolve(env=GAME, agent=agent, seed=7, parameters={"modulus": "9"}, changes={"steps": "77"})
    file = tmp_path / "settings.toml"
    file.write_text(settings.toml())
    assert resolve(config=file) == settings


@pytest.mark.parametrize("env", ["fifty/wins", "", "/", "..", "a" * 5_000, "a\\u0000b"])
def test_a_name_of_no_game_in_a_settings_file_is_a_mistake(env: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f'env = "{env}"\n', encoding="utf-8")
    with pytest.raises(Mistake):
        resolve(config=file)


def test_text_survives_a_settings_file(tmp_path: Path) -> None:
    odd = 'a "b" \\ \t é'
    settings = resolve(env=GAME, agent="q-learning", changes={"opponent": odd})
    (tmp_path / "x.toml").write_text(settings.toml(), encoding="utf-8")
    assert vars(resolve(config=tmp_path / "x.toml").options)["opponent"] == odd


def test_the_path_spells_what_differs_and_nothing_else() -> None:
    assert resolve(env=GAME, agent="q-learning").path("runs") == Path("runs") / GAME / "q-learning" / "seed-0"
    other = resolve(
        env=GAME,
        agent="q-learning",
        parameters={"modulus": 9},
        changes={"opponent": "a/b", "exploring_starts": "true"},
        seed=2,
    )
    name = "q-learning,exploring_starts=true,opponent=a%2Fb"
    assert other.path("runs") == Path("runs") / f"{GAME},modulus=9" / name / "seed-2"


def test_long_names_are_cut_and_stay_different() -> None:
    names = {
        resolve(env=GAME, agent="q-learning", changes={"opponent": "x" * 200 + end}).path("r").parent.name
        for end in "ab"
    }
    assert len(names) == 2
    assert {len(name) for name in names} == {LONGEST_NAME}


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_every_setting_has_a_sentence_in_the_help(agent: str) -> None:
    for name, item in AGENTS[agent].model_fields.items():
        assert item.description is not None, name
        assert item.description.endswith(".")
        assert item.description in explain(AGENTS[agent])


@pytest.mark.parametrize(
    ("agent", "given", "told"),
    [
        ("q-learning", {"epsilom": 1}, "did you mean epsilon"),
        ("q-learning", {"epsilon": "1.5"}, "less than or equal to 1"),
        ("q-learning", {"epsilon": "nan"}, "epsilon=nan"),
        ("q-learning", {"steps": "-3"}, "greater than or equal to 1"),
        ("q-learning", {"steps": "many"}, "steps=many"),
        ("q-learning", {"steps": "1.5e0"}, "steps=1.5e0"),
        ("q-learning", {"steps": True}, "steps=True"),
        ("q-learning", {"until": "later"}, "'end' or 'perfect'"),
        ("sarsa", {"exploring_starts": "perhaps"}, "exploring_starts=perhaps"),
        ("value-iteration", {"epsilon": 1}, "no such setting of value-iteration"),
    ],
)
def test_a_setting_that_does_not_do_is_named(agent: str, given: dict[str, object], told: str) -> None:
    with pytest.raises(Mistake, match=told):
        make_options(agent, given)


@pytest.mark.parametrize("file", sorted(Path("configs").glob("*.toml")), ids=lambda file: file.stem)
def test_a_sample_config_holds_only_differences(file: Path) -> None:
    import tomllib

    settings = resolve(env=GAME, config=file)
    given = tomllib.loads(file.read_text(encoding="utf-8"))
    for key, value in given.get("settings", {}).items():
        assert getattr(type(settings.options)(), key) != value, key
