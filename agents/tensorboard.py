"""The learning curve as TensorBoard events: the tags that SB3's users know, and exact/... beside them. An optional extra."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from games import Mistake
from solver import Grade


def writer(folder: Path) -> Any:
    """An event file in that folder; a mistake where the tensorboard package is missing."""
    try:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError as error:
        raise Mistake('--tensorboard: the package tensorboard is missing; pip install "perfect-play[tensorboard]"') from error
    return EventFileWriter(str(folder))


def log(events: Any) -> Callable[[int, Grade, float], None]:
    """What the training loop calls after each evaluation."""
    import time

    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    def write(steps: int, marks: Grade, rate: float) -> None:
        values = {
            "time/fps": rate,
            "time/total_timesteps": steps,
            "exact/blunders": marks.blunders,
            "exact/accuracy": marks.accuracy,
            "exact/exploitability": marks.exploitability,
            "exact/perfect": marks.perfect,
            "exact/unexploitable": marks.unexploitable,
        }
        summary = Summary(value=[Summary.Value(tag=tag, simple_value=float(value)) for tag, value in values.items()])
        events.add_event(Event(wall_time=time.time(), step=steps, summary=summary))

    return write
