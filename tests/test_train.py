"""train.py as people meet it: real processes, real signals, exit codes and bytes."""

from __future__ import annotations

import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents.settings import AGENTS
from games import make_rulebook, rulebook_names
from tests.books import need_module

ROOT = Path(__file__).parent.parent
GAME = next(name for name in rulebook_names() if "target" in make_rulebook(name).parameters)
COMPARED = ("settings.toml", "curve.csv", "snapshots.npz", "policy.npz", "scorecard.json")


def command(*words: object) -> list[str]:
    return [sys.executable, str(ROOT / "train.py"), *map(str, words)]


def train(*words: object, cwd: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, **env}
    return subprocess.run(command(*words), capture_output=True, text=True, cwd=cwd, env=given, timeout=120)


def results(run: Path) -> dict[str, bytes]:
    return {name: (run / name).read_bytes() for name in COMPARED}


def test_help_answers_at_once_and_loads_nothing_heavy() -> None:
    code = "import sys; sys.argv = ['train.py', '--help']; import runpy\n"
    code += "try: runpy.run_path('train.py', run_name='__main__')\nexcept SystemExit: pass\n"
    code += "print([name for name in ('numba', 'torch', 'scipy', 'rich') if name in sys.modules])"
    before = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.stdout.endswith("[]\n"), done
    assert time.monotonic() - before < 2.0  # well under 1 on a machine of its own
    for agent in AGENTS:
        assert agent in done.stdout


def test_without_arguments_it_lists_games_and_agents() -> None:
    done = train()
    assert done.returncode == 0
    assert all(name in done.stdout for name in [*rulebook_names(), *AGENTS])


