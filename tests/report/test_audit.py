"""The audit: the stored page is what the command prints, and its verdicts come from cases, not from the text."""

from __future__ import annotations

import re
from pathlib import Path

from docs.make.audit import page
from games import compile_rulebook, make_rulebook, rulebook_names
from report.audit import SECTIONS, Case, cycles, exists, fifty_wins, for_all, number_flip

ROOT = Path(__file__).parents[2]


def test_the_stored_page_is_what_the_command_prints() -> None:
    assert (ROOT / "docs" / "measured" / "audit.md").read_text(encoding="utf-8") == page(), "run `make docs`"


def test_every_game_is_audited() -> None:
    assert sorted(SECTIONS) == rulebook_names()


def test_one_case_against_a_claim_about_all_cases_is_enough() -> None:
    assert for_all("", "", [Case("a", True), Case("b", True)]).holds
    found = for_all("", "", [Case("a", True), Case("b", False), Case("c", False)])
    assert (found.holds, found.evidence) == (False, "fails in 2 of 3 cases; the first: b")


def test_one_case_for_a_claim_that_something_exists_is_enough() -> None:
    assert exists("", "", [Case("a", False), Case("b", True)]).holds
    assert exists("", "", [Case("a", False)]).evidence == "none of 1 cases"


def test_a_cycle_that_is_shown_really_comes_back() -> None:
    for name in rulebook_names():
        graph = compile_rulebook(make_rulebook(name))
        found = cycles(graph)
        assert bool(found) == graph.has_cycle
        for state, moves in found.items():
            assert graph.follow(map(int, moves.split()), start=state) == state


def test_the_key_totals_of_a_race_are_the_target_less_multiples_of_eleven() -> None:
    key = fifty_wins()[-1]
    assert key.holds
    assert key.statement.endswith(": " + ", ".join(str(total) for total in range(50 % 11, 50, 11)) + ".")


def test_the_no_repeat_rule_matters_where_plain_recursion_says_so() -> None:
    def wins(total: int, last: int, banned: bool) -> bool:
        return any(
            not wins(total + n, n, banned) for n in range(1, 11) if not (banned and n == last) and total + n < 50
        )

    from functools import cache

    wins = cache(wins)
    graph = compile_rulebook(make_rulebook("number-flip"))
    changed = sum(wins(t, last, True) != wins(t, last, False) for t, last in graph.positions.tolist())
    assert number_flip()[1].evidence.startswith(f"{changed} of 444 cases")


def test_a_claim_about_unfinished_sequences_counts_each_position_once() -> None:
    graph = compile_rulebook(make_rulebook("sequence-duel"))
    assert SECTIONS["sequence-duel"]()[0].evidence == f"none of {graph.num_states} cases"


def test_a_thin_margin_is_told() -> None:
    (slips,) = [one for one in SECTIONS["avoid-the-seventh"]() if "slip" in one.claim]
    assert slips.holds
    margin = float(re.findall(r"only (\S+) less", slips.evidence)[0])
    assert 0 < margin < 1e-6
