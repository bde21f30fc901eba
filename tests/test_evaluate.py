"""evaluate.py as people meet it."""

from __future__ import annotations

import io
import json
import runpy
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from agents.saved import load
from games import Policy, rulebook_names
from tests.books import need_module
from training.loop import train
from training.resolve import resolve
from training.run import Run

ROOT = Path(__file__).parent.parent
GAME = rulebook_names()[0]


def evaluate(out: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The command in this process: the same words, streams and exit code, without a second start of numba."""
    command = ["evaluate.py", "--out", str(out), *map(str, words)]
    answers, complaints = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(answers), redirect_stderr(complaints):
        patch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as left:
            runpy.run_path(str(ROOT / "evaluate.py"), run_name="__main__")
    code = left.value.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(command, code, answers.getvalue(), complaints.getvalue())


@pytest.fixture
def run(tmp_path: Path) -> Path:
    settings = resolve(env=GAME, agent="q-learning", changes={"steps": 3000})
    place = Run(settings.path(tmp_path / "runs"))
    train(settings, place)
    return place.path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results"


def test_a_broken_run_is_named_in_one_line_and_left_out(run: Path, out: Path, tmp_path: Path) -> None:
    broken = run.with_name("seed-1")
    broken.mkdir()
    (broken / "settings.toml").write_text("")
    (broken / "policy.npz").write_bytes(b"PK nonsense")
    done = evaluate(out, tmp_path / "runs", tmp_path / "nowhere")
    assert done.returncode == 0
    assert done.stdout.endswith(f"page  {out / 'index.html'}\n")
    assert "\nq-learning seed 0 " in done.stdout
    lines = done.stderr.splitlines()
    assert [str(broken) in lines[0], "nowhere" in lines[1], len(lines)] == [True, True, 2]
    document = json.loads((out / "report.json").read_text())
    assert [f"left out: {line}" for line in document["left_out"]] == lines
    assert document["games"][0]["players"][0]["name"] == "q-learning seed 0"
    assert evaluate(out, run, broken, "--require", "perfect").returncode == 1


def test_a_gate_opens_for_the_perfect_alone(run: Path, out: Path, tmp_path: Path) -> None:
    assert evaluate(tmp_path / "gate", run, "--require", "perfect").returncode == 0
    graph = load(run).graph
    Policy.uniform(graph).save(tmp_path / "uniform.npz")
    done = evaluate(out, run, tmp_path / "uniform.npz", "--require", "perfect", "--latex")
    assert (done.returncode, done.stderr) == (1, "")
    assert "\nuniform #2 " in done.stdout
    assert sorted(file.name for file in out.iterdir()) == ["index.html", "report.json", "report.md", "tables.tex"]


def test_two_folders_are_compared_by_seed(run: Path, out: Path) -> None:
    other = resolve(env=GAME, agent="sarsa", changes={"steps": 300})
    place = Run(other.path(run.parents[2]))
    train(other, place)
    done = evaluate(out, "--compare", run.parent, place.path.parent)
    assert done.returncode == 0, done.stderr
    pairs = json.loads((out / "report.json").read_text())["comparison"]["games"][0]["pairs"]
    blunders = [json.loads((folder / "scorecard.json").read_text())["blunders"] for folder in (run, place.path)]
    assert [[pair[side]["blunders"] for side in "ab"] for pair in pairs] == [blunders]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["NOWHERE"], "no such run"),
        (["--require", "perfect"], "needs a run"),
        (["--compare", "ppo", "sarsa"], "--compare needs runs"),
        (["--requires", "perfect"], "--help"),
    ],
)
def test_a_mistake_is_answered_in_a_line(words: list[str], answer: str, out: Path, tmp_path: Path) -> None:
    done = evaluate(out, *(word.replace("NOWHERE", str(tmp_path / "nowhere")) for word in words))
    assert (done.returncode, done.stdout) == (2, "")
    assert answer in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not out.exists()


def test_an_out_that_is_a_file_is_a_mistake(run: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    done = evaluate(tmp_path / "taken", run)
    assert (done.returncode, "choose another --out" in done.stderr) == (2, True)
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_scorecard_that_flatters_its_policy_is_not_shown(run: Path, out: Path) -> None:
    card = run / "scorecard.json"
    card.write_text(card.read_text().replace('"blunders": 0', '"blunders": 1'))
    done = evaluate(out, run)
    assert done.returncode == 2
    assert "tells of blunders 1, and it is 0" in done.stderr


def test_a_transcript_is_annotated(out: Path, tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    games.write_text('{"game": "number-flip", "moves": [8, 7, 9, 8, 7, 6, 5]}\n')
    done = evaluate(out, games)
    assert done.returncode == 0, done.stderr
    recorded = json.loads((out / "report.json").read_text())["games"][0]["recorded"]
    assert (recorded["count"], recorded["games"][0]["result"]) == (1, "second wins")
    with games.open("a") as file:
        file.write('{"game": "number-flip", "mo')  # its recorder was killed
    done = evaluate(out, games)
    assert (done.returncode, done.stderr.count("games.jsonl:2: not JSON")) == (0, 1)
    assert json.loads((out / "report.json").read_text())["games"][0]["recorded"]["count"] == 1
    games.write_text("{}\n")
    assert evaluate(out, games).returncode == 2


def test_help_answers_without_torch_or_numba() -> None:
    code = "import sys; sys.argv = ['evaluate.py', '--help']; import runpy\n"
    code += "try: runpy.run_path('evaluate.py', run_name='__main__')\nexcept SystemExit: pass\n"
    code += "print([name for name in ('numba', 'torch', 'scipy', 'jinja2') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.stdout.endswith("[]\n"), done


@pytest.mark.slow
def test_without_a_run_every_game_shows_its_baselines(out: Path) -> None:
    done = evaluate(out)
    assert done.returncode == 0
    assert done.stdout.count("\noptimal ") == len(rulebook_names())
    text = (out / "report.md").read_text()
    assert text.count("| optimal |") == len(rulebook_names())


def test_a_report_of_something_else_is_not_replaced_in_silence(run: Path, out: Path) -> None:
    assert evaluate(out, run).stderr == ""
    assert evaluate(out, run).stderr == ""  # the same report again
    done = evaluate(out, run, "--latex")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{out}: took the place of the report of: python evaluate.py --out")


def test_figures_are_drawn_beside_the_page(run: Path, out: Path) -> None:
    need_module("matplotlib")
    done = evaluate(out, run, "--figures")
    assert (done.returncode, done.stderr) == (0, "")
    assert "figures  4 files" in done.stdout
    assert sorted(file.suffix for file in (out / "figures").iterdir()) == [".png", ".png", ".svg", ".svg"]
