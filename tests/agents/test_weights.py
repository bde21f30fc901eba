"""Network files that were damaged, changed or made to deceive: one line each, and nothing large is made of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load, save

from agents.ppo import load_network
from agents.weights import packed, parameters_in, read
from base.manifest import MANIFEST, manifest
from games import Mistake, compile_rulebook, make_rulebook
from training.loop import train
from training.resolve import resolve
from training.run import Run

GRAPH = compile_rulebook(make_rulebook("fifty-wins"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with a network."""
    small = {"steps": 600, "evaluations": 1, "games": 30, "plies": 5, "batch": 150, "width": 8, "layers": 2}
    settings = resolve(env="fifty-wins", agent="ppo", changes=small)
    run = Run(settings.path(tmp_path_factory.mktemp("whole")))
    train(settings, run)
    return run.path


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "run")
    return tmp_path / "run"


def signed(run: Path) -> None:
    """A new manifest, as one makes it who wants to deceive."""
    names = json.loads((run / MANIFEST).read_text())["files"]
    (run / MANIFEST).write_bytes(manifest({name: (run / name).read_bytes() for name in names}))


def test_a_run_as_it_was_left_has_a_network(run: Path) -> None:
    assert parameters_in(run / "network.safetensors") == sum(p.numel() for p in load_network(run).parameters())


def test_a_flipped_bit_is_noticed_with_a_manifest_and_without_one(run: Path) -> None:
    file = run / "network.safetensors"
    good = file.read_bytes()
    for place in range(len(good) - 1, len(good) - 400, -37):  # in the weights: any bit makes other numbers
        file.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        with pytest.raises(Mistake, match="is not as the run left it"):
            load_network(run)
    (run / MANIFEST).unlink()
    with pytest.raises(Mistake, match="its digest does not fit its content"):
        load_network(run)


def test_a_network_is_bound_to_the_policy_beside_it(run: Path) -> None:
    file = run / "network.safetensors"
    tensors, graph, view = read(file)
    action = next(name for name in tensors if "action_net" in name and tensors[name].ndim == 2)
    file.write_bytes(packed(tensors | {action: -tensors[action]}, graph, view))  # whole, with a digest of its own
    signed(run)
    with pytest.raises(Mistake, match=r"does not play as policy\.npz beside it"):
        load_network(run)
    (run / "policy.npz").unlink()
    (run / MANIFEST).unlink()
    assert load_network(run) is not None


def with_tensor(shape: tuple[int, ...]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda tensors: tensors | {"mlp_extractor.policy_net.0.weight": np.zeros(shape, np.float32)}


@pytest.mark.parametrize("shape", [(), (3,), (3, 3, 3), (0, 0), (7, 1)])
def test_layers_that_fit_no_network_are_refused_before_one_is_made(shape: tuple[int, ...], tmp_path: Path) -> None:
    file = tmp_path / "network.safetensors"
    file.write_bytes(packed(with_tensor(shape)({}), GRAPH, "onehot"))
    with pytest.raises(Mistake, match="its tensors make no network of ours"):
        load_network(file)


def forged(head: bytes, rest: bytes = b"") -> bytes:
    return len(head).to_bytes(8, "little") + head + rest


ABOUT = {"game": "fifty-wins", "parameters": "{}", "checksum": GRAPH.checksum, "view": "onehot", "digest": ""}
EMPTY = {"dtype": "F32", "shape": [2**40, 0], "data_offsets": [0, 0]}
HEADS = {
    "nothing": b"",
    "a head longer than the file": (1 << 40).to_bytes(8, "little") + b"{}",
    "deep": forged(b'{"a":' + b"[" * 50_000),
    "a list": forged(b"[]"),
    "not text": forged(b"\xff\xfe"),
    "a shape that nothing bears out": forged(json.dumps({"__metadata__": ABOUT, "x": EMPTY}).encode()),
    "a shape below 0": forged(json.dumps({"__metadata__": ABOUT, "x": {**EMPTY, "shape": [-1]}}).encode()),
    "no shape": forged(json.dumps({"__metadata__": ABOUT, "x": 3}).encode()),
    "offsets beyond the end": forged(
        json.dumps({"__metadata__": ABOUT, "x": {**EMPTY, "shape": [4], "data_offsets": [0, 2**60]}}).encode()
    ),
    "about nothing": forged(b"{}"),
    "about a list": forged(b'{"__metadata__": []}'),
    "parameters that are deep": forged(json.dumps({"__metadata__": ABOUT | {"parameters": "[" * 9_000}}).encode()),
}


@pytest.mark.parametrize("name", HEADS)
def test_a_forged_head_is_one_line(name: str, tmp_path: Path) -> None:
    file = tmp_path / "network.safetensors"
    file.write_bytes(HEADS[name])
    with pytest.raises(Mistake) as caught:
        load_network(file)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_no_cut_of_a_file_gives_anything_but_one_line(run: Path) -> None:
    (run / MANIFEST).unlink()
    file = run / "network.safetensors"
    good = file.read_bytes()
    for length in range(0, len(good), 97):
        file.write_bytes(good[:length])
        with pytest.raises(Mistake):
            load_network(run)


def test_a_file_of_other_tools_is_refused_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(save({"x": np.zeros(3, np.float32)}))
    assert load(file.read_bytes())["x"].shape == (3,)
    with pytest.raises(Mistake, match="does not say which game it is for"):
        load_network(file)
