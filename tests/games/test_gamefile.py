"""Game files: what is written is read again, what was changed is refused, and nothing in them is executed."""

from __future__ import annotations

import copy
import io
import json
import pickle
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from games import DRAW, GameGraph, Mistake, Policy, RuleBook, StoredGame, compile_rulebook, make_rulebook, read_game
from games.check import check_rulebook
from games.gamefile import digest, read_content
from solver import solve

NIM = str(Path(__file__).parents[2] / "examples" / "books" / "nim.py")
MUTATIONS = 1_000


def test_a_game_file_is_the_same_game(relative: RuleBook, tmp_path: Path) -> None:
    graph = compile_rulebook(relative)
    StoredGame.of(graph).save(tmp_path / "some.game")
    book = make_rulebook(str(tmp_path / "some.game"))
    again = compile_rulebook(book)
    assert again.checksum == graph.checksum
    assert np.array_equal(solve(again).value, solve(graph).value)
    for state in range(0, graph.num_states, 1 + graph.num_states // 7):
        assert again.words(state) == graph.words(state)
        for action, move in enumerate(graph.moves.tolist()):
            after, position = int(graph.next_state[state, action]), tuple(graph.positions[state].tolist())
            there = book.step(move, position)
            assert there == (after if after < 0 else tuple(graph.positions[after].tolist()))
    assert (book.title, book.text, book.parameters) == (relative.title, relative.text, relative.parameters)


def test_a_stored_game_passes_the_check_of_rule_books() -> None:
    book = StoredGame.of(compile_rulebook(make_rulebook(NIM)))
    assert not check_rulebook(book).faults


def test_the_same_game_gives_the_same_bytes() -> None:
    one, other = (StoredGame.of(compile_rulebook(make_rulebook(NIM, rows=2))) for _ in range(2))
    assert one.content == other.content
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one


def test_a_graph_built_by_hand_becomes_a_game_with_a_draw(tmp_path: Path) -> None:
    next_state = np.array([[1, int(DRAW)], [-2, -1]], np.int32)
    graph = GameGraph("by-hand", {}, {"stage": 2}, np.array([[0], [1]], np.int32), np.array([3, 5]), next_state)
    StoredGame.of(graph).save(tmp_path / "hand.game")
    book = read_game(tmp_path / "hand.game")
    assert book.play(5, 0) == DRAW
    assert book.play(3, 0) == (1,)
    assert book.name_of(3) == "3"


def test_a_policy_of_a_game_from_elsewhere_is_judged_anywhere(tmp_path: Path) -> None:
    graph = compile_rulebook(make_rulebook(NIM, rows=2))
    Policy.uniform(graph).save(tmp_path / "uniform.npz")
    (tmp_path / "moved").mkdir()
    for file in list(tmp_path.glob("*.*")):
        file.rename(tmp_path / "moved" / file.name)
    assert Policy.load(tmp_path / "moved" / "uniform.npz").graph.checksum == graph.checksum
    [carried] = (tmp_path / "moved").glob("*.game")
    carried.unlink()
    with pytest.raises(Mistake, match="a game that came from elsewhere"):
        Policy.load(tmp_path / "moved" / "uniform.npz")


def test_a_mutated_game_file_is_refused_in_one_line_or_gives_the_same_game() -> None:
    content = StoredGame.of(compile_rulebook(make_rulebook(NIM, rows=2))).content
    same, chance, refusals = read_content(content, "here"), random.Random(0), list[str]()
    for _ in range(MUTATIONS):
        changed = bytearray(content)
        for _ in range(chance.choice((1, 1, 2, 8))):
            at = chance.randrange(len(changed))
            kind = chance.randrange(4)
            if kind == 0:
                changed[at] ^= 1 << chance.randrange(8)
            elif kind == 1:
                changed[at] = chance.randrange(256)
            elif kind == 2:
                del changed[at : at + chance.choice((1, 4, 200))]
            else:
                changed[at:at] = bytes(chance.randrange(256) for _ in range(chance.choice((1, 4))))
            if not changed:
                break
        try:
            assert read_content(bytes(changed), "here") == same
        except Mistake as mistake:
            refusals.append(str(mistake))
    assert len(refusals) > MUTATIONS // 2
    assert all(refusal.isprintable() for refusal in refusals)


def rewritten(change: dict[str, object], arrays: dict[str, object] | None = None, sign: bool = True) -> bytes:
    """A file with other entries in its description or other arrays, whose digest fits all the same."""
    with np.load(io.BytesIO(StoredGame.of(compile_rulebook(make_rulebook(NIM, rows=2))).content)) as file:
        parts = {name: file[name] for name in file.files}
    about = json.loads(bytes(parts.pop("about")))
    parts |= {name: np.array(value, dtype=parts[name].dtype) for name, value in (arrays or {}).items()}
    about |= change
    if sign:
        about["digest"] = digest(about, parts)
    buffer = io.BytesIO()
    np.savez(buffer, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8), **parts)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"game": "../../etc/passwd"}, "its name is not made of"),
        ({"title": "\x1b[2Jgone"}, "printable"),
        ({"move_names": ["a"]}, "one name for each move"),
        ({"move_names": ["a", "A", "b", "c"]}, "both called"),
        ({"move_names": ["201", "b", "c", "d"]}, "the number of another move"),
        ({"parameters": {"rows": [1]}}, "whole numbers or short texts"),
        ({"fields": [["taken_1", 2], ["taken_2", 10**12]]}, "a size that none can have"),
        ({"endings": {"-9": "odd"}}, "verdicts"),
        ({"format": "perfect-play-game-9"}, "this program reads"),
        ({"checksum": "0" * 64}, "checksum"),
    ],
)
def test_a_forged_description_is_refused_though_its_digest_fits(change: dict[str, object], why: str) -> None:
    with pytest.raises(Mistake, match=why):
        read_content(rewritten(change), "here")


def test_a_forged_array_is_refused_though_its_digest_fits() -> None:
    graph = compile_rulebook(make_rulebook(NIM, rows=2))
    outside, unreached = graph.next_state.copy(), graph.next_state.copy()
    outside[0, 0], unreached[unreached == 1] = graph.num_states, -1
    for next_state, why in ((outside, "not there"), (unreached, "does not lead to each")):
        with pytest.raises(Mistake, match=why):
            read_content(rewritten({}, {"next_state": next_state}), "here")
    with pytest.raises(Mistake, match="not sorted"):
        read_content(rewritten({}, {"positions": graph.positions[[0, *range(graph.num_states - 1, 0, -1)]]}), "here")
    with pytest.raises(Mistake, match="digest"):
        read_content(rewritten({"title": "Another"}, sign=False), "here")


def test_a_lying_header_allocates_nothing() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<i4", "fortran_order": False, "shape": (10**9, 10**3)})
        archive.writestr("positions.npy", header.getvalue() + b"1234")
    with pytest.raises(Mistake, match="positions claims the shape"):
        read_content(buffer.getvalue(), "here")


def test_a_pickle_in_a_game_file_is_never_loaded() -> None:
    buffer = io.BytesIO()
    np.savez(buffer, about=np.array([{"a": 1}], dtype=object), positions=np.zeros((1, 1), np.int32))
    with pytest.raises(Mistake, match="holds object"):
        read_content(buffer.getvalue(), "here")
