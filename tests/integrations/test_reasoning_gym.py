"""reasoning-gym asks our questions as its own, and scores each reply as exam.py does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

import pytest

from arena.questions import make_questions, read_set
from tests.integrations.replies import COUNT, PLAYERS, SEEDS, card_of

reasoning_gym = pytest.importorskip("reasoning_gym", reason="reasoning-gym is not installed")
adapter = pytest.importorskip("integrations.reasoning_gym.perfect_play_reasoning_gym")


def entries(**settings: object) -> Iterator[dict[str, object]]:
    return iter(reasoning_gym.create_dataset("perfect_play", **settings))


def test_the_same_seed_gives_the_same_entries_and_another_seed_others() -> None:
    first, again, other = (list(entries(seed=seed, size=20)) for seed in (1, 1, 2))
    assert first == again != other
    assert json.loads(json.dumps(first)) == first, "an entry is JSON"


def test_an_entry_has_what_reasoning_gym_asks_for() -> None:
    dataset = reasoning_gym.create_dataset("perfect_play", seed=3, size=20)
    assert (len(dataset), len(list(dataset)), dataset.seed) == (20, 20, 3)
    for place, entry in enumerate(dataset):
        assert entry["metadata"]["source_dataset"] == "perfect_play"
        assert entry["metadata"]["source_index"] == place
        assert dataset.score_answer(entry["answer"], entry) == 1.0
        for bad in (None, "", "no idea", "3.5", "MOVE: 99999", entry["question"]):
            assert dataset.score_answer(bad, entry) == 0.0
    with pytest.raises(IndexError):
        dataset[20]


def test_any_keeping_move_scores_1_and_any_other_0() -> None:
    dataset = reasoning_gym.create_dataset("perfect_play", seed=3, size=30)
    score = reasoning_gym.get_score_answer_fn("perfect_play")
    for entry in dataset:
        record = entry["metadata"]["record"]
        for move in record["legal"]:
            assert score(f"MOVE: {move}", entry) == float(move in record["keeping"])


@pytest.mark.parametrize("settings", [{"size": 0}, {"set": "standart"}, {"size": 10**6}])
def test_settings_that_fit_nothing_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises((AssertionError, ValueError)):
        next(entries(seed=0, **settings))


def test_it_goes_into_a_composite_and_is_reseeded_without_end() -> None:
    from reasoning_gym.composite import DatasetSpec
    from reasoning_gym.dataset import ReseedingDataset

    mixed = reasoning_gym.create_dataset(
        "composite", seed=1, size=8, datasets=[DatasetSpec("perfect_play", 1, {"legal_moves": True})]
    )
    assert all("You may choose one of" in entry["question"] for entry in mixed)
    assert all(mixed.score_answer(entry["answer"], entry) == 1.0 for entry in mixed)
    endless = ReseedingDataset(reasoning_gym.create_dataset("perfect_play", seed=1, size=5), chunk_size=5)
    ids = [entry["metadata"]["id"] for entry in islice(endless, 15)]
    assert len(set(ids)) == 15


@pytest.mark.parametrize("seed", SEEDS)
def test_its_mean_is_the_share_of_exam_py_to_the_last_digit(seed: int) -> None:
    questions = make_questions(read_set("standard"), seed, COUNT)
    dataset = reasoning_gym.create_dataset("perfect_play", seed=seed, size=COUNT)
    for who, reply in PLAYERS.items():
        scores = [dataset.score_answer(reply(one), entry) for one, entry in zip(questions, dataset, strict=True)]
        assert sum(scores) / len(scores) == card_of(questions, who).overall.share
