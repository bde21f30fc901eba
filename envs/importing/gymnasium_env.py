"""Gymnasium-style games: a class in anyone's file, or a registered id. Old forms of step and reset are understood."""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import re
import sys
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from base.mistake import Mistake
from envs.importing.canonical import canonical, scalars
from envs.importing.conventions import WINNER, Asking, looks_like_masks, plain_name, scores_of, ways_to_ask
from envs.importing.python_world import PythonWorld, own_modules
from envs.importing.world import UNKNOWN, Refused, Step, World

MOST_ACTIONS = 32_767
LONGEST_NAME = 60
COMPLAINT = re.compile(r"invalid|illegal|not (?:allowed|valid|legal)", re.IGNORECASE)
DRAWN = (None, "", "draw", "tie", "none", "nobody", 0, -1, False)


class GymnasiumWorld(PythonWorld):
    """One env of Gymnasium's kind, both players in it."""

    def __init__(self, label: str, make: Any, modules: Sequence[Any], legal: str | None, mover: str | None) -> None:
        super().__init__(label, make, modules)
        self.wanted_legal, self.wanted_mover = legal, mover
        self.actions: dict[Hashable, int] = {}  # what an action is to the env: its number
        self.forms: list[Any] = []  # what `step` is given for each number
        self.open_ended = False  # whether actions are numbered as they are met
        self.asking: Asking | None = None
        self.is_mask = False
        self.mover_path: str | None = None  # set by `learn`
        self.mover_values: tuple[Hashable, ...] = ()
        self.seen_now: Any = None
        self.info: Any = {}
        self._as_numpy = False

    def begin(self, seed: int) -> None:
        reset = self.env.reset
        wanted = _parameters(reset)
        if "seed" in wanted:
            answer = reset(seed=seed)
        else:
            if "seed" in dir(self.env) and callable(getattr(self.env, "seed", None)):
                self.env.seed(seed)
            answer = reset()
        self.seen_now, self.info = answer, {}
        if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict):
            self.seen_now, self.info = answer
        if not self.forms and not self.open_ended:
            self._learn_actions()
        if self.asking is None:
            self._learn_to_ask()

    def move(self, move: int) -> Step:
        answer = self.env.step(self._form(move))
        if not isinstance(answer, tuple) or not 3 <= len(answer) <= 5:
            raise Refused(f"{self.label}: step answers with {type(answer).__name__}, not with 4 or 5 things")
        self.seen_now, reward, over, *rest = answer
        self.info = rest[-1] if rest and isinstance(rest[-1], dict) else {}
        stopped = bool(_all(rest[0])) if len(answer) == 5 else bool(self.info.get("TimeLimit.truncated", False))
        ended = bool(_all(over))
        complaint = ""
        for key, value in self.info.items():
            if isinstance(value, str) and COMPLAINT.search(value):
                complaint = value
            elif isinstance(key, str) and value is True and COMPLAINT.search(key):
                complaint = key.replace("_", " ")
        if not ended and not stopped:
            return Step(False, rewards=self._rewards(reward), complaint=complaint)
        parts = self.parts()
        winner, named = self._winner(parts)
        return Step(ended or stopped, stopped and (not ended or len(answer) == 4), self._rewards(reward), winner,
                    named, scores_of(parts, self.mover_values), complaint)  # fmt: skip

    def names(self) -> Sequence[str]:
        said = [_action_name(self.env, form) for form in self.forms]
        return said if all(said) else [str(_plain(form)) for form in self.forms]

    def legal(self) -> list[int]:
        return sorted(set(self._interpreted(self.ask())))

    def ask(self) -> Any:
        """What the env answers when it is asked what is legal."""
        assert self.asking is not None
        try:
            answer = self.asking.ask(self.env, self.seen_now, self.info)
            if self.asking.is_test:
                return [action for action, number in self.actions.items() if answer(self.forms[number])]
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise Refused(f"{self.label}: {self.asking.words}, asked for legal moves, raises {what}") from error
        if hasattr(answer, "__next__") or isinstance(answer, range | set | frozenset | dict | type({}.keys())):
            answer = list(answer)
        return answer

    def seat(self) -> int | None:
        if self.mover_path is None:
            return None
        value = self._mover_value()
        if value not in self.mover_values:
            raise Refused(f"{self.label}: {self.mover_path} is {value!r}, a third player; two are needed")
        return self.mover_values.index(value)

    def told(self) -> dict[str, Hashable]:
        """All single values that may say whose turn it is: of the state, of the info, of the observation."""
        found = scalars(self.parts(), elements=True)
        for name in ("current_player", "get_current_player", "to_play", "player_to_move"):
            method = getattr(type(self.env), name, None)
            if isinstance(method, property) or (inspect.isfunction(method) and len(_parameters(method)) == 1):
                try:
                    value = getattr(self.env, name)
                    found[f"{name}()"] = canonical(value() if callable(value) else value)
                except Exception:  # an env may not be able to tell before or after a game
                    continue
        for where, things in (("info", self.info), ("observation", self.seen_now)):
            if isinstance(things, dict):
                plain = {str(key): canonical(np.asarray(value).item()) for key, value in things.items()
                         if np.ndim(value) == 0 and isinstance(value, int | str | np.generic)}  # fmt: skip
                found |= {f"{where}:{key}": value for key, value in plain.items()}
        return found

    def _mover_value(self) -> Hashable:
        assert self.mover_path is not None
        if re.search(r"[:\[(]", self.mover_path):
            return self.told().get(self.mover_path)
        value: Any = self.env
        for name in self.mover_path.split("."):
            value = getattr(value, name)
        return canonical(value)

    def learn(self, path: str | None, values: tuple[Hashable, ...]) -> None:
        self.mover_path, self.mover_values = path, values

    def seen(self) -> Hashable:
        return canonical(self.seen_now)

    def observation(self) -> Any:
        try:
            space = getattr(self.env, "observation_space", None)
            if isinstance(self.seen_now, dict | tuple) and isinstance(space, spaces.Space):
                return np.asarray(spaces.flatten(space, self.seen_now), dtype=np.float32).ravel()
            return np.asarray(self.seen_now, dtype=np.float32).ravel()
        except (TypeError, ValueError, KeyError):
            return None

    def shown(self) -> str:
        import contextlib
        import io

        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.suppress(Exception):
            answer = self.env.render()
            return printed.getvalue() + (answer if isinstance(answer, str) else "")
        return ""

    def _form(self, move: int) -> Any:
        form = self.forms[move]
        if isinstance(form, np.ndarray):
            return form.copy()
        return np.int64(form) if self._as_numpy and isinstance(form, int) else form

    def wants_numpy(self) -> bool:
        """Take numpy's numbers as actions from now on; False where that is done already."""
        self._as_numpy, before = True, self._as_numpy
        return not before

    def _learn_actions(self) -> None:
        space = getattr(self.env, "action_space", None)
        forms = _forms_of(space)
        if forms is None and isinstance(space, spaces.Space):
            raise Refused(f"{self.label}: its action space {space} is no finite set of actions; a game needs one")
        if forms is None:
            self.open_ended = True
            return
        if len(forms) > MOST_ACTIONS:
            raise Refused(f"{self.label}: {len(forms):,} actions; {MOST_ACTIONS:,} are the most")
        self.forms = forms
        self.actions = {_plain(form): number for number, form in enumerate(forms)}

    def _learn_to_ask(self) -> None:
        for asking in ways_to_ask(self.env, self.seen_now, self.info, self.wanted_legal):
            if asking.is_test and self.open_ended:
                continue
            self.asking = asking
            try:
                answer = self.ask()
                if isinstance(answer, list | tuple | np.ndarray) and len(answer):
                    self.is_mask = looks_like_masks([answer], len(self.forms), asking.is_mask)
                    return
            except (Refused, TypeError, ValueError):
                continue
        self.asking = None
        if self.wanted_legal == "all" and self.forms:
            self.asking = Asking("all actions", lambda env, observation, info: list(self.actions), False)
            return
        if self.wanted_legal is not None:
            raise Refused(
                f"{self.label}: nothing called {self.wanted_legal} tells the legal moves of the first position"
            )
        raise Refused(
            f"{self.label}: no way to ask for its legal moves (such as valid_moves(), action_masks() or "
            f'info["action_mask"]); name one with --legal NAME, or --legal all where every action is always legal'
        )

    def learn_masks(self, answers: Sequence[Any]) -> None:
        """Decide by many answers whether they are masks."""
        assert self.asking is not None
        if not self.asking.is_test:
            self.is_mask = looks_like_masks(answers, len(self.forms), self.asking.is_mask)

    def _interpreted(self, answer: Any) -> list[int]:
        assert self.asking is not None
        words = self.asking.words
        if answer is None:
            return []
        if not isinstance(answer, list | tuple | np.ndarray):
            raise Refused(f"{self.label}: {words} answers {answer!r:.60}, which is no list of moves")
        if self.is_mask:
            if np.shape(answer) != (len(self.forms),):
                raise Refused(f"{self.label}: {words} is a mask of {np.size(answer)} for {len(self.forms)} actions")
            return np.flatnonzero(answer).tolist()
        moves = []
        for entry in answer:
            form = _plain(entry)
            if form not in self.actions and self.open_ended and not isinstance(form, float):
                self.actions[form] = len(self.forms)
                self.forms.append(entry.item() if isinstance(entry, np.generic) else entry)
            if form not in self.actions:
                raise Refused(
                    f"{self.label}: {words} names {entry!r:.60}, which is no action of {_space_words(self.env)}"
                )
            moves.append(self.actions[form])
        return moves

    def _rewards(self, reward: Any) -> tuple[float, ...]:
        if isinstance(reward, int | float | np.number):
            return (float(reward),)
        if isinstance(reward, Mapping) and len(reward) == 2 and len(self.mover_values) == 2:
            keys = list(reward)
            order = [v for v in self.mover_values if v in reward] or sorted(keys, key=str)
            return tuple(float(reward[key]) for key in (order if len(order) == 2 else keys))
        if np.size(reward) == 2:
            pair = np.asarray(reward, dtype=float).ravel().tolist()
            lowest_first = len(self.mover_values) < 2 or str(self.mover_values[0]) <= str(self.mover_values[1])
            return tuple(pair if lowest_first else pair[::-1])
        try:
            return (float(np.asarray(reward).item()),)
        except (TypeError, ValueError):
            raise Refused(f"{self.label}: step answers with the reward {reward!r:.60}, which is no number") from None

    def _winner(self, parts: Mapping[str, Hashable]) -> tuple[object, object]:
        """Who has won, where the env keeps that: a seat or None for nobody, and what the env calls it."""
        told = scalars(parts)
        told |= {f"info.{key}": value for key, value in self.info.items() if isinstance(value, int | str | None)}
        for path, value in told.items():
            if WINNER.fullmatch(plain_name(re.split(r"[.:]", path)[-1])) and not isinstance(value, bool):
                if isinstance(value, str):
                    value = value.lower() if value.lower() in DRAWN else value
                if value in self.mover_values and value is not None:
                    return self.mover_values.index(value), value
                if value in DRAWN and not (value == 0 and 0 in self.mover_values):
                    return None, value
        return UNKNOWN, None


