"""verifiers asks our questions, and plays whole games with the exact reward of every move."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.board import Board
from arena.marks import interval
from arena.questions import make_questions, read_set
from arena.questions.make import content
from arena.questions.score import read_given, score
from arena.transcript import annotate, read
from tests.integrations.replies import COUNT, PLAYERS, SEEDS, card_of

vf = pytest.importorskip("verifiers", reason="verifiers is not installed")
if not hasattr(vf, "SingleTurnEnv"):
    pytest.skip("this verifiers is not of the 0.1 line", allow_module_level=True)
adapter = pytest.importorskip("integrations.verifiers.perfect_play_verifiers")
pytestmark = pytest.mark.filterwarnings("ignore")  # of third parties

STANDARD = read_set("standard")
SMALL = """
[[families]]
env = "fifty-wins"
parameters.target = [12, 15, 18]
parameters.largest = [3, 4]
[[families]]
env = "number-flip"
parameters.target = 20
parameters.largest = 5
"""


def rollouts(env: Any, reply: Callable[[str], str]) -> list[dict[str, Any]]:
    """What a stub model that is shown the last message makes of all examples."""
    from verifiers.clients import Client
    from verifiers.types import Response, ResponseMessage

    class Stub(Client):
        def setup_client(self, config: Any) -> Any: ...
        async def to_native_tool(self, tool: Any) -> Any: ...
        async def to_native_prompt(self, messages: Any) -> Any:
            return messages, {}

        async def get_native_response(self, prompt: Any, *_: Any, **__: Any) -> Any:
            message = ResponseMessage(content=reply(prompt[-1]["content"]), finish_reason="stop", is_truncated=False)
            return Response(id="1", created=0, model="stub", message=message)

        async def raise_from_native_response(self, response: Any) -> None: ...
        async def from_native_response(self, response: Any) -> Any:
            return response

        async def close(self) -> None: ...

    columns = ["trajectory", "moves", "lost", "came_to"]
    columns = columns if isinstance(env, adapter.PerfectPlayGames) else []
    outputs = env.evaluate_sync(Stub(None), model="stub", state_columns=columns)
    rows = outputs["outputs"]
    assert not any(row.get("error") for row in rows)
    return [dict(row) for row in rows]


@pytest.mark.parametrize("seed", SEEDS)
def test_its_mean_is_the_share_of_exam_py_to_the_last_digit(seed: int) -> None:
    asked = make_questions(STANDARD, seed, COUNT)
    by_prompt = {one.prompt: one for one in asked}
    env = adapter.load_environment(seed=seed, count=COUNT)
    for who, player in PLAYERS.items():
        rows = rollouts(env, lambda shown, player=player: player(by_prompt[shown]))
        card = card_of(asked, who).overall
        assert sum(row["reward"] for row in rows) / len(rows) == card.share
        assert sum(row["metrics"]["value_lost"] for row in rows) == card.lost


def test_the_saved_results_make_the_same_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = make_questions(STANDARD, 5, 40)
    (tmp_path / "q.jsonl").write_bytes(content(asked))
    by_prompt = {one.prompt: one for one in asked}
    env = adapter.load_environment(questions=str(tmp_path / "q.jsonl"))
    rows = rollouts(env, lambda shown: PLAYERS["hostile"](by_prompt[shown]))
    save_outputs(rows, tmp_path)
    capsys.readouterr()
    adapter.convert(str(tmp_path / "results.jsonl"))
    (tmp_path / "a.jsonl").write_text(capsys.readouterr().out)
    assert score(asked, read_given(tmp_path / "a.jsonl")[0]) == card_of(asked, "hostile")


@pytest.fixture
def small(tmp_path: Path) -> str:
    (tmp_path / "small.toml").write_text(SMALL)
    return str(tmp_path / "small.toml")


@pytest.fixture(params=["endings", "games"])
def games(small: str, request: pytest.FixtureRequest) -> Any:
    return adapter.load_environment(kind=request.param, set=small, seed=1, count=120)


def save_outputs(rows: list[dict[str, Any]], folder: Path) -> None:
    """As the library saves them, in results.jsonl."""
    from verifiers.utils import save_utils

    save_utils.save_outputs(rows, folder)


def mover(env: Any, choose: Callable[[Board, int, random.Random], object]) -> Callable[[str], str]:
    """A player of games that finds its position by what the prompt says of the game and the moves so far."""
    tables = list(env.tables.values())
    chance = random.Random(7)

    def reply(shown: str) -> str:
        so_far = shown.split("Moves so far, in turn: ")[1].split(".\n")[0]
        moves = [] if so_far == "none" else [int(word) for word in so_far.split()]
        (table,) = (one for one in tables if f"The rules: {adapter.told(one, [])['rules']}\n" in shown)
        return f"MOVE: {choose(table, table.graph.follow(moves), chance)}"

    return reply


def test_the_optimal_player_keeps_everything_in_whole_games(games: Any) -> None:
    rows = rollouts(games, mover(games, lambda table, state, chance: chance.choice(table.keeping(state))))
    for row in rows:
        assert (row["reward"], row["lost"], row["came_to"]) == (1.0, 0, row["info"]["value"])
        assert all(step["reward"] == 1.0 for step in row["trajectory"])
    assert len({len(row["trajectory"]) for row in rows}) >= 3


def test_uniform_play_of_whole_games_earns_its_exact_expectation(games: Any) -> None:
    @cache
    def expected(checksum: str, state: int) -> float:
        """The result for the model where it plays uniformly and the other side perfectly."""
        table = games.tables[checksum]
        total = 0.0
        for move in table.legal(state):
            after = table.after(state, move)
            if after < 0:
                total += table.worth(state, table.graph.action(move))
                continue
            answers = table.keeping(after)
            for answer in answers:
                then = table.after(after, answer)
                won = -table.worth(after, table.graph.action(answer)) if then < 0 else expected(checksum, then)
                total += won / len(answers)
        return total / len(table.legal(state))

    rows = rollouts(games, mover(games, lambda table, state, chance: chance.choice(table.legal(state))))
    infos = [row["info"] for row in rows]
    mean = sum(
        1 - (one["value"] - expected(one["checksum"], games.tables[one["checksum"]].graph.follow(one["moves"]))) / 2
        for one in infos
    ) / len(infos)
    sure = interval(round(sum(row["reward"] for row in rows)), len(rows))
    assert all(row["reward"] in (0.0, 1.0) for row in rows), "no draws in these games"
    assert sure.low <= mean <= sure.high
    for row in rows:
        steps = [step["reward"] for step in row["trajectory"]]
        assert sum(1 - step for step in steps) == row["lost"] / 2 == 1 - row["reward"]


def test_a_reply_without_a_legal_move_loses_the_game_at_once(games: Any) -> None:
    for row in rollouts(games, lambda shown: "MOVE: 99999"):
        assert (row["reward"], row["came_to"], row["metrics"]["no_move"]) == (0.0, -1, 1.0)
        assert [step["reward"] for step in row["trajectory"]] == [0.0]


def test_whole_games_become_transcripts_and_endings_do_not(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "read_set", lambda name: read_set(small))  # as if it had a name of its own
    env = adapter.load_environment(kind="games", seed=1, count=30)

    def choose(table: Board, state: int, chance: random.Random) -> object:
        return chance.choice([*table.legal(state), 99999, "none"] if chance.random() < 0.1 else table.keeping(state))

    rows = rollouts(env, mover(env, choose))
    save_outputs(rows, tmp_path)
    adapter.convert(str(tmp_path / "results.jsonl"), str(tmp_path / "games.jsonl"))
    written = [annotate(one) for one in read(tmp_path / "games.jsonl")]
    assert [one.note["id"] for one in written] == [row["info"]["id"] for row in rows]
    for one, row in zip(written, rows, strict=True):
        accounts = {account.player: account for account in one.accounts}
        assert accounts["optimal"].regret == 0
        assert accounts["model"].regret == row["lost"]
        assert {"first wins": 0, "second wins": 1}[one.result] == one.players.index(
            "model" if row["came_to"] == 1 else "optimal"
        )
        assert accounts["model"].forfeited == bool(row["metrics"]["no_move"])
    assert len({account.forfeited for one in written for account in one.accounts}) == 2
    rows = rollouts(adapter.load_environment(kind="endings", seed=1, count=1), lambda shown: "")
    save_outputs(rows, tmp_path)
    with pytest.raises(ValueError, match="is no whole game"):
        adapter.convert(str(tmp_path / "results.jsonl"), str(tmp_path / "games.jsonl"))


def test_what_does_not_fit_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="did you mean games"):
        adapter.load_environment(kind="game")
    with pytest.raises(ValueError, match="cannot be played as games"):
        adapter.load_environment(kind="games", questions="q.jsonl")


def test_the_library_finds_it_by_its_name_where_it_is_installed(tmp_path: Path) -> None:
    if importlib.util.find_spec("perfect_play_verifiers") is None:
        pytest.skip("perfect-play-verifiers is not installed")
    code = "import verifiers as vf; print(len(vf.load_environment('perfect-play-verifiers', count=5).get_dataset()))"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.stdout.strip() == "5", done.stderr


def test_an_example_is_json() -> None:
    row = adapter.load_environment(count=3).get_dataset()[0]
    assert json.loads(row["info"])["prompt"] == row["prompt"][-1]["content"]
