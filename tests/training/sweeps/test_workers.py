"""Sweeps from within: what the disk says, how long it will take, and what happens when workers die."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from games import Mistake, make_rulebook, rulebook_names
from training.display import display_sweep, sweep_sentence
from training.run import Run
from training.sweeps import tables
from training.sweeps.folder import State, Sweep
from training.sweeps.plan import Task, read_plan
from training.sweeps.workers import Workers, carry_out, work

GAME = next(name for name in rulebook_names() if "target" in make_rulebook(name).parameters)
SMALL = f"""
env = "{GAME}"
agent = "q-learning"
seeds = "0-3"
settings = {{steps = 1_000, evaluations = 2}}
"""


@pytest.fixture
def sweep(tmp_path: Path) -> Sweep:
    return made(tmp_path, SMALL)


def made(folder: Path, text: str) -> Sweep:
    file = folder / "some.toml"
    file.write_text(text, encoding="utf-8")
    return Sweep(folder / "some", read_plan(file))


class DyingWorkers(Workers):
    """Workers that die at certain seeds, so often; what was running is left as a dead process leaves it."""

    deaths: dict[int, int]

    def run(self, sweep: Sweep, tasks: Sequence[Task]) -> None:
        for task in tasks:
            if self.deaths.get(task.settings.seed, 0) > 0:
                self.deaths[task.settings.seed] -= 1
                sweep.tell(task, status="running", process=0)
                raise RuntimeError("a process terminated abruptly")
            work(str(sweep.path), task, None)


def dying(deaths: dict[int, int]) -> Workers:
    workers = DyingWorkers(2)
    object.__setattr__(workers, "deaths", deaths)
    return workers


def statuses(sweep: Sweep) -> list[str]:
    return [sweep.status(task)["status"] for task in sweep.tasks]


def test_a_run_whose_worker_dies_once_is_finished_alone(sweep: Sweep, capsys: pytest.CaptureFixture[str]) -> None:
    with sweep.held(SMALL):
        carry_out(sweep, dying({1: 1, 3: 1}))
    assert statuses(sweep) == ["finished"] * 4
    assert capsys.readouterr().err.count("a worker died (RuntimeError)") == 2


def test_a_run_whose_worker_dies_again_has_failed_and_the_others_go_on(sweep: Sweep) -> None:
    with sweep.held(SMALL):
        carry_out(sweep, dying({1: 99}))
        assert statuses(sweep) == ["finished", "failed", "finished", "finished"]
        assert "its worker died twice" in sweep.status(sweep.tasks[1])["error"]
        carry_out(sweep, Workers(1))
        assert statuses(sweep)[1] == "failed"
        carry_out(sweep, Workers(1), retry_failed=True)
    assert statuses(sweep) == ["finished"] * 4


def test_an_error_that_no_run_is_to_blame_for_is_not_swallowed(sweep: Sweep) -> None:
    class Broken(Workers):
        def run(self, sweep: Sweep, tasks: Sequence[Task]) -> None:
            raise RuntimeError("no workers at all")

    with sweep.held(SMALL), pytest.raises(RuntimeError, match="no workers at all"):
        carry_out(sweep, Broken(2))


@pytest.mark.parametrize(("deaths", "alive"), [(2, True), (9, True), (1, False)])
def test_workers_that_die_at_their_start_on_ray_are_started_again_but_not_for_ever(
    deaths: int, alive: bool, sweep: Sweep
) -> None:
    left = [deaths]

    class Starting(Workers):
        def alive(self) -> bool:
            return alive

        def run(self, sweep: Sweep, tasks: Sequence[Task]) -> None:
            left[0] -= 1
            if left[0] >= 0:
                raise RuntimeError("an actor died")
            for task in tasks:
                work(str(sweep.path), task, None)

    with sweep.held(SMALL):
        if deaths == 2:
            carry_out(sweep, Starting(2, "ray"))
            assert statuses(sweep) == ["finished"] * len(sweep.tasks)
        else:
            with pytest.raises(Mistake, match=r"Ray lost its workers \(RuntimeError\); start the sweep once more"):
                carry_out(sweep, Starting(2, "ray"))
            assert statuses(sweep) == ["waiting"] * len(sweep.tasks)


def test_progress_is_what_the_disk_says(sweep: Sweep) -> None:
    assert sweep.state(2) == State(runs=4, finished=0, running=0, failed=0, seconds_left=None)
    with sweep.held(SMALL):
        work(str(sweep.path), sweep.tasks[0], None)
        sweep.tell(sweep.tasks[1], status="running", process=1)
        sweep.tell(sweep.tasks[2], status="failed", error="why", traceback="")
        seen = sweep.state(2)
        assert (seen.finished, seen.running, seen.failed) == (1, 1, 1)
        # Two are left for two workers, and one such run is known.
        assert seen.seconds_left == pytest.approx(sweep.seconds[sweep.tasks[0].name])
        shown: list[State] = []
        carry_out(sweep, Workers(1), retry_failed=True, show=shown.append)
    assert shown[-1] == State(runs=4, finished=4, running=0, failed=0, seconds_left=0.0)
    assert sweep_sentence(shown[-1]) == "4 of 4 runs done, 0 running, 0 failed, 0:00:00 left"
    with display_sweep(quiet=True) as show:
        show(shown[-1])


def test_time_left_goes_by_each_agents_own_pace(tmp_path: Path) -> None:
    sweep = made(tmp_path, f'env = "{GAME}"\nagent = ["q-learning", "sarsa"]\nseeds = "0-2"\nsettings.steps = 100')
    sweep.seconds = {sweep.tasks[0].name: 1.0, sweep.tasks[3].name: 10.0}
    assert sweep.state(1).seconds_left == pytest.approx(2 * 1.0 + 2 * 10.0)
    assert sweep.state(2).seconds_left == pytest.approx((2 * 1.0 + 2 * 10.0) / 2)


def test_a_scorecard_decides_whatever_else_was_written(sweep: Sweep) -> None:
    task = sweep.tasks[0]
    with sweep.held(SMALL):
        work(str(sweep.path), task, None)
        sweep.tell(task, status="running", process=1)  # killed between the scorecard and the note
    assert sweep.status(task) == {"status": "finished"}
    rows = tables.times(sweep.path, [task], {task.name: sweep.status(task)})
    assert rows[0]["cpu_seconds"] is None  # unknown, not zero
    assert rows[0]["seconds"] > 0


@pytest.mark.parametrize(
    ("name", "text"),
    [("scorecard.json", b"[" * 100_000), ("provenance.json", b'{"seconds": "x"}'), ("policy.npz", b"PK")],
)
def test_a_finished_run_that_was_damaged_is_made_again(name: str, text: bytes, sweep: Sweep) -> None:
    sweep.tasks = sweep.tasks[:2]
    with sweep.held(SMALL):
        carry_out(sweep, Workers(1))
        before, times = sweep.write_tables(), (sweep.path / sweep.tasks[1].name / "timing.csv").stat().st_mtime_ns
        file = sweep.path / sweep.tasks[0].name / name
        file.write_bytes(text)
        carry_out(sweep, Workers(1))
        assert sweep.write_tables() == before
        assert file.read_bytes() != text
        assert (sweep.path / sweep.tasks[1].name / "timing.csv").stat().st_mtime_ns == times  # the other one stays


def test_a_label_is_no_formula() -> None:
    assert tables.table([{"label": "=cmd()", "seed": -1, "accuracy": -0.5}]) == "label,seed,accuracy\n'=cmd(),-1,-0.5\n"


def test_a_sweep_is_led_by_one_process_at_a_time(sweep: Sweep, tmp_path: Path) -> None:
    with (
        sweep.held(SMALL),
        pytest.raises(Mistake, match="is at work here"),
        made(tmp_path, SMALL).held(SMALL),
    ):
        pass


def test_a_comment_or_a_new_order_of_lines_makes_no_other_sweep(sweep: Sweep, tmp_path: Path) -> None:
    with sweep.held(SMALL):
        pass
    with made(tmp_path, "# a remark\n" + SMALL.replace('"0-3"', "[0, 1, 2, 3]")).held("other text"):
        pass
    with (
        pytest.raises(Mistake, match=r"it has no [a-z-]*/q-learning.*/seed-4\)"),
        made(tmp_path, SMALL.replace("0-3", "0-4")).held(SMALL),
    ):
        pass


def test_another_version_of_a_learners_file_makes_another_sweep_and_is_told_so(tmp_path: Path) -> None:
    learner = tmp_path / "mine.py"
    learner.write_text(Path("examples/my_learner.py").read_text("utf-8"), encoding="utf-8")
    text = SMALL.replace("q-learning", learner.as_posix())
    with made(tmp_path, text).held(text):
        pass
    learner.write_text(learner.read_text("utf-8") + "# changed\n", encoding="utf-8")
    with (
        pytest.raises(Mistake, match=r"has .*/seed-0 with other settings or another version of its learner"),
        made(tmp_path, text).held(text),
    ):
        pass


def test_settings_of_a_run_that_changed_since_are_a_failure_not_a_result(sweep: Sweep) -> None:
    with sweep.held(SMALL):
        run = Run(sweep.path / sweep.tasks[0].name)
        run.path.mkdir(parents=True)
        run.write({"settings.toml": sweep.tasks[0].settings.toml().replace("discount = 0.99", "discount = 0.5")})
        carry_out(sweep, Workers(1))
    assert statuses(sweep) == ["failed", "finished", "finished", "finished"]
    assert "other settings" in sweep.status(sweep.tasks[0])["error"]


def test_a_table_has_a_column_for_what_differs_and_none_for_what_does_not(tmp_path: Path) -> None:
    sweep = made(
        tmp_path,
        f"""
env = "{GAME}"
agent = "q-learning"
[[runs]]
label = "one, with a comma"
settings.discount = 0.5
[[runs]]
agent = "value-iteration"
""",
    )
    table = tables.table(tables.results(sweep.path, sweep.tasks, {}))
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [name for name in rows[0] if name.startswith("settings.")] == ["settings.discount"]
    assert [row["settings.discount"] for row in rows] == ["0.5", "0.99"]
    assert [row["label"] for row in rows] == ["one, with a comma", ""]
    assert {row["status"] for row in rows} == {"unfinished"}
    assert all(f"parameters.{name}" in rows[0] for name in make_rulebook(GAME).parameters)
