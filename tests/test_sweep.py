"""sweep.py as people meet it: real processes, real signals, exit codes and bytes."""

from __future__ import annotations

import csv
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from games import make_rulebook, rulebook_names
from tests.books import need_module
from training.sweeps.plan import read_plan

ROOT = Path(__file__).parent.parent
GAME = next(name for name in rulebook_names() if "target" in make_rulebook(name).parameters)
SMALL = f"""
env = "{GAME}"
agent = ["q-learning", "value-iteration"]
seeds = "0-2"
[settings]
steps = 20_000
evaluations = 5
"""


def command(*words: object) -> list[str]:
    return [sys.executable, str(ROOT / "sweep.py"), *map(str, words)]


def sweep(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, text=True, cwd=ROOT, timeout=180)


def written(folder: Path, text: str) -> Path:
    file = folder / "some.toml"
    file.write_text(text, encoding="utf-8")
    return file


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def wait_for(condition: Callable[[], object], process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, "the sweep ended before it could be stopped"
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.005)


def test_help_answers_at_once_and_loads_nothing_heavy() -> None:
    code = "import sys; sys.argv = ['sweep.py', '--help']; import runpy\n"
    code += "try: runpy.run_path('sweep.py', run_name='__main__')\nexcept SystemExit: pass\n"
    code += "print([name for name in ('numba', 'torch', 'scipy', 'joblib', 'ray', 'pydantic') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.stdout.endswith("[]\n"), done


def test_without_arguments_it_lists_the_named_sweeps() -> None:
    done = sweep()
    assert done.returncode == 0
    names = {file.name for file in (ROOT / "configs" / "sweeps").glob("*.toml")}
    assert {"smoke.toml", "record.toml", "tabular.toml", "scaling.toml", "ablation.toml"} <= names
    assert all(f"python sweep.py {name.removesuffix('.toml')} " in done.stdout for name in names)


def test_a_sweep_leaves_ordinary_runs_and_one_row_for_each(tmp_path: Path) -> None:
    file = written(tmp_path, SMALL)
    done = sweep(file, "--out", tmp_path, "--jobs", 2, "--parquet")
    assert done.returncode == 0, done.stderr
    assert "6 of 6 runs finished" in done.stdout
    table = rows(tmp_path / "some" / "summary.csv")
    assert [row["run"] for row in table] == [task.name for task in read_plan(file)]
    for row in table:
        card = json.loads((tmp_path / "some" / row["run"] / "scorecard.json").read_text())
        assert (row["blunders"], row["accuracy"]) == (str(card["blunders"]), repr(card["accuracy"]))
        assert (row["game"], row["agent"], row["seed"]) == (card["game"], card["agent"], str(card["seed"]))
        assert row["parameters.target"] == str(card["parameters"]["target"])
        assert (row["settings.steps"], row["status"]) == ("20000", "finished")
    for row in rows(tmp_path / "some" / "times.csv"):
        assert float(row["seconds"]) > 0
        assert float(row["cpu_seconds"]) > 0
    polars = pytest.importorskip("polars")
    frame = polars.read_parquet(tmp_path / "some" / "summary.parquet")
    assert frame["run"].to_list() == [row["run"] for row in table]
    assert frame["blunders"].to_list() == [int(row["blunders"]) for row in table]
    judged = subprocess.run(
        [sys.executable, "evaluate.py", tmp_path / "some", "--out", tmp_path / "page"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    assert judged.returncode == 0, judged.stderr
    told = judged.stdout
    assert all(row["agent"] in told and f"seed {row['seed']}" in told for row in table), told


def test_a_missing_library_for_parquet_is_told_before_anything_is_trained(tmp_path: Path) -> None:
    (tmp_path / "polars.py").write_text("raise ImportError")
    words = command(written(tmp_path, SMALL), "--out", tmp_path / "sweeps", "--parquet")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=60, env=environment)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    assert "--parquet needs polars" in done.stderr
    assert not (tmp_path / "sweeps").exists()


def test_a_sweep_that_was_killed_before_its_first_run_can_be_started_again(tmp_path: Path) -> None:
    file, folder = written(tmp_path, SMALL.replace("20_000", "2_000")), tmp_path / "some"
    folder.mkdir()
    for name in ("lock", "sweep.toml", "runs.csv.partial"):
        (folder / name).touch()
    done = sweep(file, "--out", tmp_path, "--jobs", 1)
    assert done.returncode == 0, done.stderr
    assert (folder / "sweep.toml").read_bytes() == file.read_bytes()


def test_a_finished_run_is_never_repeated(tmp_path: Path) -> None:
    file = written(tmp_path, SMALL)
    assert sweep(file, "--out", tmp_path, "--jobs", 1, "--quiet").stdout == ""
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("seed-*/*")}
    summary = (tmp_path / "some" / "summary.csv").read_bytes()
    assert sweep(file, "--out", tmp_path, "--jobs", 2, "--quiet").returncode == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("seed-*/*")} == before
    assert (tmp_path / "some" / "summary.csv").read_bytes() == summary


LONG = SMALL.replace("20_000", "15_000_000").replace('["q-learning", "value-iteration"]', '"q-learning"')


