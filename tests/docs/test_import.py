"""The section on games from elsewhere: the stranger's file as printed, then every command in one folder."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from envs import PettingZooEnv, SoloVectorEnv, TwoPlayerEnv
from games import read_game

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Bring a game from elsewhere")[2].partition("\n## ")[0]
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", SECTION, re.DOTALL) for line in block.splitlines()]


def run(folder: Path, command: str, typed: str = "") -> str:
    words = re.findall(r'"[^"]*"|\S+', command)
    script = [str(ROOT / words[1])] if words[1].endswith(".py") else [words[1]]
    done = subprocess.run(
        [sys.executable, *script, *(word.strip('"') for word in words[2:])],
        capture_output=True,
        text=True,
        cwd=folder,
        input=typed,
        env={"PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder after all commands, and what each said."""
    folder = tmp_path_factory.mktemp("elsewhere")
    printed = re.search(r"`(\w+\.py)`:\n\n```python\n(.*?)```", SECTION, re.DOTALL)
    assert printed
    (folder / printed[1]).write_text(printed[2], encoding="utf-8")
    (folder / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "random_player.py", folder / "examples")
    said = {}
    for number, command in enumerate(COMMANDS):
        said[command] = run(folder, command, "hint\n0\n1\n2\n3\n4\n5\n6\n0\n1\n2\n3\n4\n5\n6\nquit\n")
        if not number:
            (folder / printed[1]).unlink()  # none of that code is needed any more
    return folder, said


def test_the_commands_of_the_section_work_in_their_order(told: tuple[Path, dict[str, str]]) -> None:
    folder, said = told
    assert len(said) >= 9
    assert "positions" in said[COMMANDS[0]]
    assert "FAILED" not in "".join(said.values())
    card = json.loads(next((folder / "runs").rglob("scorecard.json")).read_text())
    assert card["states"] == read_game(folder / "strip.game").graph.num_states
    assert (folder / "results" / "index.html").is_file()


def test_every_door_takes_the_file_with_the_observations_of_the_env_itself(told: tuple[Path, dict[str, str]]) -> None:
    book = read_game(told[0] / "strip.game")
    env = TwoPlayerEnv(book, observation="own")
    seen, _ = env.reset()
    assert seen.tolist() == [0] * 7
    seen, *_ = env.step(3)
    assert seen.tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert env.observation_space.contains(seen)
    fast = SoloVectorEnv(book, 3, observation="own")
    assert fast.reset(seed=0)[0].shape == (3, 7)
    other = PettingZooEnv(book, observation="own")
    other.reset()
    assert np.array_equal(other.observe("player_0"), np.zeros(7))
    assert book.words(book.start) == "board 0 0 0 0 0 0 0, current player 1"


@pytest.mark.slow
def test_a_run_of_it_is_resumed_and_swept_without_the_file_it_came_from(told: tuple[Path, dict[str, str]]) -> None:
    folder, _ = told
    run_folder = folder / "runs" / "strip" / "q-learning,steps=20000" / "seed-0"
    before = (run_folder / "policy.npz").read_bytes()
    again = "python train.py --env strip.game --agent q-learning --steps 20000 --resume"
    run(folder, again)
    assert (run_folder / "policy.npz").read_bytes() == before
    (folder / "two.toml").write_text(
        'env = "strip.game"\nagent = "q-learning"\nseeds = "0-1"\n[settings]\nsteps = 2000\nevaluations = 2\n', "utf-8"
    )
    run(folder, "python sweep.py two.toml --jobs 1 --quiet")
    assert len((folder / "sweeps" / "two" / "summary.csv").read_text().splitlines()) == 3
    (folder / "strip.game").unlink()
    run(folder, "python evaluate.py --out later")
    assert "strip" in (folder / "later" / "index.html").read_text(encoding="utf-8").lower()
