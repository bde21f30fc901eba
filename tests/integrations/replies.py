"""What stub models say: the same replies to the same questions in every harness, so that numbers can be compared."""

from __future__ import annotations

import random
from collections.abc import Sequence

from arena.questions import Question
from arena.questions.card import Card
from arena.questions.score import Given, score

SEEDS = (0, 1, 2, 3, 4)
COUNT = 250  # questions a seed


def optimal(question: Question) -> str:
    """Any of the moves that keep the value, in any of the forms that people and models use."""
    chance = random.Random(question.id)
    move = chance.choice(question.keeping)
    forms = ["MOVE: {}", "I think.\n**MOVE:** {}.", "<think>MOVE: 0</think>MOVE: {}", "{}"]
    return chance.choice(forms).format(move)


def uniform(question: Question) -> str:
    return f"MOVE: {random.Random(question.id).choice(question.legal)}"


def hostile(question: Question) -> str:
    """Right, wrong, illegal and unreadable replies in turn."""
    forms = [optimal(question), uniform(question), "MOVE: 99999", "", "3.5", "MOVE: 1 or 2", question.prompt]
    return forms[question.number % len(forms)]


PLAYERS = {"optimal": optimal, "uniform": uniform, "hostile": hostile}


def card_of(questions: Sequence[Question], who: str) -> Card:
    """What exam.py says of a player's replies; a harness has to say the same."""
    card = score(questions, [Given(one.id, PLAYERS[who](one)) for one in questions])
    if who == "optimal":
        assert card.overall.share == 1.0
    if who == "uniform":
        assert card.overall.low <= card.overall.uniform <= card.overall.high
    return card
