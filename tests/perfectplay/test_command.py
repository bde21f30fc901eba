"""The command `perfectplay`: in a clone, and from a wheel in an empty folder, beside whatever lies there."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from base.command import MODULES, SCRIPTS
from games import rulebook_names
from perfectplay.__main__ import ABOUT

ROOT = Path(__file__).parents[2]


def start(place: Path, cwd: Path, *words: str, input: str = "") -> subprocess.CompletedProcess[str]:
    """As the installed command starts: with the folder of the packages on the path, and not the one that we are in."""
    code = f"import sys; sys.path[0] = {str(place)!r}; sys.argv[0] = 'perfectplay'\n"
    code += "from perfectplay.__main__ import start; start()"
    words = (sys.executable, "-c", code, *words)
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300, check=False, env={}, input=input)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel of this tree puts beside other packages."""
    folder = tmp_path_factory.mktemp("wheel")
    tree, wheels, packages = folder / "tree", folder / "wheels", folder / "packages"
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    for name in filter(None, files.stdout.split("\n")):
        if (ROOT / name).is_file():  # a copy: setuptools builds in place
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(wheels)]
    subprocess.run([*pip, str(tree)], check=True, capture_output=True)
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        wheel.extractall(packages)
    return packages


def test_every_command_helps_by_its_own_name() -> None:
    assert set(ABOUT) == {*SCRIPTS, *MODULES}
    for name in ABOUT:
        done = start(ROOT, ROOT, name, "--help")
        assert (done.returncode, done.stderr) == (0, ""), name
        assert done.stdout.startswith(f"usage: perfectplay {name} ")


def test_without_a_command_they_are_listed_and_a_wrong_one_is_told() -> None:
    listed = start(ROOT, ROOT)
    assert listed.returncode == 0
    assert all(f"\n  {name} " in listed.stdout for name in ABOUT)
    wrong = start(ROOT, ROOT, "trian")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("perfectplay: no such command: trian; did you mean train?")


def test_a_wheel_trains_and_evaluates_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    words = ["--env", "fifty-wins", "--param", "target=20", "--agent", "q-learning", "--set", "steps=20000"]
    trained = start(installed, tmp_path, "train", *words)
    assert trained.returncode == 0, trained.stderr
    following = [line for line in trained.stdout.splitlines() if line.startswith(("next", "play"))]
    assert len(following) == 2
    for line in following:  # what it says is next can be copied
        command, *arguments = line.split()[1:]
        assert command == "perfectplay"
        done = start(installed, tmp_path, *arguments, input="quit\n")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "results" / "index.html").is_file()
    again = start(installed, tmp_path, "train", *words)
    assert (again.returncode, "add --resume" in again.stderr) == (2, True)


@pytest.mark.parametrize("command", ["sweep", "ladder", "games"])
def test_a_wheel_brings_its_sweeps_ladders_and_games(installed: Path, tmp_path: Path, command: str) -> None:
    done = start(installed, tmp_path, command)
    names = {"games": rulebook_names()}.get(command) or [file.stem for file in (ROOT / f"configs/{command}s").glob("*")]
    assert names
    assert all(name in done.stdout for name in names)


def test_a_sweep_of_ours_is_known_by_its_name_in_any_folder(installed: Path, tmp_path: Path) -> None:
    refused = start(installed, tmp_path, "sweep", "smoek")
    assert (refused.returncode, "smoke" in refused.stderr) == (2, True)
    (tmp_path / "smoke").mkdir()  # what lies there comes before ours
    assert start(installed, tmp_path, "sweep", "smoke").returncode == 2


def test_the_command_works_in_a_project_with_rooms_of_the_same_names(installed: Path, tmp_path: Path) -> None:
    for name in ("envs", "agents", "games", "base"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('theirs was imported')")
    (tmp_path / "train.py").write_text("raise SystemExit('theirs was imported')")
    words = ["--env", "fifty-wins", "--param", "target=20", "--agent", "q-learning", "--set", "steps=2000"]
    done = start(installed, tmp_path, "train", *words)
    assert done.returncode == 0, done.stderr
    assert start(installed, tmp_path, "evaluate", "runs").returncode == 0


def test_a_wheel_brings_the_standard_set_of_questions(installed: Path, tmp_path: Path) -> None:
    done = start(installed, tmp_path, "exam", "--export", "q.jsonl", "--count", "20")
    assert done.returncode == 0, done.stderr
    assert "next  perfectplay exam --score" in done.stdout
    assert len((tmp_path / "q.jsonl").read_text("utf-8").splitlines()) == 20
