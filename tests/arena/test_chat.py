"""The chat adapter against a stub of a provider on the loopback."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from arena import prompt as texts
from arena.board import board
from arena.exam import hold
from arena.paper import questions
from arena.sitting import Sitting
from games import make_rulebook

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "chat_player.py"
SMALL = make_rulebook("fifty-wins", target=7, largest=3)
TABLE = board(SMALL)
ASKED = int(TABLE.solution.critical.sum())

Reply = tuple[int, Any]  # status, and the text of the model or a whole body


class Stub:
    """A provider that answers as `script(number, prompt)` says, and remembers what it was sent."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.script: Callable[[int, str], Reply] = lambda number, prompt: (200, "MOVE: 1")
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stub.requests.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
                status, said = stub.script(len(stub.requests) - 1, body["messages"][0]["content"])
                if isinstance(said, str):
                    message = {"choices": [{"message": {"role": "assistant", "content": said}}]}
                    said = message | {"usage": {"prompt_tokens": 10, "completion_tokens": 3}}
                content = json.dumps(said).encode() if not isinstance(said, bytes) else said
                self.send_response(status)
                self.send_header("Retry-After", "0.01")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    stub = Stub()
    thread = threading.Thread(target=stub.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    for name, value in (("BASE_URL", stub.url), ("API_KEY", "sk-secret-of-mine"), ("MODEL", "stub-1")):
        monkeypatch.setenv(f"OPENAI_{name}", value)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield stub
    stub.server.shutdown()
    stub.server.server_close()
    thread.join()


def examine(tmp_path: Path, *flags: str, **more: Any) -> tuple[Any, dict[str, Any], list[dict[str, Any]]]:
    """The scorecard, exam.json, and the adapter's log."""
    log = tmp_path / "log.jsonl"
    words = [sys.executable, str(SCRIPT), "--log", str(log), "--backoff", "0.01", *flags]
    sitting = Sitting(SMALL, words, "model", 20.0, 20.0)
    held = hold(sitting, tmp_path / "runs", **more)
    return held.card, held.exam, [json.loads(line) for line in log.read_text().splitlines()]


def test_a_model_that_knows_the_game_scores_as_perfect(stub: Stub, tmp_path: Path) -> None:
    shown = {texts.prompt(one.body): one for one in questions(Sitting(SMALL, [], "x"), TABLE, {})}

    def knows(number: int, prompt: str) -> Reply:
        move = TABLE.keeping(shown[prompt].state)[0]
        return 200, f"Let me see: 1, 2, 3 are there; 99 is not.\n\n**MOVE: {move}**\n"

    stub.script = knows
    card, exam, log = examine(tmp_path)
    assert (card.blunders, card.perfect, exam["legal"]) == (0, True, ASKED)
    assert exam["usage"]["prompt_tokens"] == 10 * ASKED
    assert exam["usage"]["completion_tokens"] == 3 * ASKED
    assert exam["about"][0]["model"] == "stub-1"
    assert exam["about"][0]["prompt_version"] == texts.VERSION
    assert exam["about"][0]["prompt_hash"] == texts.prompt_hash()
    assert [request["path"] for request in stub.requests] == ["/v1/chat/completions"] * ASKED
    assert all(request["key"] == "Bearer sk-secret-of-mine" for request in stub.requests)
    prompts = [row["body"]["messages"][0]["content"] for row in log if row["event"] == "prompt"]
    replies = [json.loads(row["raw"]) for row in log if row["event"] == "reply"]
    assert prompts == [request["messages"][0]["content"] for request in stub.requests]
    assert len(replies) == ASKED
    assert "sk-secret" not in (tmp_path / "log.jsonl").read_text()


def test_an_illegal_move_is_passed_on_and_no_number_is_no_answer(stub: Stub, tmp_path: Path) -> None:
    said = ["MOVE: 4", "I would rather not say.", "MOVE: 0", "MOVE: 1" + "0" * 40]
    stub.script = lambda number, prompt: (200, said[number % 4])
    _, exam, _ = examine(tmp_path)
    silent = sum(number % 4 == 1 for number in range(ASKED))
    assert (exam["unparsable"], exam["illegal"], exam["legal"]) == (silent, ASKED - silent, 0)
    assert exam["usage"]["requests"] == ASKED  # what a useless answer cost is counted too


def test_a_failing_provider_is_tried_again_and_none_of_that_is_an_answer(stub: Stub, tmp_path: Path) -> None:
    faults: list[Reply] = [(429, {}), (500, {}), (200, b"not json"), (200, {"choices": []})]
    stub.script = lambda number, prompt: faults[number] if number < len(faults) else (200, "MOVE: 1")
    _, exam, log = examine(tmp_path)
    assert (exam["legal"], exam["starts"]) == (ASKED, 1)
    assert exam["usage"]["retries"] == len(faults)
    assert len(stub.requests) == ASKED + len(faults)
    assert [row["status"] for row in log if row["event"] == "reply"][:2] == [429, 500]


def test_a_provider_that_keeps_failing_ends_the_player_and_resume_asks_the_rest(stub: Stub, tmp_path: Path) -> None:
    stub.script = lambda number, prompt: (200, "MOVE: 1") if number < 1 else (503, {"error": "busy"})
    _, exam, _ = examine(tmp_path, "--attempts", "2")
    assert (exam["legal"], exam["crashed"], exam["not_asked"]) == (1, 3, ASKED - 4)
    assert "failed 2 times, at last with status 503" in exam["last_words"]
    asked = len(stub.requests)
    stub.script = lambda number, prompt: (200, "MOVE: 1")
    _, exam, _ = examine(tmp_path, "--attempts", "2", resume=True)
    assert len(stub.requests) - asked == exam["legal"] - 1 == ASKED - 1


def test_a_refusal_is_not_tried_again(stub: Stub, tmp_path: Path) -> None:
    stub.script = lambda number, prompt: (401, {"error": "bad key"})
    _, exam, _ = examine(tmp_path)
    assert (exam["crashed"], exam["not_asked"]) == (3, ASKED - 3)
    assert len(stub.requests) == min(ASKED, 3)  # one for each start
    assert "refuses (401)" in exam["last_words"]


def test_legal_moves_are_listed_only_on_request(stub: Stub, tmp_path: Path) -> None:
    _, hidden, _ = examine(tmp_path / "a" if (tmp_path / "a").mkdir() is None else tmp_path)
    _, listed, _ = examine(tmp_path / "b" if (tmp_path / "b").mkdir() is None else tmp_path, "--legal-moves")
    prompts = [request["messages"][0]["content"] for request in stub.requests]
    assert not any("You may choose one of" in prompt for prompt in prompts[:ASKED])
    assert all("You may choose one of: 1, 2, 3." in prompt for prompt in prompts[ASKED:])
    assert (hidden["about"][0]["legal_moves"], listed["about"][0]["legal_moves"]) == (False, True)