def gymnasium_world(spec: str, options: Mapping[str, Any], legal: str | None, mover: str | None) -> World:
    """The game that `file.py:Class` or a registered id means."""
    file, colon, name = spec.rpartition(":")
    if colon and file.endswith(".py"):
        kind, module = _thing_in_file(Path(file), name)

        def make() -> Any:
            return kind(**options)

        return _fitting(spec, make, [module], legal, mover)
    try:
        known = gymnasium.spec(spec)
    except Exception as error:
        raise Mistake(f"{spec}: neither FILE.py:CLASS nor a registered id ({error}); name one of these") from None
    given = dict(options)

    def make_registered() -> Any:
        return gymnasium.make(known, disable_env_checker=True, **given).unwrapped

    return _fitting(spec, make_registered, [], legal, mover)


def _fitting(spec: str, make: Any, modules: list[Any], legal: str | None, mover: str | None) -> World:
    from envs.importing.pettingzoo_env import PettingZooWorld, is_aec, is_parallel

    try:
        env = make()
    except Exception as error:
        raise Mistake(f"{spec}: cannot be made ({type(error).__name__}: {error}); --set passes options") from error
    if is_parallel(env):
        raise Refused(f"{spec}: its agents move at the same time; a game of this kind needs them to take turns")
    if is_aec(env):
        return PettingZooWorld(spec, lambda: make().unwrapped, own_modules(type(env.unwrapped), modules))
    if not callable(getattr(env, "step", None)) or not callable(getattr(env, "reset", None)):
        raise Mistake(f"{spec}: has no reset and step; name the class of an env")
    return GymnasiumWorld(spec, make, own_modules(type(env), modules), legal, mover)


