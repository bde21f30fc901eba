"""A policy: the probability of every move in every position. Whatever plays becomes one, and is judged as one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.arrays import Arrays, opened_arrays
from base.files import whole
from base.mistake import Mistake
from base.reading import parsed_json
from base.text import named
from games.find import carried_file, rulebook_on_disk
from games.gamefile import book_of
from games.graph import GameGraph, shared_graph
from games.notebook import WIDEST, map_html, shortened
from games.observation import observe

TOLERANCE = 1e-6  # a row this close to 1 is renormalised, once
MAX_TEXT = 65_536  # bytes beside the tables of a policy: the head of an array, a few words


@dataclass(frozen=True, eq=False)
class Policy:
    """Validated: finite, not negative, nothing on illegal moves, rows sum to 1 (to 0 where there is no legal move)."""

    graph: GameGraph
    probability: NDArray[np.float64]  # [S, A]
    extra: dict[str, NDArray[Any]] = field(default_factory=dict)  # further arrays that the file carries along

    def __post_init__(self) -> None:
        object.__setattr__(self, "probability", _validated(self.graph, self.probability))

    def __repr__(self) -> str:
        asked, mixed = self.graph.legal.any(axis=1).sum(), ((self.probability > 0).sum(axis=1) > 1).sum()
        how = f"mixed in {mixed:,} of {asked:,} positions" if mixed else f"one move in each of {asked:,} positions"
        return f"<Policy for {named(self.graph.game, self.graph.parameters)}: {how}>"

    def _repr_html_(self) -> str:
        shown = self.probability[:WIDEST]
        marks = np.where(shown > 0, np.digitize(shown, [0.5, 1.0 - TOLERANCE]), -1)
        legend = [("less than half", "#b9d6f2"), ("half or more", "#5b9bd5"), ("always", "#1f4e79")]
        return map_html(repr(self)[1:-1], marks, self.graph.num_states, legend)

    @staticmethod
    def uniform(graph: GameGraph) -> Policy:
        """Any legal move alike."""
        return Policy.alike(graph, graph.legal)

    @staticmethod
    def alike(graph: GameGraph, moves: NDArray[np.bool_]) -> Policy:
        """[S, A]: any of these moves alike."""
        return Policy(graph, moves / np.maximum(moves.sum(axis=1, keepdims=True), 1))

    @staticmethod
    def greedy(graph: GameGraph, preference: ArrayLike) -> Policy:
        """[S, A]: the legal move preferred most, the lowest of them where several are.

        Logits, values or counts of anyone's; a tensor is taken as an array is, with gradients too.
        """
        score = _as_array(graph, preference, "the preferences are")
        if score.shape != graph.next_state.shape:
            shape = f"{graph.next_state.shape} (states, actions)"
            raise Mistake(f"{graph.game}: preferences have the shape {shape}, not {score.shape}")
        for state in np.flatnonzero((np.isnan(score) & graph.legal).any(axis=1))[:1].tolist():
            raise Mistake(f"{graph.game}: state {state} ({graph.words(state)}) has a preference that is not a number")
        finite = np.maximum(score.astype(np.float64), np.finfo(np.float64).min)  # a legal move may be told as -inf
        return Policy(graph, _one_hot(graph, np.where(graph.legal, finite, -np.inf).argmax(axis=1)))

    @staticmethod
    def from_function(
        graph: GameGraph, function: Callable[[Any, Any], ArrayLike], observation: str = "onehot"
    ) -> Policy:
        """Anyone's model: function(observations [S, width], masks [S, A]) -> actions [S] or probabilities [S, A].

        It is asked about every reachable position at once. Positions without a legal move are asked too; their answer
        does not count. Tensors are taken as arrays are, with gradients too.
        """
        answer = function(observe(graph, observation), graph.legal.astype(np.int8))
        answer = _as_array(graph, answer, "the function answers with")
        if answer.shape == (graph.num_states, 1) and graph.num_actions > 1:
            answer = answer[:, 0]  # actions as a column
        if answer.shape == (graph.num_states,):
            answer = _actions(graph, answer)
            outside = (answer < 0) | (answer >= graph.num_actions)
            for state in np.flatnonzero(outside & graph.legal.any(axis=1))[:1].tolist():
                raise Mistake(
                    f"{graph.game}: action {answer[state]} at state {state} ({graph.words(state)}); "
                    f"actions are 0 to {graph.num_actions - 1}"
                )
            answer = _one_hot(graph, np.where(outside, 0, answer))
        elif answer.shape == graph.next_state.shape:
            answer = np.where(graph.legal.any(axis=1, keepdims=True), answer, 0.0)
        return Policy(graph, answer)

    def act(self, state: int, generator: np.random.Generator | None = None) -> int:
        """An action: the most probable one (the lowest of several), or one drawn with the generator."""
        row = self.probability[state]
        if not row.any():
            raise Mistake(f"{self.graph.game}: no legal move at state {state} ({self.graph.words(state)})")
        return int(row.argmax() if generator is None else generator.choice(len(row), p=row))

    def save(self, path: str | os.PathLike[str]) -> None:
        """One npz file of `arrays`, and for a game from elsewhere its game file beside it; each whole or not at all."""
        what_now = "make room, or name a file in a folder that exists"
        for name, content in carried_file(book_of(self.graph)).items():
            with whole(Path(path).with_name(name), what_now) as file:
                file.write(content)
        with whole(path, what_now) as file:
            np.savez(file, **self.arrays())

    def arrays(self) -> dict[str, Any]:
        """What is saved: it describes itself, and holds no Python object."""
        graph = self.graph
        return {
            "probability": self.probability,
            "positions": graph.positions,
            "fields": np.array(list(graph.fields)),
            "moves": graph.moves,
            "game": np.array(graph.game),
            "parameters": np.array(json.dumps(dict(graph.parameters), sort_keys=True)),
            "checksum": np.array(graph.checksum),
            **self.extra,
        }

    @staticmethod
    def load(path: str | os.PathLike[str], graph: GameGraph | None = None) -> Policy:
        """The policy in a file. Its game is one of the folder, or its game file lies beside it; or `graph` is it."""
        with opened_arrays(path, os.fspath(path), "a policy file", "make it anew") as file:
            return _read(file, Path(path).parent, graph)


def _read(file: Arrays, folder: Path, graph: GameGraph | None) -> Policy:
    described = ("probability", "moves", "game", "parameters", "checksum")
    if missing := [key for key in described if key not in file.sizes]:
        raise Mistake(f"{file.where}: not a policy file (it has no {', '.join(missing)})")
    game, parameters, checksum = (file.text(key) for key in ("game", "parameters", "checksum"))
    if graph is None:
        shape = file.shape("probability")
        values = parsed_json(parameters, f"{file.where}: parameters", "make it anew")
        graph = shared_graph(rulebook_on_disk(game, values, checksum, folder), shape)
    if checksum != graph.checksum:
        what = f"made for another version of {game} or for another game than {graph.game}"
        raise Mistake(f"{file.where}: {what}; make it anew")
    largest = 8 * graph.next_state.size + MAX_TEXT  # known from the game, so no file makes us allocate more
    known = {*described, "positions", "fields"}
    return Policy(
        graph, file.read("probability", largest), {k: file.read(k, largest) for k in file.sizes if k not in known}
    )


def _as_array(graph: GameGraph, answer: Any, what: str) -> NDArray[Any]:
    if hasattr(answer, "detach"):  # a tensor of torch, maybe with gradients, maybe on another device
        answer = answer.detach().cpu()
    try:
        array = np.asarray(answer)
        if array.dtype.kind in "biuf":
            return array
        why = f"{array.dtype} of shape {array.shape}"
    except (TypeError, ValueError) as error:
        why = str(error).splitlines()[0]
    raise Mistake(f"{graph.game}: {what} no array of numbers ({why}); one number for each (state, action) is wanted")


def _actions(graph: GameGraph, answer: NDArray[Any]) -> NDArray[np.int64]:
    """[S]: actions, which may be told as floats, but not probabilities of a single action."""
    values = answer.astype(np.float64)
    odd = (values != np.floor(values)) | ~np.isfinite(values) | (answer.dtype.kind == "b")
    for value in answer[odd][:1]:
        raise Mistake(
            f"{graph.game}: one number for each position must be its action, not {value}; "
            f"return probabilities as {graph.next_state.shape} (states, actions)"
        )
    return answer.astype(np.int64)


def _one_hot(graph: GameGraph, action: NDArray[np.integer]) -> NDArray[np.float64]:
    table = np.zeros(graph.next_state.shape)
    table[np.arange(len(table)), action] = graph.legal.any(axis=1)
    return table


def _validated(graph: GameGraph, given: Any) -> NDArray[np.float64]:
    table = np.array(given, dtype=np.float64)  # a copy: nobody changes a policy from outside
    if table.shape != graph.next_state.shape:
        raise Mistake(
            f"{graph.game}: a policy has the shape {graph.next_state.shape} (states, actions), not {table.shape}"
        )
    total = table.sum(axis=1)
    faults = (
        (~np.isfinite(table).all(axis=1), "has a probability that is not finite"),
        ((table < 0).any(axis=1), "has a negative probability"),
        (((table > 0) & ~graph.legal).any(axis=1), "puts probability on an illegal move"),
        (abs(total - graph.legal.any(axis=1)) > TOLERANCE, "does not sum to 1"),
    )
    for wrong, what in faults:
        for state in np.flatnonzero(wrong)[:1].tolist():
            raise Mistake(f"{graph.game}: state {state} ({graph.words(state)}) {what}: {shortened(table[state])}")
    table /= np.where(total > 0, total, 1.0)[:, None]
    table.flags.writeable = False
    return table