def test_a_sweep_killed_three_times_gives_the_summary_of_one_undisturbed(tmp_path: Path) -> None:
    file = written(tmp_path, LONG)
    assert sweep(file, "--out", tmp_path / "whole", "--jobs", 2, "--quiet").returncode == 0
    whole, killed = tmp_path / "whole" / "some", tmp_path / "killed" / "some"
    for kill in range(3):
        before = set(killed.rglob("checkpoint/*.npz"))
        process = subprocess.Popen(command(file, "--out", tmp_path / "killed", "--jobs", 2, "--quiet"), cwd=ROOT)
        wait_for(lambda known=before: set(killed.rglob("checkpoint/*.npz")) - known, process)
        time.sleep(0.1 * kill)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        assert not (killed / "summary.csv").exists()
    assert sweep(file, "--out", tmp_path / "killed", "--jobs", 2, "--quiet").returncode == 0
    assert (killed / "summary.csv").read_bytes() == (whole / "summary.csv").read_bytes()
    for row in rows(whole / "summary.csv"):
        for name in ("policy.npz", "curve.csv", "snapshots.npz", "scorecard.json", "settings.toml"):
            assert (killed / row["run"] / name).read_bytes() == (whole / row["run"] / name).read_bytes()


def test_the_workers_of_a_killed_sweep_do_not_outlive_it(tmp_path: Path) -> None:
    file = written(tmp_path, LONG.replace("15_000_000", "1_000_000_000_000"))
    process = subprocess.Popen(command(file, "--out", tmp_path, "--jobs", 2, "--quiet"), cwd=ROOT)
    wait_for(lambda: len(list(tmp_path.rglob("checkpoint/*.npz"))) >= 2, process)
    workers = {json.loads(path.read_text())["process"] for path in tmp_path.rglob("status/**/*.json")}
    process.kill()
    process.wait()
    assert len(workers) == 2
    end = time.monotonic() + 20
    while any(Path(f"/proc/{pid}/task").exists() for pid in workers):
        assert time.monotonic() < end, "a worker goes on for nobody"
        time.sleep(0.05)


