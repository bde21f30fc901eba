"""An entry to a ladder: what somebody's runs have reached, with the policy of every run, so that anyone can judge it.

entry.json      the ladder, who, the settings, where the code is, and what is claimed of each run: not believed
ladder.toml     the ladder as it was
policies.npz    member_0, member_1, ...: [S, K], for each member in the order of its first run: the greedy action of
                each of its K runs in every state, -1 where there is no move; on a ladder of horizons the states are
                those of all members that count, one after the other
network_N.safetensors    the weights of run N, where the number of parameters counts
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.elsewhere import Network
from agents.saved import load
from agents.weights import parameters_in
from base.files import write_together
from base.mistake import Mistake
from games import Policy
from solver import Scorecard
from solver.facts import facts
from training.ladders.ladder import Ladder
from training.ladders.members import graphs
from training.run import workshop
from training.sweeps.folder import Sweep
from training.sweeps.tables import read_json

FORMAT = "perfect-play-entry-2"
LARGEST_JSON = 1 << 26  # bytes
LARGEST_ARRAY = 1 << 28


@dataclass(frozen=True)
class RunClaim:
    """What an entry says of one run. Plies and seconds cannot be judged from a policy, and stay claims."""

    env: str
    parameters: Mapping[str, int | str]
    seed: int
    blunders: int
    steps: int
    steps_to_perfect: int | None
    cpu_seconds: float | None
    parameters_of_network: int | None
    left: tuple[tuple[int, float], ...] | None = None  # each blunder: its state, and how likely self-play came there


@dataclass(frozen=True)
class Entry:
    ladder: str
    who: str
    settings: Mapping[str, Any]
    code: Mapping[str, Any]
    runs: tuple[RunClaim, ...]


def write_entry(ladder: Ladder, who: str, sweep: Sweep, folder: Path) -> Entry:
    """From the finished runs of a sweep."""
    claims, actions, files = list[RunClaim](), list[NDArray[np.int16]](), dict[Path, bytes]()
    for task in sweep.tasks:
        status = sweep.status(task)
        if status["status"] != "finished":
            continue
        place = sweep.path / task.name
        card = Scorecard.from_json((place / "scorecard.json").read_text(encoding="utf-8"), str(place))
        number, policy = len(claims), load(place)
        actions.append(_greedy(policy) if ladder.judged is None else _on_members(ladder, place))
        network = place / "network.safetensors"
        if ladder.score == "parameters" and network.is_file():
            files[folder / f"network_{number}.safetensors"] = network.read_bytes()
        seconds = status.get("cpu_seconds")
        claims.append(
            RunClaim(
                env=_env_of(ladder, task.settings.book.name),
                parameters=dict(task.settings.book.parameters),
                seed=task.settings.seed,
                blunders=card.blunders,
                steps=int(card.steps or 0),
                steps_to_perfect=card.steps_to_perfect,
                cpu_seconds=seconds if isinstance(seconds, int | float) else None,
                parameters_of_network=parameters_in(network) if network.is_file() else None,
                left=_left(policy) if ladder.score == "blunders" else None,
            )
        )
    if not claims:
        raise Mistake(f"{sweep.path}: no run has finished, so there is nothing to enter")
    here = workshop()
    code = {
        "commit": here["commit"],
        "changed_since_commit": here["changed_since_commit"],
        "versions": here["versions"],
    }
    settings = sweep.tasks[0].settings.table()
    entry = Entry(ladder.name, who, {"agent": settings["agent"]} | settings["settings"], code, tuple(claims))
    files[folder / "policies.npz"] = _packed(claims, actions)
    text = json.dumps({"format": FORMAT, **asdict(entry)}, indent=1, allow_nan=False) + "\n"
    files[folder / "ladder.toml"] = ladder.source.encode()
    folder.mkdir(parents=True, exist_ok=True)
    write_together(files | {folder / "entry.json": text.encode()}, "make room, and run the ladder once more")
    return entry


def read_entry(folder: Path) -> Entry:
    from pydantic import TypeAdapter, ValidationError

    file = folder / "entry.json"
    if not file.is_file():
        raise Mistake(f"{folder}: no entry of a ladder; name a folder that ladder.py has written")
    table = read_json(file)
    if table.pop("format", None) != FORMAT:
        raise Mistake(f"{file}: not an entry of this version ({FORMAT}); name the folder of an entry")
    try:
        return TypeAdapter(Entry).validate_python(table)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        raise Mistake(f"{file}: {place} does not do: {fault['msg'].lower()}") from None


def read_actions(folder: Path, claims: Sequence[RunClaim]) -> list[NDArray[np.int64]]:
    """[S] for each run; nothing is allocated that is larger than policies can be."""
    file, members = folder / "policies.npz", _members(claims)
    actions: dict[int, NDArray[np.int64]] = {}
    try:
        with zipfile.ZipFile(file) as archive, np.load(file, allow_pickle=False) as arrays:
            sizes = {info.filename.removesuffix(".npy"): info.file_size for info in archive.infolist()}
            names = [f"member_{number}" for number in range(len(members))]
            if sorted(sizes) != sorted(names) or max(sizes.values(), default=0) > LARGEST_ARRAY:
                raise Mistake(f"{file}: holds other arrays than one for each of the {len(members)} members played")
            for name, runs in zip(names, members, strict=True):
                table = np.asarray(arrays[name], dtype=np.int64)
                if table.ndim != 2 or table.shape[1] != len(runs):
                    raise Mistake(
                        f"{file}: {name} has the shape {table.shape}; it has a column for each of {len(runs)} runs"
                    )
                actions |= zip(runs, table.T, strict=True)
    except Mistake:
        raise
    except Exception as error:  # a damaged file fails in many ways; all mean the same to the reader
        raise Mistake(f"{file}: not the policies of an entry ({type(error).__name__}: {error})") from error
    return [actions[number] for number in range(len(claims))]


def _greedy(policy: Policy) -> NDArray[np.int16]:
    """[S]: its action in every state, -1 where there is no move."""
    can_move = policy.probability.any(axis=1)
    return np.where(can_move, policy.probability.argmax(axis=1), -1).astype(np.int16)


def _left(policy: Policy) -> tuple[tuple[int, float], ...] | None:
    """Where it blunders, and the exact probability that a game as it played them from the opening comes there."""
    graph, known = policy.graph, facts(policy.graph)
    played = policy.extra.get("stochastic")
    if played is None or not graph.ordered:
        return None
    reach = np.zeros(graph.num_states)
    reach[0] = 1.0
    for state in range(graph.num_states):  # every move leads to a later state
        for action in np.flatnonzero(graph.next_state[state] >= 0):
            reach[graph.next_state[state, action]] += reach[state] * played[state, action]
    bad = (policy.probability[known.critical] * known.blunder[known.critical]).any(axis=1)
    return tuple((int(state), float(reach[state])) for state in known.critical[bad])


def _on_members(ladder: Ladder, place: Path) -> NDArray[np.int16]:
    """The actions of the network of a run in every state of every member that counts."""
    network, (name, sizes) = Network.of(place), ladder.judged_members()
    return np.concatenate([_greedy(network.policy(graph)) for graph in graphs(network.book(), name, sizes)])


def _packed(claims: Sequence[RunClaim], actions: Sequence[NDArray[np.int16]]) -> bytes:
    """Seeds side by side: they play alike in many states, and so take little room."""
    tables = {}
    for number, runs in enumerate(_members(claims)):
        table = np.stack([actions[run] for run in runs], axis=1)
        tables[f"member_{number}"] = table.astype(np.int8) if table.max() < 128 else table
    arrays = io.BytesIO()
    np.savez_compressed(arrays, **tables)  # type: ignore[arg-type]
    return arrays.getvalue()


def _members(claims: Sequence[RunClaim]) -> list[list[int]]:
    """The runs of each member, by their numbers."""
    members: dict[tuple[str, str], list[int]] = {}
    for number, claim in enumerate(claims):
        members.setdefault((claim.env, json.dumps(dict(claim.parameters), sort_keys=True)), []).append(number)
    return list(members.values())


def _env_of(ladder: Ladder, game: str) -> str:
    """How the ladder names this game: a path, where it is not one of the folder."""
    for member in ladder.members:
        env = str(member["env"])
        if env == game or Path(env).stem.replace("_", "-") == game:
            return env
    return game
