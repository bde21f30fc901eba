"""A learner in anyone's file: one class of the contract, perhaps with settings of its own.

The file is executed, as any Python file that one runs. What goes wrong in it becomes one line that names the place.
"""

from __future__ import annotations

import hashlib
import importlib.abc
import importlib.util
import inspect
import re
import sys
import traceback
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, wraps
from pathlib import Path
from typing import Any

import numpy as np

from agents.learner import MOST_STEPS, Learner
from agents.settings import AgentSettings
from base.mistake import Mistake

METHODS = ("__init__", "advance", "policy", "state", "restore", "artifacts", "metrics")
FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
LARGEST_SOURCE = 1 << 20  # bytes


@dataclass(frozen=True)
class LearnerFile:
    """The text of such a file as it was read: what a run is made with, whatever becomes of the file."""

    path: str
    source: bytes = field(repr=False)

    @property
    def label(self) -> str:
        return Path(self.path).stem

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.source).hexdigest()

    @staticmethod
    def read(path: str) -> LearnerFile:
        try:
            if not Path(path).is_file():
                raise Mistake(f"{path}: no such file; name a .py file that holds a learner")
            source = Path(path).read_bytes()
        except OSError as error:
            raise Mistake(f"{path}: cannot be read ({error.strerror})") from error
        if len(source) > LARGEST_SOURCE:
            raise Mistake(f"{path}: larger than {LARGEST_SOURCE} bytes; a learner is a shorter text")
        if not FILE_NAME.fullmatch(Path(path).stem):
            raise Mistake(f"{path}: its runs are named after it; let its name be letters, digits, _ and -")
        return LearnerFile(path, source)


@cache
def settings_in(file: LearnerFile) -> type[AgentSettings]:
    """The settings of the learner in the file; they name the learner, as those of every agent do."""
    module = _executed(file)
    learner, kind = _only_learner(file, module), _only_settings(file, module)
    guarded = _guarded(file, learner)
    setattr(module, guarded.__name__, guarded)
    about = (inspect.getdoc(learner) or f"the learner in {file.path}").splitlines()[0]
    named = {"learner": f"{module.__name__}:{guarded.__name__}", "about": about, "origin": file}
    named_settings: type[AgentSettings] = types.new_class(
        kind.__name__, (kind,), exec_body=lambda body: body.update({"__module__": module.__name__, **named})
    )
    return named_settings


class _Loader(importlib.abc.SourceLoader):
    """Imports the text that was read, so that what runs is what was hashed."""

    def __init__(self, file: LearnerFile) -> None:
        self.file = file

    def get_filename(self, fullname: str) -> str:
        return self.file.path

    def get_data(self, path: str | bytes) -> bytes:
        return self.file.source


def _executed(file: LearnerFile) -> Any:
    name = f"learner_file_{file.digest[:16]}"
    spec = importlib.util.spec_from_loader(name, _Loader(file))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # annotations are looked up there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit, GeneratorExit) as error:
        raise Mistake(f"{file.path}: cannot be imported ({_told(file, error)})") from error
    return module


def _only_learner(file: LearnerFile, module: Any) -> type:
    learners = [kind for kind in _classes(module) if callable(getattr(kind, "advance", None)) and kind is not Learner]
    learners = [kind for kind in learners if callable(getattr(kind, "policy", None))]
    if not learners:
        raise Mistake(f"{file.path}: holds no learner; a learner is a class with advance(steps) and policy()")
    if len(learners) > 1:
        names = ", ".join(kind.__name__ for kind in learners)
        raise Mistake(f"{file.path}: holds {len(learners)} learners ({names}); let all names but one begin with _")
    (learner,) = learners
    for name, words, values in (
        ("", "settings, graph, seed", (None, None, 0)),
        ("advance", "steps", (None, 1)),
        ("policy", "", (None,)),
        ("state", "", (None,)),
        ("restore", "state", (None, {})),
        ("artifacts", "", (None,)),
        ("metrics", "", (None,)),
    ):
        method: Any = getattr(learner, name, None) if name else learner
        if method is None:
            continue
        try:
            inspect.signature(method).bind(*values)
        except TypeError as error:
            called = f"{learner.__name__}.{name}" if name else learner.__name__
            raise Mistake(f"{file.path}: {called}({words}) cannot be called ({error})") from None
    return learner


