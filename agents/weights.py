"""The weights of a network on disk: tensors and nothing else (safetensors), with the game and the view they are for."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.manifest import edited
from base.reading import parsed_json, read_bytes
from games import GameGraph, Mistake
from games.find import rulebook_on_disk
from games.graph import shared_graph

Tensors = dict[str, NDArray[Any]]
LARGEST = 1 << 30  # bytes of a file
LARGEST_HEAD = 1 << 20  # bytes of the list of tensors in front of it
ANEW = "train the run anew"
TOLD = ("game", "parameters", "checksum", "view", "digest")


def packed(tensors: Mapping[str, NDArray[Any]], graph: GameGraph, view: str) -> bytes:
    """The bytes of a file for these weights: the same weights give the same bytes."""
    from safetensors.numpy import save

    whole = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    about = {"game": graph.game, "parameters": json.dumps(dict(graph.parameters)), "checksum": graph.checksum}
    about |= {"view": view}
    content = save(whole, about | {"digest": _digest(whole, about)})
    # safetensors writes what the file is about in another order each time: the head is written once more, in one order.
    end = 8 + int.from_bytes(content[:8], "little")
    head = json.dumps(json.loads(content[8:end]), sort_keys=True, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)  # tensors begin at a multiple of 8
    return len(head).to_bytes(8, "little") + head + content[end:]


def read(path: str | os.PathLike[str], graph: GameGraph | None = None) -> tuple[Tensors, GameGraph, str]:
    """Weights, game and view. Without a graph, the game that the file names; with one, another game is refused.

    Nothing is believed unchecked: a digest in the file binds the tensors to the game, and where a run's manifest lies
    beside it, the file must be as the run left it.
    """
    file = Path(path)
    if (file.parent / "manifest.json").is_file() and file.name in edited(file.parent):
        raise Mistake(f"{path}: is not as the run left it; {ANEW}")
    tensors, about = _unpacked(read_bytes(path, LARGEST, ANEW), os.fspath(path))
    if about["digest"] != _digest(tensors, {key: about[key] for key in TOLD if key != "digest"}):
        raise Mistake(f"{path}: its digest does not fit its content; it was damaged or changed")
    if graph is None:
        parameters = parsed_json(about["parameters"], f"{path}: parameters", ANEW)
        try:
            book = rulebook_on_disk(about["game"], parameters, about["checksum"], file.parent)
            graph = shared_graph(book)
        except (ValueError, TypeError) as error:
            raise Mistake(f"{path}: {error}") from error
    if about["checksum"] != graph.checksum:
        member = f"{graph.game} {dict(graph.parameters)}"
        raise Mistake(f"{path}: a network for {about['game']} {about['parameters']}, not for this {member}; train one")
    return tensors, graph, about["view"]


def parameters_in(path: str | os.PathLike[str]) -> int:
    """How many numbers a network file holds."""
    tensors, _ = _unpacked(read_bytes(path, LARGEST, ANEW), os.fspath(path))
    return sum(array.size for array in tensors.values())


def _unpacked(content: bytes, where: str) -> tuple[Tensors, dict[str, str]]:
    """The tensors in the bytes of a file, and what it says it is for."""
    from safetensors.numpy import load

    about = _about(content, where)
    try:
        return load(content), about
    except Exception as error:  # a damaged file fails in many ways; all mean the same to the reader
        raise Mistake(f"{where}: not a network file ({type(error).__name__}: {error}); {ANEW}") from error


def _about(content: bytes, where: str) -> dict[str, str]:
    """What the head says, looked at before anything is made of it."""
    end = 8 + int.from_bytes(content[:8], "little")
    if not 8 < end <= min(len(content), 8 + LARGEST_HEAD):
        raise Mistake(f"{where}: not a network file; {ANEW}")
    head = parsed_json(content[8:end], f"{where}: not a network file: its head", ANEW)
    if not isinstance(head, dict):
        raise Mistake(f"{where}: not a network file (its head is no object); {ANEW}")
    about = head.pop("__metadata__", {})
    for name, tensor in head.items():
        shape = tensor.get("shape") if isinstance(tensor, dict) else None
        if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
            raise Mistake(f"{where}: not a network file ({name} has no shape); {ANEW}")
        if len(shape) > 8 or prod(max(size, 1) for size in shape) > len(content):
            raise Mistake(f"{where}: {name} claims the shape {shape}, which is not what there is; {ANEW}")
    missing = [key for key in TOLD if not isinstance(about, dict) or not isinstance(about.get(key), str)]
    if missing:
        raise Mistake(
            f"{where}: does not say which game it is for (no {', '.join(missing)}); a run of ours writes that"
        )
    return {key: about[key] for key in TOLD}


def _digest(tensors: Mapping[str, NDArray[Any]], about: Mapping[str, str]) -> str:
    """SHA-256 of the weights and of what they are for."""
    sha = hashlib.sha256(json.dumps(dict(about), sort_keys=True).encode())
    for name, array in sorted(tensors.items()):
        sha.update(f"{name} {array.dtype.str} {array.shape}".encode())
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()
