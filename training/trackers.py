"""The learning curve as TensorBoard events: the tags that SB3's users know, and exact/... beside them. Optional."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from games import Mistake


def log(folder: Path) -> Callable[[int, Mapping[str, float]], None]:
    """What the training loop calls after each evaluation; a mistake where the tensorboard package is missing."""
    try:
        Event: Any = import_module("tensorboard.compat.proto.event_pb2").Event
        Summary: Any = import_module("tensorboard.compat.proto.summary_pb2").Summary
        EventFileWriter: Any = import_module("tensorboard.summary.writer.event_file_writer").EventFileWriter
    except ImportError as error:
        raise Mistake("--tensorboard: the package tensorboard is missing; pip install tensorboard") from error
    events: Any = None

    def write(steps: int, values: Mapping[str, float]) -> None:
        nonlocal events
        events = events or EventFileWriter(str(folder))  # not before the run is ours
        summary = Summary(value=[Summary.Value(tag=tag, simple_value=float(value)) for tag, value in values.items()])
        events.add_event(Event(wall_time=time.time(), step=steps, summary=summary))
        events.flush()

    return write
