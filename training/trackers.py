"""Trackers that people use, behind one hook: every number of every evaluation, the settings, and at the end the page.

The tags are those that SB3's users know (train/..., time/...) and exact/... beside them. Each tracker is an optional
package, and where its data goes is told by that package's own environment variables (WANDB_MODE, MLFLOW_TRACKING_URI).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from games import Mistake
from training.resolve import Settings

PROJECT = "perfect-play"


class Tracker(Protocol):
    """One run at a tracker; nothing is made there before the first number comes."""

    def log(self, steps: int, values: Mapping[str, float]) -> None: ...

    def keep(self, page: Path) -> None:
        """Keep the final page with the run."""

    def close(self, failed: bool) -> None: ...


@contextmanager
def tracking(name: str, run: Path, settings: Settings) -> Iterator[Tracker]:
    """The tracker of that name, for a run in this folder; a mistake where its package is missing."""
    module, make = TRACKERS[name]
    try:
        package = import_module(module)
    except ImportError as error:
        raise Mistake(f"--track {name}: its package is missing; pip install 'perfect-play[{name}]'") from error
    tracker = make(package, run, settings)
    try:
        yield tracker
    except BaseException:
        tracker.close(failed=True)
        raise
    tracker.close(failed=False)


class TensorBoard:
    """Event files in the folder of the run; `tensorboard --logdir runs` shows them."""

    def __init__(self, package: Any, run: Path, settings: Settings) -> None:
        self.package, self.folder = package, run / "tensorboard"
        self.writer: Any = None

    def log(self, steps: int, values: Mapping[str, float]) -> None:
        self.writer = self.writer or self.package.Writer(str(self.folder))
        for tag, value in values.items():
            self.writer.add_scalar(tag, value, steps)
        self.writer.flush()

    def keep(self, page: Path) -> None:
        pass  # it has no place for pages

    def close(self, failed: bool) -> None:
        if self.writer is not None:
            self.writer.close()


class WeightsAndBiases:
    def __init__(self, package: Any, run: Path, settings: Settings) -> None:
        self.package, self.folder, self.settings = package, run, settings
        self.run: Any = None

    def log(self, steps: int, values: Mapping[str, float]) -> None:
        if self.run is None:
            about = {"project": PROJECT, "name": _name(self.settings), "config": self.settings.table()}
            self.run = self.package.init(dir=str(self.folder.parent), **about)
        self.run.log(dict(values), step=steps)

    def keep(self, page: Path) -> None:
        if self.run is not None:
            artifact = self.package.Artifact("page", type="report")
            artifact.add_file(str(page))
            self.run.log_artifact(artifact)

    def close(self, failed: bool) -> None:
        if self.run is not None:
            self.run.finish(exit_code=int(failed))


class MLflow:
    def __init__(self, package: Any, run: Path, settings: Settings) -> None:
        self.package, self.settings, self.begun = package, settings, False

    def log(self, steps: int, values: Mapping[str, float]) -> None:
        if not self.begun:
            self.package.set_experiment(PROJECT)
            self.package.start_run(run_name=_name(self.settings))
            self.package.log_params(_flat(self.settings.table()))
            self.begun = True
        self.package.log_metrics({tag: float(value) for tag, value in values.items()}, step=steps)

    def keep(self, page: Path) -> None:
        if self.begun:
            self.package.log_artifact(str(page))

    def close(self, failed: bool) -> None:
        if self.begun:
            self.package.end_run("FAILED" if failed else "FINISHED")


TRACKERS: Mapping[str, tuple[str, Callable[[Any, Path, Settings], Tracker]]] = {
    "tensorboard": ("tensorboard.summary", TensorBoard),
    "wandb": ("wandb", WeightsAndBiases),
    "mlflow": ("mlflow", MLflow),
}


def _name(settings: Settings) -> str:
    return settings.path("").as_posix()


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """Names with dots for what lies in tables."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= {f"{key}.{name}": item for name, item in value.items()} if isinstance(value, dict) else {key: value}
    return flat
