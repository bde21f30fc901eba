"""Sweep files: what they ask for, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from games import Mistake, make_rulebook, rulebook_names
from training.resolve import resolve
from training.sweeps.plan import Task, read_plan

ROOT = Path(__file__).parents[3]
PPO_NUMBERS = ("steps", "evaluations", "games", "plies", "epochs", "width", "pool", "max_plies")
GAME = next(name for name in rulebook_names() if "target" in make_rulebook(name).parameters)


def plan(folder: Path, text: str) -> list[Task]:
    file = folder / "some.toml"
    file.write_text(text.replace("GAME", GAME), encoding="utf-8")
    return read_plan(file)


@pytest.mark.parametrize("file", sorted((ROOT / "configs" / "sweeps").glob("*.toml")), ids=lambda file: file.stem)
def test_every_named_sweep_can_be_read_and_says_what_it_is_for(file: Path) -> None:
    assert read_plan(file)
    assert file.read_text(encoding="utf-8").startswith("# ")


def test_the_record_is_every_game_with_the_default_agent_as_it_is() -> None:
    names = {task.name for task in read_plan(ROOT / "configs" / "sweeps" / "record.toml")}
    assert names == {resolve(env=env, seed=n).path("").as_posix() for env in rulebook_names() for n in range(59)}


def test_lists_are_crossed_and_zipped_lists_go_together(tmp_path: Path) -> None:
    tasks = plan(
        tmp_path,
        """
env = "GAME"
agent = ["q-learning", "sarsa"]
seeds = "0-1, 5"
parameters.target = [20, 30]
settings.steps = [100, 200]
settings.discount = [0.9, 0.8]
zip = ["parameters.target", "settings.steps"]
""",
    )
    found = [
        (task.settings.agent, task.settings.book.parameters["target"], vars(task.settings.options), task.settings.seed)
        for task in tasks
    ]
    assert [(agent, target, given["steps"], given["discount"], seed) for agent, target, given, seed in found] == [
        (agent, target, steps, discount, seed)
        for agent in ("q-learning", "sarsa")
        for target, steps in ((20, 100), (30, 200))
        for discount in (0.9, 0.8)
        for seed in (0, 1, 5)
    ]


def test_a_block_wins_over_what_all_share(tmp_path: Path) -> None:
    tasks = plan(
        tmp_path,
        """
env = "GAME"
agent = "q-learning"
seeds = 3
settings = { steps = 100, discount = 0.5 }
[[runs]]
label = "as above"
[[runs]]
label = "longer"
settings.steps = 200
[[runs]]
agent = "sarsa"
seeds = [1, 2]
""",
    )
    assert [(t.label, t.settings.agent, t.settings.seed, t.settings.options.steps) for t in tasks] == [
        ("as above", "q-learning", 3, 100),
        ("longer", "q-learning", 3, 200),
        ("", "sarsa", 1, 100),
        ("", "sarsa", 2, 100),
    ]
    assert {vars(task.settings.options)["discount"] for task in tasks} == {0.5}


def test_all_is_every_game_there_is(tmp_path: Path) -> None:
    assert [task.settings.book.name for task in plan(tmp_path, 'env = "all"')] == rulebook_names()


def test_all_blocks_together_have_a_limit_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("training.sweeps.plan.MOST_RUNS", 3)
    text = 'env = "GAME"\n[[runs]]\nseeds = "0-1"\n[[runs]]\nseeds = "2-LAST"\n'
    assert len(plan(tmp_path, text.replace("LAST", "2"))) == 3
    with pytest.raises(Mistake, match="block 2: asks for one run more than the 3"):
        plan(tmp_path, text.replace("LAST", "3"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('env = "GAME"\nagent = "q-learning"\nsettings.epsilom = 1', "did you mean epsilon"),
        ('env = "GAME"\nagent = "q-learning"\nsettings.epsilon = [0.5, 2]', "epsilon=2"),
        ('env = "GAME"\nparameters.targte = 1', "did you mean target"),
        ('env = "all"\nparameters.target = 9', "no such parameter: target"),
        ("env = []", "env is an empty list"),
        ("env = 3", "env=3 is not a name"),
        ('env = ["GAME", "GAME"]', "GAME is given twice"),
        ('env = "GAME"\nlabel = 3', "label=3 is not a text"),
        ('env = "GAME"\nseeds = []', "seeds is an empty list"),
        ("runs = []", "nothing to run"),
        ("runs = 5", "two brackets"),
        ('env = "GAME"\nseeds = "0-4, 3"', "3 is given twice"),
        ('env = "GAME"\nseeds = "4-0"', "the smaller number first"),
        ('env = "GAME"\nseeds = -1', "is no seed"),
        ('env = "GAME"\nseeds = true', "is no seed"),
        ('env = "GAME"\nseeds = 1.5', "is no seed"),
        ('env = "GAME"\nseeds = "9999999999999999999"', "less than"),
        ('env = "GAME"\nseeds = "0-99999999999"', "at most 100,000"),
        ('env = "all"\nseeds = "0-999999"', "at most 100,000"),
        (
            'env = "GAME"\n' + "".join(f"settings.{key} = {[*range(1, 90)]}\n" for key in PPO_NUMBERS),
            f"{89 ** len(PPO_NUMBERS):,} runs; a sweep has at most 100,000",
        ),
        ('env = "GAME"\n[[runs]]\n[[runs]]\n', "block 2: asks for GAME/ppo/seed-0 once more"),
        ('env = "GAME"\nsettings = 3', "not a table"),
        ('env = "GAME"\n[[runs]]\n[runs.settigns]\nsteps = 1', "block 1: no such key: settigns; did you mean settings"),
        ("seeds = 1", "names no game"),
        ('env = "GAME"\nzip = ["settings.steps"]', "no such list"),
        (
            'env = "GAME"\nzip = ["settings.steps", "settings.games"]\nsettings = {steps = [1, 2], games = [1, 2, 3]}',
            "settings.steps has 2, settings.games has 3",
        ),
        ("env = = 3", "not TOML"),
    ],
)
def test_what_cannot_be_run_is_refused_and_told_where(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(Mistake) as caught:
        plan(tmp_path, text)
    assert told.replace("GAME", GAME) in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "some.toml"))
