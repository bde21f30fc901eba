"""train.py as people meet it: real processes, real signals, exit codes and bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents.settings import AGENTS
from games import make_rulebook, rulebook_names

ROOT = Path(__file__).parent.parent
GAME = next(name for name in rulebook_names() if "target" in make_rulebook(name).parameters)
COMPARED = ("settings.toml", "curve.csv", "snapshots.npz", "policy.npz", "scorecard.json")


def command(*words: object) -> list[str]:
    return [sys.executable, str(ROOT / "train.py"), *map(str, words)]


def train(*words: object, **env: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, **env}
    return subprocess.run(command(*words), capture_output=True, text=True, cwd=ROOT, env=given, timeout=120)


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
        ("--env GAME --steps 0", "steps=0"),
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


KILLED = [
    "q-learning",
    "monte-carlo",
    *(pytest.param(agent, marks=pytest.mark.slow) for agent in ("sarsa", "value-iteration", "sweep-back", "ppo")),
]


def test_every_agent_is_killed_somewhere() -> None:
    assert {getattr(agent, "values", (agent,))[0] for agent in KILLED} == set(AGENTS)


@pytest.mark.parametrize("agent", KILLED)
def test_five_kills_and_resumes_leave_the_same_bytes(agent: str, tmp_path: Path) -> None:
    steps = {"monte-carlo": "2e7", "ppo": "1.5e6", "sweep-back": "4e8"}.get(agent, "6e7")  # about as long
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


def test_tensorboard_has_the_tags_people_know_and_the_exact_ones(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    done = train("--env", GAME, "--agent", "q-learning", "--steps", 2000, "--out", tmp_path, "--tensorboard", "--quiet")
    assert done.returncode == 0, done.stderr
    (events,) = tmp_path.rglob("events.out.tfevents.*")
    content = events.read_bytes()
    assert all(
        tag in content for tag in (b"time/fps", b"time/total_timesteps", b"exact/blunders", b"exact/exploitability")
    )
