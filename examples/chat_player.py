"""A language model behind any OpenAI-compatible chat API, as a player for exam.py.

    export OPENAI_API_KEY=... OPENAI_MODEL=...      # OPENAI_BASE_URL for another provider or a local server
    python exam.py --env number-flip --player "python examples/chat_player.py" --timeout 600 --sample 50

It needs the standard library and arena/prompt.py, where it stands what a model is shown and how its reply is read, as
for every other harness. The number in a reply is passed on as it is: an illegal move stays one, and a reply without a
number is an answer without a move. Every prompt and every raw reply goes to --log, one JSON line each. A provider that
fails is tried again with back-off, and none of that is an answer; when it keeps failing the program ends, and exam.py
--resume goes on later. Model, prompt version and prompt hash are told with each answer ("about"), as are the tokens
("usage"), and so end up in exam.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it also runs where nothing is installed

from arena import prompt as texts

AGAIN = (408, 409, 425, 429)  # and every 5xx: the provider's trouble, not an answer
LARGEST_REPLY = 10_000_000  # bytes


class Provider:
    """One chat endpoint; what it is told and what it says is logged, the key never."""

    def __init__(self, args: argparse.Namespace) -> None:
        base = os.environ.get("OPENAI_BASE_URL", "").strip() or "https://api.openai.com/v1"
        self.url = base.rstrip("/") + "/chat/completions"
        self.key = os.environ.get("OPENAI_API_KEY", "").strip()
        self.model = os.environ.get("OPENAI_MODEL", "").strip()
        self.args = args
        if not self.model:
            sys.exit("chat_player.py: OPENAI_MODEL is not set; export the name of the model to examine")
        if urlsplit(self.url).scheme not in ("http", "https"):
            sys.exit(f"chat_player.py: OPENAI_BASE_URL={base} is no web address; write http(s)://...")
        if not self.key and not os.environ.get("OPENAI_BASE_URL"):
            sys.exit("chat_player.py: OPENAI_API_KEY is not set; export your key")

    def log(self, **record: Any) -> None:
        with self.args.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"time": round(time.time(), 3), **record}) + "\n")

    def ask(self, id: str, text: str) -> tuple[str, dict[str, int]]:
        """The reply and what it cost; leaves the program when the provider keeps failing."""
        body: dict[str, Any] = {"model": self.model, "messages": [{"role": "user", "content": text}]}
        body |= {} if self.args.temperature is None else {"temperature": self.args.temperature}
        body |= {} if self.args.max_tokens is None else {"max_tokens": self.args.max_tokens}
        head = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        for attempt in range(1, self.args.attempts + 1):
            self.log(event="prompt", id=id, attempt=attempt, body=body)
            request = urllib.request.Request(self.url, json.dumps(body).encode(), head)
            try:
                with urllib.request.urlopen(request, timeout=self.args.patience) as response:
                    raw = response.read(LARGEST_REPLY).decode("utf-8", errors="replace")
                self.log(event="reply", id=id, attempt=attempt, status=200, raw=raw)
                found = json.loads(raw)
                content = found["choices"][0]["message"]["content"]
                if isinstance(content, list):  # some providers answer in parts
                    content = "".join(part.get("text") or "" for part in content)
                costs = {k: v for k, v in (found.get("usage") or {}).items() if type(v) is int}
                return content or "", costs | {"requests": 1, "retries": attempt - 1}
            except urllib.error.HTTPError as error:
                wait = error.headers.get("Retry-After", "")
                raw = error.read(LARGEST_REPLY).decode("utf-8", errors="replace")
                self.log(event="reply", id=id, attempt=attempt, status=error.code, raw=raw)
                if error.code not in AGAIN and error.code < 500:
                    sys.exit(f"chat_player.py: {self.url} refuses ({error.code}): {' '.join(raw.split())[:300]}")
                fault = f"status {error.code}"
            except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
                wait, fault = "", f"{type(error).__name__}: {error}"
                self.log(event="failure", id=id, attempt=attempt, fault=fault)
            if attempt < self.args.attempts:
                pause = self.args.backoff * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
                time.sleep(min(float(wait), 300.0) if re.fullmatch(r"\d+(\.\d+)?", wait) else min(pause, 60.0))
        sys.exit(f"chat_player.py: {self.url} failed {self.args.attempts} times, at last with {fault}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="chat_player.py", description="A chat model as a player for exam.py.")
    parser.add_argument("--legal-moves", action="store_true", help="list the legal moves in the prompt")
    parser.add_argument("--temperature", type=float, help="passed on to the model (default: its own)")
    parser.add_argument("--max-tokens", type=int, help="passed on to the model (default: its own)")
    parser.add_argument(
        "--log", type=Path, default=Path("transcripts/chat_player.jsonl"), help="(default: %(default)s)"
    )
    parser.add_argument("--attempts", type=int, default=6, help="at one question, before giving up (default: 6)")
    parser.add_argument("--backoff", type=float, default=1.0, help="seconds before the second attempt, then doubled")
    parser.add_argument("--patience", type=float, default=300.0, help="seconds for one attempt (default: 300)")
    args = parser.parse_args()
    args.log.parent.mkdir(parents=True, exist_ok=True)
    provider = Provider(args)
    about = {"model": provider.model, "provider": urlsplit(provider.url).hostname, "temperature": args.temperature}
    about |= {"max_tokens": args.max_tokens, "legal_moves": args.legal_moves}
    about |= {"prompt_version": texts.VERSION, "prompt_hash": texts.prompt_hash()}
    for line in sys.stdin:
        question = json.loads(line)
        reply, usage = provider.ask(question["id"], texts.prompt(question, legal_shown=args.legal_moves))
        answer = {"id": question["id"], "move": texts.read_reply(reply).move, "about": about, "usage": usage}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