def _only_settings(file: LearnerFile, module: Any) -> type[AgentSettings]:
    kinds = [kind for kind in _classes(module) if issubclass(kind, AgentSettings)]
    if len(kinds) > 1:
        names = ", ".join(kind.__name__ for kind in kinds)
        raise Mistake(f"{file.path}: holds {len(kinds)} classes of settings ({names}); a learner has one")
    kind = kinds[0] if kinds else AgentSettings
    for name, setting in kind.model_fields.items():
        if not isinstance(setting.default, bool | int | float | str):
            raise Mistake(f"{file.path}: setting {name}: its default is no number, text, true or false")
    return kind


def _classes(module: Any) -> list[type]:
    """Those that the file itself defines and does not keep to itself."""
    return [
        thing
        for name, thing in vars(module).items()
        if isinstance(thing, type) and thing.__module__ == module.__name__ and not name.startswith("_")
    ]


def _guarded(file: LearnerFile, learner: type) -> type:
    """The same learner, whose failures are mistakes and whose answers are looked at before they are believed."""
    methods = {name: _guard(file, name, getattr(learner, name)) for name in METHODS if hasattr(learner, name)}
    for name in ("state", "restore", "artifacts", "metrics"):
        if getattr(learner, name, None) is getattr(Learner, name):
            del methods[name]  # it stays the empty one of the contract
    bases = (learner,) if Learner in learner.__mro__ else (learner, Learner)
    return type(learner)(f"Guarded{learner.__name__}", bases, methods)


def _guard(file: LearnerFile, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    fault_in = {"policy": _policy_fault, "state": _state_fault, "artifacts": _artifacts_fault}.get(name)

    @wraps(method)
    def guarded(self: Any, *values: Any) -> Any:
        try:
            answer = method(self, *values)
        except Mistake as mistake:
            told = str(mistake)  # with its place already, where one method calls another
            raise Mistake(told if told.startswith(f"{file.path}: ") else f"{file.path}: {name}: {told}") from mistake
        except (Exception, SystemExit, GeneratorExit) as error:
            what = "the learner could not be made" if name == "__init__" else f"{name} failed"
            raise Mistake(f"{file.path}: {what} ({_told(file, error)})") from error
        if fault_in is not None and (fault := fault_in(answer)):
            raise Mistake(f"{file.path}: {name} returned {fault}")
        if name == "advance" and (isinstance(answer, bool) or not isinstance(answer, int | np.integer)):
            raise Mistake(f"{file.path}: advance returned {type(answer).__name__}; it returns how many steps it made")
        if name == "advance" and answer > MOST_STEPS:
            raise Mistake(f"{file.path}: advance returned more than {MOST_STEPS:,} steps; it returns how many it made")
        return answer

    return guarded


def _told(file: LearnerFile, error: BaseException) -> str:
    """What went wrong, and in which line of the file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file.path]
    place = f", line {lines[-1]}" if lines else ""
    words = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}{place}{': ' + words if words else ''}"


def _policy_fault(answer: Any) -> str | None:
    from games import Policy

    return None if isinstance(answer, Policy) else f"a {type(answer).__name__}; it returns a games.Policy"


def _state_fault(answer: Any) -> str | None:
    if not isinstance(answer, dict):
        return f"a {type(answer).__name__}; it returns a dictionary of arrays and numbers"
    for key, value in answer.items():
        if not isinstance(key, str) or np.asarray(value).dtype == object:
            return f"{key!r}, a {type(value).__name__}; its values are arrays and numbers, its keys names"
    return None


def _artifacts_fault(answer: Any) -> str | None:
    if not isinstance(answer, tuple) or len(answer) != 2:
        return f"a {type(answer).__name__}; it returns files and facts, two dictionaries"
    for name, content in answer[0].items():
        if not isinstance(name, str) or not FILE_NAME.fullmatch(name) or not isinstance(content, bytes):
            return f"the file {name!r}; a file has a plain name, and bytes"
    for name, number in answer[1].items():
        if not isinstance(number, int | float) or not np.isfinite(number):
            return f"the fact {name}={number!r}; a fact is a finite number"
    return None
