"""The page about scale: its arithmetic is that of real arrays, its measurements are those of the benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.make.scale import bytes_per_pair, measured, page
from games import Mistake, RuleBook, compile_rulebook
from solver import solve

ROOT = Path(__file__).parents[2]


def test_the_stored_page_is_what_the_command_prints() -> None:
    assert (ROOT / "docs" / "measured" / "scale.md").read_text(encoding="utf-8") == "\n".join(page()) + "\n"


def test_every_file_and_command_on_the_page_is_there() -> None:
    text = "\n".join(page())
    assert (ROOT / "training" / "sweeps" / "plan.py").is_file()
    assert "configs/sweeps/record.toml" in text
    help_text = (ROOT / "sweep.py").read_text(encoding="utf-8")
    for flag in ("--jobs", "--retry-failed", "--backend", "--address", "--out"):
        assert f"`{flag}`" in text or f" {flag} " in text
        assert f'"{flag}"' in help_text


def test_bytes_are_counted_as_the_arrays_take_them(book: RuleBook) -> None:
    graph = compile_rulebook(book)
    solution = solve(graph)
    arrays = [graph.next_state, graph.positions, *vars(solution).values()]
    pairs = graph.next_state.size
    assert sum(array.nbytes for array in arrays) == pytest.approx(
        pairs * bytes_per_pair(pairs, graph.num_actions, len(graph.fields))
    )


def test_what_was_measured_is_read_from_the_benchmark(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(
        "### A race: some\n\n| pairs | states |\n|---:|---:|\n"
        "| 10 | 1 | 5 ms | 6 µs | 7 s | 8 s |  | 164 | x |\n"
        "| 2,000 | 200 | 1.5 s | 250 ms | 3 s | 4.75 s | 9 | 99 | x |\n\n"
        "### Another\n\n| 5 | 5 | 1 s | 1 s | 1 s | | | 7 |\n"
    )
    found = measured(file)
    assert (found.pairs, found.states, found.compile, found.solve, found.certify) == (2000, 200, 1.5, 0.25, 3.0)
    assert (found.seconds, found.peak) == (4.75, 99)
    file.write_text("nothing")
    with pytest.raises(Mistake, match="no table of a race"):
        measured(file)
