"""What people and models are told in words: the rules of this member, and the reason why this game is over."""

from __future__ import annotations

import random
import re
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

from games import DRAW, MOVER_LOSES, RuleBook, make_rulebook
from games.graph import compile_rulebook
from games.rulebook import Verdict


def test_the_rules_of_a_member_hold_its_numbers_and_no_name_of_a_parameter(relative: RuleBook) -> None:
    texts = [relative.text, *(relative.ending(verdict) for verdict in Verdict)]
    hints = get_type_hints(type(relative))
    for text in texts:
        assert not re.search(r"[{}_()]", text)
        for field in fields(relative):
            for choice in get_args(hints[field.name]):  # the words of a parameter, as "writer" or "next"
                assert f"{choice} player" not in text
                assert f"{choice}:" not in text
                assert f"are {choice}" not in text


def test_members_that_play_differently_have_different_rules(book: RuleBook) -> None:
    hints = get_type_hints(type(book))
    for field in fields(book):
        choices = get_args(hints[field.name])
        value = getattr(book, field.name)
        other = next(choice for choice in choices if choice != value) if choices else value + 1
        assert type(book)(**book.parameters | {field.name: other}).text != book.text, field.name


def test_a_digit_is_told_as_the_number_that_it_is() -> None:
    assert "one digit, from 1 to 9, to its end. " in make_rulebook("seven-is-forbidden").text
    assert "one digit, from 1 to 4, to its end, as numbers are written in base 5" in (
        make_rulebook("seven-is-forbidden", base=5).text
    )


@pytest.mark.parametrize(("loser", "words"), [("writer", "whoever wrote the last"), ("next", "whoever would have to")])
def test_the_rules_say_plainly_who_loses_at_the_limit(loser: str, words: str) -> None:
    book = make_rulebook("sequence-duel", limit_loser=loser)
    assert words in book.text
    assert ("the sequence is 10 long" in book.ending(MOVER_LOSES)) == (loser == "writer")


def test_the_reason_is_the_one_that_ended_this_game_and_holds_the_last_total(relative: RuleBook) -> None:
    graph, chance = compile_rulebook(relative), random.Random(5)
    for _ in range(20):
        moves, state = list[int](), 0
        while state >= 0 and graph.legal[state].any() and len(moves) < 200:
            action = int(chance.choice(graph.legal[state].nonzero()[0].tolist()))
            moves.append(int(graph.moves[action]))
            state = int(graph.next_state[state, action])
        if state >= 0:
            continue
        reason = relative.reason(Verdict(state), moves)
        assert not re.search(r"[{}_()]", reason)
        numbers = [int(number) for number in re.findall(r"\d+", reason)]
        if "total" in relative.fields():
            assert sum(moves) in numbers
        if "length" in relative.fields():
            window = relative.parameters["window"]
            assert isinstance(window, int)
            summed = sum(moves[-window:]) % int(relative.parameters["modulus"]) == 0 and len(moves) >= window
            assert (f"= {sum(moves[-window:])}," in reason) == summed
            assert ("the sequence is" in reason) != summed
        assert ("is a draw" in reason) == (state == DRAW)


def test_a_book_that_can_tell_why_a_move_is_refused_does(relative: RuleBook) -> None:
    graph = compile_rulebook(relative)
    for first in graph.moves[graph.legal[0]].tolist():
        state = graph.follow([first])
        for action in range(graph.num_actions):
            move = int(graph.moves[action])
            reason = relative.refusal(move, [first])
            if state >= 0 and graph.legal[state, action]:
                assert reason == "" or move == first
            elif state >= 0 and relative.parameters.get("repeats") == "forbidden":
                assert reason.startswith(f"{move} ")