def test_a_run_ends_with_its_scorecard_its_path_and_the_next_command(tmp_path: Path) -> None:
    done = train("--env", GAME, "--agent", "q-learning", "--out", tmp_path)
    run = tmp_path / GAME / "q-learning" / "seed-0"
    assert done.returncode == 0, done.stderr
    assert "blunders         0 of" in done.stdout
    assert f"next  python evaluate.py {run}" in done.stdout
    assert "perfect          yes: first at step" in done.stdout
    again = train("--env", GAME, "--agent", "q-learning", "--out", tmp_path)
    assert again.returncode == 2
    assert "--resume" in again.stderr
    kept = results(run)
    resumed = train("--env", GAME, "--agent", "q-learning", "--out", tmp_path, "--resume")
    assert (resumed.returncode, resumed.stdout) == (0, done.stdout)
    assert (
        train(
            "--env", GAME, "--agent", "q-learning", "--out", tmp_path, "--overwrite", "--quiet", PYTHONHASHSEED="77"
        ).stdout
        == ""
    )
    assert results(run) == kept


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--env number-flop", "did you mean number-flip"),
        ("--env GAME --agent q-lerning", "did you mean q-learning"),
        ("--env GAME --agent q-learning --set epsilom=1", "did you mean epsilon"),
        ("--env GAME --agent q-learning --set epsilon", "KEY=VALUE"),
        ("--env GAME --agent q-learning --set epsilon=2", "epsilon=2"),
        ("--env GAME --agent q-learning --set opponent=optimla", "did you mean optimal"),
        ("--env GAME --param targte=3", "did you mean target"),
        ("--env GAME --param target=0", "at least 1"),
        ("--env GAME --agent q-learning --steps 0", "steps=0"),
        ("--env GAME --steps -5", "steps=-5"),
        ("--env GAME --steps lots", "steps=lots"),
        ("--env GAME --seed -1", "seed=-1"),
        ("--env GAME --config TMP/broken.toml", "not TOML"),
        ("--env GAME --config TMP/odd.toml", "put it under [settings]"),
        ("--env GAME --config TMP/none.toml", "cannot be read"),
        ("--env GAME --resume", "no run to resume"),
        ("--env GAME --out TMP/broken.toml", "cannot be written"),
        ("--env GAME --resume --overwrite", "not allowed with"),
        ("--algo ppo --env GAME", "did you mean --agent"),
        ("--env-id GAME", "did you mean --env?"),
        ("--env GAME --total_timesteps=5", "did you mean --steps"),
        ("--agent sarsa", "--env is missing"),
        ("--env GAME --stpes 5", "--stpes"),
        ("--env GAME --tensorboard", "did you mean --track tensorboard"),
        ("--env GAME --agent nowhere.py", "no such file"),
        ("--env GAME --agent examples/chat_player.py", "holds no learner"),
        ("--env GAME --set batch=99999", "batch=99999 is more than games"),
        ("--env GAME --tune none", "--tune none"),
    ],
)
def test_a_mistake_is_one_line_code_2_and_leaves_nothing(words: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("steps = = 3\n")
    (tmp_path / "odd.toml").write_text("steps = 3\n")
    before = sorted(tmp_path.rglob("*"))
    given = words.replace("GAME", GAME).replace("TMP", str(tmp_path)).split()
    done = train(*given, *([] if "--out" in words else ["--out", tmp_path / "runs"]))
    assert (done.returncode, done.stdout) == (2, ""), done
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_with_other_settings_is_left_alone(tmp_path: Path) -> None:
    train("--env", GAME, "--agent", "q-learning", "--steps", 1000, "--out", tmp_path, "--quiet")
    (run,) = [file.parent for file in tmp_path.rglob("settings.toml")]
    settings = run / "settings.toml"
    settings.write_text(settings.read_text().replace("discount = 0.99", "discount = 0.5"))
    before = results(run)
    done = train("--env", GAME, "--agent", "q-learning", "--steps", 1000, "--out", tmp_path, "--resume")
    assert done.returncode == 2
    assert "other settings (discount = 0.5)" in done.stderr
    assert results(run) == before


def wait_for(condition: object, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, "the run ended before it could be stopped"
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.002)


MY = "examples/my_learner.py"
KILLED = [
    "q-learning",
    "monte-carlo",
    *(
        pytest.param(agent, marks=pytest.mark.slow)
        for agent in ("sarsa", "value-iteration", "sweep-back", "trace-back")
    ),
    *(pytest.param(agent, marks=pytest.mark.slow) for agent in ("ppo", "dqn", "family", "expert-iteration", MY)),
]


def test_every_agent_is_killed_somewhere() -> None:
    assert {getattr(agent, "values", (agent,))[0] for agent in KILLED} == {*AGENTS, MY}


@pytest.mark.parametrize("agent", KILLED)
def test_five_kills_and_resumes_leave_the_same_bytes(agent: str, tmp_path: Path) -> None:
    lasting = {"monte-carlo": "2e7", "sweep-back": "4e8", "trace-back": "4e8", "ppo": "1.5e6", "dqn": "5e5"}
    steps = {**lasting, "expert-iteration": "4e5", "family": "2e5", MY: "3e6"}.get(agent, "6e7")  # about as long
    words = ["--env", GAME, "--agent", agent, "--steps", steps, "--set", "evaluations=40", "--quiet"]
    assert train(*words, "--out", tmp_path / "whole").returncode == 0
    whole = next((tmp_path / "whole").rglob("settings.toml")).parent
    run = tmp_path / "killed" / whole.relative_to(tmp_path / "whole")
    chance = random.Random(agent)
    for kill in range(5):
        before = set(run.glob("checkpoint/*.npz"))
        process = subprocess.Popen(
            command(*words, "--out", tmp_path / "killed", *(["--resume"] if kill else [])), cwd=ROOT
        )
        wait_for(lambda known=before: set(run.glob("checkpoint/*.npz")) - known, process)
        time.sleep(chance.uniform(0, 0.2))
        process.kill()
        assert process.wait() == -signal.SIGKILL
        assert list(run.glob("checkpoint/*.npz"))  # after the first checkpoint
        assert not (run / "scorecard.json").exists()  # and before the end
    assert train(*words, "--out", tmp_path / "killed", "--resume", PYTHONHASHSEED="5").returncode == 0
    assert results(run) == results(whole)
    assert not list(run.rglob("*.partial")) or all(file.name not in COMPARED for file in run.rglob("*.partial"))


def test_ctrl_c_saves_says_how_to_go_on_and_exits_130(tmp_path: Path) -> None:
    words = ["--env", GAME, "--agent", "q-learning", "--steps", "1e12", "--out", tmp_path]
    process = subprocess.Popen(command(*words), cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    wait_for(lambda: list(tmp_path.rglob("checkpoint/*.npz")), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert out == b""
    assert b"--resume" in err.splitlines()[-1]
    assert b"Traceback" not in err
    run = next(tmp_path.rglob("settings.toml")).parent
    assert (run / "curve.csv").exists()
    assert not (run / "scorecard.json").exists()


def test_a_terminal_shows_a_live_line(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    words = command("--env", GAME, "--agent", "q-learning", "--steps", "5e6", "--out", tmp_path)
    child = pexpect.spawn(words[0], words[1:], cwd=str(ROOT), timeout=60, dimensions=(24, 200))
    child.expect("steps/s")
    child.expect("next  python evaluate.py")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def tracked(tracker: str, out: Path, **env: str) -> Path:
    need_module({"tensorboard": "tensorboard.summary"}.get(tracker, tracker))
    words = ["--env", GAME, "--agent", "q-learning", "--steps", 2000, "--set", "evaluations=5", "--quiet"]
    done = train(*words, "--out", out / "runs", "--track", tracker, cwd=out, **env)
    assert done.returncode == 0, done.stderr
    return next(out.rglob("settings.toml")).parent


def test_tensorboard_has_the_tags_people_know_and_the_exact_ones(tmp_path: Path) -> None:
    (events,) = tracked("tensorboard", tmp_path).rglob("events.out.tfevents.*")
    content = events.read_bytes()
    assert all(
        tag in content for tag in (b"time/fps", b"time/total_timesteps", b"exact/blunders", b"exact/exploitability")
    )


@pytest.mark.slow
def test_ppo_tells_a_tracker_what_sb3_tells_its_own(tmp_path: Path) -> None:
    need_module("tensorboard.summary")
    small = ["--set", "games=64", "--set", "batch=512", "--steps", 4096, "--quiet", "--track", "tensorboard"]
    assert train("--env", GAME, *small, "--out", tmp_path).returncode == 0
    (events,) = tmp_path.rglob("events.out.tfevents.*")
    known = ("entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl", "clip_fraction", "explained_variance")
    for tag in known:
        assert f"train/{tag}".encode() in events.read_bytes()


@pytest.mark.slow
def test_wandb_keeps_settings_numbers_and_the_page_offline(tmp_path: Path) -> None:
    tracked("wandb", tmp_path, WANDB_MODE="offline", WANDB_SILENT="true")
    (log,) = tmp_path.rglob("run-*.wandb")
    content = log.read_bytes()
    assert all(word in content for word in (b"exact/blunders", b"step_size", b"index.html"))


@pytest.mark.slow
def test_mlflow_keeps_settings_numbers_and_the_page_in_a_local_database(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'mlflow.db'}"
    run = tracked("mlflow", tmp_path, MLFLOW_TRACKING_URI=database, MLFLOW_DEFAULT_ARTIFACT_ROOT=str(tmp_path / "kept"))
    import sqlite3

    with sqlite3.connect(tmp_path / "mlflow.db") as connection:
        steps = [step for (step,) in connection.execute("SELECT step FROM metrics WHERE key = 'exact/blunders'")]
        settings = dict(connection.execute("SELECT key, value FROM params"))
        (status,) = connection.execute("SELECT status FROM runs").fetchone()
        (kept,) = connection.execute("SELECT artifact_uri FROM runs").fetchone()
    rows = (run / "curve.csv").read_text().splitlines()[1:]
    assert sorted(steps) == [int(row.split(",")[0]) for row in rows]
    assert (settings["agent"], settings["settings.discount"], status) == ("q-learning", "0.99", "FINISHED")
    assert (Path(kept.removeprefix("file://")) / "index.html").is_file()


def test_a_run_that_is_not_perfect_shows_its_worst_moves_and_what_to_try(tmp_path: Path) -> None:
    done = train("--env", GAME, "--agent", "q-learning", "--steps", 2000, "--out", tmp_path)
    lines = done.stdout.splitlines()
    assert sum(line.startswith("  worst") and "keeps the value" in line for line in lines) == 3
    (tried,) = [line.removeprefix("try   ") for line in lines if line.startswith("try ")]
    assert tried == f"python train.py --env {GAME} --agent q-learning --set steps=4000"
    (played,) = [line.removeprefix("play  ") for line in lines if line.startswith("play ")]
    words = [sys.executable, str(ROOT / "play.py"), *shlex.split(played)[2:]]
    game = subprocess.run(words, input="", capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert game.returncode == 0, game.stderr
    perfect = train("--env", GAME, "--agent", "q-learning", "--out", tmp_path).stdout
    assert "worst  " not in perfect
    assert "\ntry " not in perfect


MINE = """
import time
from games import Policy

class Mine:
    def __init__(self, settings, graph, seed):
        self.graph, self.made = graph, 0
    def advance(self, steps):
        self.made += steps
        BODY
        return steps
    def policy(self):
        return Policy.greedy(self.graph, self.graph.legal)
"""


def mine(folder: Path, body: str) -> Path:
    (folder / "mine.py").write_text(MINE.replace("BODY", body))
    return folder / "mine.py"


def test_help_of_a_learner_of_ones_own_lists_its_settings() -> None:
    done = train("--agent", "examples/my_learner.py", "--help")
    assert "step_size=1.0" in done.stdout
    assert "gae_lambda" not in done.stdout


def test_a_crash_in_a_learner_is_one_line_and_nothing_is_lost(tmp_path: Path) -> None:
    learner = mine(tmp_path, "assert self.made < 900, 'no further'")
    done = train("--env", GAME, "--agent", learner, "--steps", 1000, "--out", tmp_path / "runs")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == f"{learner}: advance failed (AssertionError, line 10: no further)"
    assert "Traceback" not in done.stderr
    run = next(tmp_path.rglob("settings.toml")).parent
    assert len((run / "curve.csv").read_text().splitlines()) > 20


def test_a_learner_that_never_returns_is_left_by_a_second_ctrl_c(tmp_path: Path) -> None:
    learner = mine(tmp_path, "time.sleep(3600) if self.made > 150 else None")
    words = ["--env", GAME, "--agent", learner, "--steps", 1000, "--out", tmp_path / "runs"]
    process = subprocess.Popen(command(*words), cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    wait_for(lambda: list(tmp_path.rglob("curve.csv")), process)
    time.sleep(0.5)  # it sleeps by now
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert b"cannot be resumed" in err.splitlines()[-1]
    assert b"Traceback" not in err


def test_a_search_for_settings_goes_on_where_it_stopped_and_prints_what_repeats_its_best(tmp_path: Path) -> None:
    need_module("optuna")
    words = ["--env", GAME, "--agent", "q-learning", "--steps", "2e5", "--out", tmp_path, "--tune"]
    first, second = train(*words, 2), train(*words, 4)
    assert (first.returncode, second.returncode) == (0, 0), second.stderr
    assert [line.split(":")[0] for line in second.stdout.splitlines()[:2]] == ["trial 3 of 4", "trial 4 of 4"]
    steps = re.search(r"best  ([\d,]+) steps to perfect", second.stdout)
    repeat = next(line for line in second.stdout.splitlines() if line.startswith("next "))
    assert steps is not None
    done = train(*shlex.split(repeat)[3:], "--until", "perfect", "--out", tmp_path)
    assert f"perfect          yes: first at step {steps[1]}," in done.stdout


def test_a_larger_budget_goes_on_where_the_smaller_one_ended_or_says_why_not(tmp_path: Path) -> None:
    words = ["--env", GAME, "--out", tmp_path, "--agent", "q-learning"]
    train(*words, "--steps", 4000, "--quiet")
    done = train(*words, "--steps", 9000, "--resume")
    assert done.returncode == 0, done.stderr
    assert "going on from the 4,000 steps" in done.stderr
    words[-1] = "monte-carlo"
    train(*words, "--steps", 4000, "--quiet")
    done = train(*words, "--steps", 9000, "--resume")
    assert done.returncode == 2
    assert "epsilon followed its budget until the end of its 4,000 steps" in done.stderr
    assert "leave out --resume" in done.stderr
    assert done.stderr.count("\n") == 1


def test_that_a_run_exists_or_is_finished_is_said_before_torch_is_loaded(tmp_path: Path) -> None:
    words = ["--env", GAME, "--out", str(tmp_path), "--set", "games=64", "--set", "batch=512", "--steps", "1024"]
    assert train(*words, "--quiet").returncode == 0
    for more, code in (([], 2), (["--resume"], 0)):
        text = f"import sys, runpy; sys.argv = {['train.py', *words, *more]!r}\n"
        text += "try: runpy.run_path('train.py', run_name='__main__')\nexcept SystemExit as end: print(end.code)\n"
        text += "print('torch' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT, timeout=60)
        assert done.stdout.splitlines()[-2:] == [str(code), "False"], done


def test_progress_names_no_time_before_it_can_and_no_step_beyond_the_budget(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    words = command("--env", GAME, "--steps", "20000", "--set", "games=256", "--set", "batch=512", "--out", tmp_path)
    child = pexpect.spawn(words[0], words[1:], cwd=str(ROOT), timeout=60, dimensions=(24, 250), encoding="utf-8")
    child.expect("next  python")
    shown = re.findall(r"step ([\d,]+) of ([\d,]*\d)(.*?)blunders", child.before)
    child.expect(pexpect.EOF)
    child.close()
    assert shown
    assert {total for _, total, _ in shown} == {"20,000"}
    assert max(int(done.replace(",", "")) for done, _, _ in shown) == 20_000  # a rollout more was played
    assert "left" not in shown[0][2]


def test_a_learner_that_catches_ctrl_c_is_ended_by_the_third(tmp_path: Path) -> None:
    stubborn = """while self.made > 150:
            try:
                time.sleep(3600)
            except BaseException:
                pass"""
    words = ["--env", GAME, "--agent", mine(tmp_path, stubborn), "--steps", 1000, "--out", tmp_path / "runs"]
    process = subprocess.Popen(command(*words), cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    wait_for(lambda: list(tmp_path.rglob("curve.csv")), process)
    for _ in range(3):
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT, err
    assert len(next(tmp_path.rglob("curve.csv")).read_text().splitlines()) > 1
