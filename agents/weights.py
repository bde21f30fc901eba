"""The weights of a network on disk: tensors and nothing else (safetensors), with the game and the view they are for."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games import GameGraph, Mistake
from games.find import rulebook_on_disk
from games.graph import shared_graph

Tensors = dict[str, NDArray[Any]]


def packed(tensors: Mapping[str, NDArray[Any]], graph: GameGraph, view: str) -> bytes:
    """The bytes of a file for these weights: the same weights give the same bytes."""
    from safetensors.numpy import save

    about = {"game": graph.game, "parameters": json.dumps(dict(graph.parameters)), "checksum": graph.checksum}
    content = save({name: np.ascontiguousarray(array) for name, array in tensors.items()}, about | {"view": view})
    # safetensors writes what the file is about in another order each time: the head is written once more, in one order.
    end = 8 + int.from_bytes(content[:8], "little")
    head = json.dumps(json.loads(content[8:end]), sort_keys=True, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)  # tensors begin at a multiple of 8
    return len(head).to_bytes(8, "little") + head + content[end:]


def read(path: str | os.PathLike[str], graph: GameGraph | None = None) -> tuple[Tensors, GameGraph, str]:
    """Weights, game and view. Without a graph, the game that the file names; with one, another game is refused."""
    from safetensors import safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (it is no dictionary)
    except Exception as error:  # a damaged file fails in many ways; all mean the same to the reader
        raise Mistake(f"{path}: not a network file ({type(error).__name__}: {error})") from error
    missing = [key for key in ("game", "parameters", "checksum", "view") if key not in about]
    if missing:
        raise Mistake(f"{path}: does not say which game it is for (no {', '.join(missing)}); a run of ours writes that")
    if graph is None:
        try:
            book = rulebook_on_disk(
                about["game"], json.loads(about["parameters"]), about["checksum"], Path(path).parent
            )
            graph = shared_graph(book)
        except (ValueError, TypeError) as error:
            raise Mistake(f"{path}: {error}") from error
    if about["checksum"] != graph.checksum:
        told = f"{graph.game} {dict(graph.parameters)}"
        raise Mistake(f"{path}: a network for {about['game']} {about['parameters']}, not for this {told}; train one")
    return tensors, graph, about["view"]