def _thing_in_file(path: Path, name: str) -> tuple[Any, Any]:
    if not path.is_file():
        raise Mistake(f"{path}: cannot be read; name a file that is there, as in my_env.py:MyEnv")
    title = f"foreign_env_{re.sub(r'[^A-Za-z0-9_]', '_', path.stem)}"
    spec = importlib.util.spec_from_file_location(title, path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[title] = module
    sys.path.insert(0, str(path.resolve().parent))  # its own helpers lie beside it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise Mistake(f"{path}: cannot be imported ({type(error).__name__}: {error})") from error
    finally:
        sys.path.remove(str(path.resolve().parent))
    if not callable(getattr(module, name, None)):
        classes = [n for n, t in vars(module).items() if isinstance(t, type) and t.__module__ == title]
        raise Mistake(f"{path}: holds no {name} (classes: {', '.join(classes) or 'none'})")
    return getattr(module, name), module


def _parameters(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [parameter.name for parameter in parameters]


def _forms_of(space: Any) -> list[Any] | None:
    """Every action of a finite space, as `step` takes it; None where the space is none that can be counted."""
    kind = type(space).__name__ if space is not None else ""
    if kind == "Discrete":
        start = int(getattr(space, "start", 0))
        return list(range(start, start + int(space.n)))
    if kind == "MultiDiscrete":
        sizes = np.asarray(space.nvec).ravel().tolist()
        if np.prod(sizes, dtype=float) > MOST_ACTIONS:
            return list(range(MOST_ACTIONS + 1))
        return [np.array(choice) for choice in itertools.product(*map(range, sizes))]
    if kind == "MultiBinary" and int(np.prod(space.shape)) <= 14:
        return [
            np.array(choice, dtype=np.int8) for choice in itertools.product((0, 1), repeat=int(np.prod(space.shape)))
        ]
    if kind == "Tuple":
        parts = [_forms_of(part) for part in space.spaces]
        if all(part is not None for part in parts):
            return list(itertools.islice(itertools.product(*[p for p in parts if p is not None]), MOST_ACTIONS + 1))
    return None


def _plain(form: Any) -> Any:
    """An action as something that can be looked up: 4 and np.int64(4) are one, as (1, 2) and np.array([1, 2]) are."""
    if isinstance(form, np.ndarray):
        form = form.tolist()
    if isinstance(form, list | tuple):
        return tuple(_plain(part) for part in form)
    if isinstance(form, np.generic):
        form = form.item()
    if isinstance(form, float) and form.is_integer():
        return int(form)
    return form


def _action_name(env: Any, form: Any) -> str:
    """What the env itself calls an action, where it does."""
    for method in (
        "action_to_string",
        "action_name",
        "move_name",
        "action_to_str",
        "move_to_string",
        "get_action_name",
    ):
        if callable(getattr(env, method, None)):
            try:
                name = " ".join(str(getattr(env, method)(form)).split())
            except Exception:
                return ""
            return name if name.isprintable() and 0 < len(name) <= LONGEST_NAME else ""
    return ""


def _space_words(env: Any) -> str:
    return str(getattr(env, "action_space", "its action space"))


def _all(value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Mapping):
        return bool(value.get("__all__", all(value.values())))
    return bool(np.all(value))