def test_ctrl_c_leaves_a_table_says_how_to_go_on_and_exits_130(tmp_path: Path) -> None:
    file = written(tmp_path, LONG.replace("15_000_000", "1_000_000_000_000"))
    words = command(file, "--out", tmp_path, "--jobs", 2)
    process = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    wait_for(lambda: len(list(tmp_path.rglob("checkpoint/*.npz"))) >= 2, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert out == b""
    assert b"go on with: python sweep.py" in err.splitlines()[-1]
    assert b"Traceback" not in err
    assert {row["status"] for row in rows(tmp_path / "some" / "summary.csv")} == {"unfinished"}


def test_a_terminal_shows_how_much_is_done_and_how_long_it_takes(tmp_path: Path) -> None:
    pexpect = need_module("pexpect")
    words = command(written(tmp_path, LONG), "--out", tmp_path, "--jobs", 1)
    child = pexpect.spawn(words[0], words[1:], cwd=str(ROOT), timeout=60, dimensions=(24, 200))
    child.expect(r"of 3 runs done, 1 running, 0 failed, .* left")
    child.expect("3 of 3 runs finished")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_a_failing_run_stops_no_other_is_reported_and_is_retried_by_one_flag(tmp_path: Path) -> None:
    friend = tmp_path / "friend"
    text = SMALL + f'[[runs]]\n[[runs]]\nagent = "q-learning"\nseeds = 7\nsettings.opponent = "{friend}"\n'
    file = written(tmp_path, text)
    done = sweep(file, "--out", tmp_path, "--jobs", 2)
    assert done.returncode == 1
    assert "6 of 7 runs finished" in done.stdout
    failed = [row for row in rows(tmp_path / "some" / "summary.csv") if row["status"] == "failed"]
    assert [row["seed"] for row in failed] == ["7"]
    assert str(friend) in failed[0]["error"]
    assert f"failed: {failed[0]['run']}: {failed[0]['error']}" in done.stderr
    assert (
        "Traceback" in json.loads((tmp_path / "some" / "status" / f"{failed[0]['run']}.json").read_text())["traceback"]
    )
    assert done.stderr.splitlines()[-1].endswith("--retry-failed")
    other = next(row["run"] for row in rows(tmp_path / "some" / "summary.csv") if row["status"] == "finished")
    friend.mkdir()
    (friend / "policy.npz").write_bytes((tmp_path / "some" / other / "policy.npz").read_bytes())
    assert sweep(file, "--out", tmp_path, "--jobs", 2).returncode == 1  # what failed is not tried again unasked
    assert sweep(file, "--out", tmp_path, "--jobs", 2, "--retry-failed").returncode == 0
    assert {row["status"] for row in rows(tmp_path / "some" / "summary.csv")} == {"finished"}


def test_a_worker_that_dies_costs_nothing_but_time(tmp_path: Path) -> None:
    file = written(tmp_path, LONG)
    process = subprocess.Popen(
        command(file, "--out", tmp_path, "--jobs", 2), cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    wait_for(lambda: list(tmp_path.rglob("checkpoint/*.npz")), process)
    status = next(iter(tmp_path.rglob("status/**/*.json")))
    os.kill(json.loads(status.read_text())["process"], signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert b"a worker died" in err
    assert b"3 of 3 runs finished" in out


def test_ray_and_local_give_the_same_bytes(tmp_path: Path) -> None:
    need_module("ray")
    file = written(tmp_path, SMALL + '[[runs]]\n[[runs]]\nagent = "q-learning"\nsettings.opponent = "no-such-run"\n')
    assert sweep(file, "--out", tmp_path / "local", "--jobs", 2).returncode == 1
    done = sweep(file, "--out", tmp_path / "ray", "--jobs", 2, "--backend", "ray")
    assert done.returncode == 1, done.stderr
    local, ray = (tmp_path / name / "some" for name in ("local", "ray"))
    assert (ray / "summary.csv").read_bytes() == (local / "summary.csv").read_bytes()
    finished = [row["run"] for row in rows(ray / "summary.csv") if row["status"] == "finished"]
    assert len(finished) == 6
    for run in finished:
        assert (ray / run / "policy.npz").read_bytes() == (local / run / "policy.npz").read_bytes()


@pytest.mark.slow
def test_a_node_of_a_cluster_that_dies_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    need_module("ray")
    from ray.cluster_utils import Cluster

    file = written(tmp_path, SMALL.replace("0-2", "0-5").replace("20_000", "2_000_000"))
    assert sweep(file, "--out", tmp_path / "local", "--jobs", 2).returncode == 0
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        other = cluster.add_node(num_cpus=2)
        words = command(file, "--out", tmp_path / "ray", "--backend", "ray", "--address", cluster.address)
        with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE) as process:
            status = tmp_path / "ray" / "some" / "status"
            wait_for(lambda: len(list(status.rglob("*.json"))) >= 3, process, 120)
            cluster.remove_node(other, allow_graceful=False)
            _, told = process.communicate(timeout=300)
        assert process.returncode == 0, told
        assert b"Traceback" not in told
    finally:
        cluster.shutdown()
    local, ray = (tmp_path / name / "some" for name in ("local", "ray"))
    assert (ray / "summary.csv").read_bytes() == (local / "summary.csv").read_bytes()
    for row in rows(local / "summary.csv"):
        run = row["run"]
        assert (ray / run / "policy.npz").read_bytes() == (local / run / "policy.npz").read_bytes()
        assert (ray / run / "curve.csv").read_bytes() == (local / run / "curve.csv").read_bytes()


def test_a_cluster_that_does_not_answer_is_told_at_once(tmp_path: Path) -> None:
    need_module("ray")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound but not listening: nobody else answers there either
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        done = sweep(written(tmp_path, SMALL), "--out", tmp_path, "--backend", "ray", "--address", address)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert f"nobody answers at --address {address}" in done.stderr


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ('env = "number-flop"', "", "did you mean number-flip"),
        ('env = "GAME"\nagent = "q-lerning"', "", "did you mean q-learning"),
        ('env = "GAME"\nagnet = "q-learning"', "", "did you mean agent"),
        ('env = "GAME"\nsettings.steps = []', "", "settings.steps is an empty list"),
        ('env = "GAME"\nseeds = [1, 2, 1]', "", "1 is given twice"),
        ('env = "GAME"', "--jobs 0", "--jobs 0"),
        ('env = "GAME"', "--jobs many", "--jobs many"),
        ('env = "GAME"', "--address x:1", "add --backend ray"),
        ('env = "GAME"', "--backend slurm", "no such choice: slurm"),
        ('env = "GAME"', "--out TMP/some.toml", "cannot be written"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_code_2_and_leaves_nothing(text: str, words: str, told: str, tmp_path: Path) -> None:
    file = written(tmp_path, text.replace("GAME", GAME))
    given = words.replace("TMP", str(tmp_path)).split()
    done = sweep(file, *given, *([] if "--out" in words else ["--out", tmp_path / "sweeps"]))
    assert (done.returncode, done.stdout) == (2, ""), done
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == [file]


def test_a_file_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path) -> None:
    done = sweep(tmp_path / "none.toml")
    assert done.returncode == 2
    assert "smoke" in done.stderr


def test_the_folder_of_another_sweep_is_left_alone(tmp_path: Path) -> None:
    file = written(tmp_path, SMALL.replace("20_000", "2_000"))
    assert sweep(file, "--out", tmp_path, "--jobs", 1, "--quiet").returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != file}
    file.write_text(SMALL.replace("20_000", "3_000"), encoding="utf-8")
    done = sweep(file, "--out", tmp_path, "--jobs", 1)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "made from another sweep file" in done.stderr
    assert {path: path.read_bytes() for path in before} == before
    stranger = tmp_path / "elsewhere" / "some"
    stranger.mkdir(parents=True)
    (stranger / "novel.txt").write_text("mine")
    assert "not a sweep" in sweep(file, "--out", tmp_path / "elsewhere").stderr
    assert [path.name for path in stranger.iterdir()] == ["novel.txt"]
