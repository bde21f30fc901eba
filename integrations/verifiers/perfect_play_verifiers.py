"""Questions and whole games with exact rewards for verifiers: `vf.load_environment("perfect-play-verifiers")`.

python -m perfect_play_verifiers results.jsonl > answers.jsonl      # the replies to questions, for exam.py --score
python -m perfect_play_verifiers results.jsonl games.jsonl          # whole games, for exam.py --transcript
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import verifiers as vf
from datasets import Dataset

from arena import prompt as texts
from arena.board import Board
from arena.gamelog import append
from arena.protocol import told
from arena.questions import Judged, Question, judge_reply, make_questions, parse_question, read_questions, read_set
from arena.questions.choose import members_of
from arena.questions.make import public_key
from arena.recording import Forfeit, Recording
from arena.rewards import result, rewards
from base.mistake import Mistake, need

KINDS = ("questions", "endings", "games")
NO_MOVE = -(10**9)  # no rule book has such a move: it stands for a reply without a legal one


def load_environment(
    kind: str = "questions",
    set: str = "standard",
    seed: int = 0,
    count: int = 1_000,
    legal_moves: bool = False,
    questions: str = "",
) -> vf.Environment:
    """Single questions; or games against perfect play, from the position of each question or from the beginning."""
    need("kind", "kind", kind, KINDS)
    if kind != "questions" and questions:
        raise Mistake(f"a file of questions cannot be played as {kind}; leave it out, or take kind=questions")
    asked = read_set(set)
    made = read_questions(questions) if questions else make_questions(asked, seed, count, legal_shown=legal_moves)
    if kind == "questions":
        rows = [{"question": one.prompt, "answer": _any(one.keeping), "info": one.line()} for one in made]
        rubric = vf.Rubric(funcs=[kept, value_lost], weights=[1.0, 0.0])
        return vf.SingleTurnEnv(dataset=Dataset.from_list(rows), rubric=rubric)
    tables = tables_of(set, seed)
    rows = [opening(tables[one.checksum], one, from_question=kind == "endings") for one in made]
    rubric = vf.Rubric(funcs=[value_kept, outcome, own_moves, no_move], weights=[1.0, 0.0, 0.0, 0.0])
    return PerfectPlayGames(tables, dataset=Dataset.from_list(rows), rubric=rubric)


def tables_of(set: str, seed: int) -> dict[str, Board]:
    """The games of a set and a seed, by their checksums."""
    families = members_of(read_set(set), public_key(seed))
    return {one.table.graph.checksum: one.table for family in families for one in family}


def opening(table: Board, question: Question, *, from_question: bool) -> dict[str, str]:
    """Where a game begins: at the question, or at the beginning, where the model has the seat that need not lose."""
    info: dict[str, Any] = {"id": question.id, "set": question.set, "seed": question.seed, "game": question.game}
    info |= {"checksum": question.checksum, "legal_shown": question.legal_shown, "whole": not from_question}
    moves = list(question.moves) if from_question else [] if table.value(0) >= 0 else [best(table, [], question.id)]
    facts, state = told(table, moves), table.graph.follow(moves)
    info |= {"moves": moves, "value": table.value(state)}
    text = texts.prompt(facts, legal_shown=question.legal_shown)
    return {"question": text, "answer": _any(table.keeping(state)), "info": json.dumps(info)}


def best(table: Board, moves: list[int], key: str) -> int:
    """A move of perfect play; which one of several is decided by the key."""
    return random.Random(f"{key} {len(moves)}").choice(table.keeping(table.graph.follow(moves)))


def _any(moves: Sequence[int]) -> str:
    return " or ".join(map(str, moves))


def text_of(messages: Any) -> str:
    """What a model wrote last."""
    if isinstance(messages, str):
        return messages
    return str(messages[-1]["content"] or "") if messages else ""


def judged(info: Mapping[str, Any], completion: Any) -> Judged:
    return judge_reply(parse_question(info), text_of(completion))


def kept(info: Mapping[str, Any], completion: Any) -> float:
    """1 if the reply keeps the value of the position."""
    return float(judged(info, completion).kept)


def value_lost(info: Mapping[str, Any], completion: Any) -> float:
    """What the reply throws away: 2 turns a win into a loss."""
    return float(judged(info, completion).lost)


class PerfectPlayGames(vf.MultiTurnEnv):
    """The model against perfect play, to the end of the game.

    Each step of a trajectory has the exact reward of its move: 1 keeps the value, 0 throws a win away, and a reply
    without a legal move has 0 and loses the game. The reward of the rollout is the value kept in all.
    """

    def __init__(self, tables: Mapping[str, Board], **settings: Any) -> None:
        super().__init__(max_turns=-1, **settings)
        self.tables = tables

    async def setup_state(self, state: vf.State) -> None:
        state["moves"] = list(state["info"]["moves"])
        state["seat"] = len(state["moves"]) % 2
        state["lost"], state["came_to"] = 0, None  # the value lost so far; the result for the model, in the end

    async def add_trajectory_step(self, state: vf.State, trajectory_step: Any) -> None:
        """The model's move, with its reward, and the answer of perfect play."""
        table, legal = self.tables[state["info"]["checksum"]], True
        move = texts.read_reply(text_of(trajectory_step["completion"])).move
        if move is None or move not in table.legal(table.graph.follow(state["moves"])):
            move, legal = NO_MOVE, False
        played = [*state["moves"], move]
        change = rewards(table, played)[-1]
        trajectory_step["reward"] = 1 + change / 2 if legal else 0.0
        state["lost"] -= change
        if result(table, played) is None:
            played.append(best(table, played, state["info"]["id"]))
        came_to = result(table, played)
        if came_to is None and table.max_plies is not None and len(played) >= table.max_plies:
            came_to = 0
        if came_to is not None:
            state["came_to"] = came_to if state["seat"] == 0 else -came_to
        state["moves"] = played
        await super().add_trajectory_step(state, trajectory_step)

    @vf.stop
    async def game_over(self, state: vf.State) -> bool:
        return state["came_to"] is not None

    async def env_response(self, messages: Any, state: vf.State, **other: Any) -> list[dict[str, str]]:
        info = state["info"]
        facts = told(self.tables[info["checksum"]], state["moves"])
        return [{"role": "user", "content": texts.prompt(facts, legal_shown=info["legal_shown"])}]


def value_kept(state: Mapping[str, Any]) -> float:
    """1 if the model threw nothing away, 0 if it turned a win into a loss."""
    return 1 - float(state["lost"]) / 2


def outcome(state: Mapping[str, Any]) -> float:
    """1 if the model won, 0 for a draw, -1 if it lost."""
    return float(state["came_to"] or 0)


def own_moves(state: Mapping[str, Any]) -> float:
    return float(len(state["trajectory"]))


def no_move(state: Mapping[str, Any]) -> float:
    """1 if the game was lost by a reply without a legal move."""
    return float(state["moves"][-1] == NO_MOVE)


def recording(table: Board, info: Mapping[str, Any], replies: Sequence[str]) -> Recording:
    """A whole game as a transcript: what the model replied, with the answers that perfect play gave."""
    moves, forfeit = list(info["moves"]), None
    seat = len(moves) % 2
    for reply in replies:
        if result(table, moves) is not None:
            break
        reading = texts.read_reply(reply)
        if reading.move is None:
            forfeit = Forfeit(seat, "unparsable", reply[-200:])
            break
        if reading.move not in table.legal(table.graph.follow(moves)):
            forfeit = Forfeit(seat, "illegal", str(reading.move))
            break
        moves.append(reading.move)
        if result(table, moves) is None:
            moves.append(best(table, moves, info["id"]))
    stopped = None if forfeit or result(table, moves) is not None else f"{len(moves)} moves"
    players = ("model", "optimal") if seat == 0 else ("optimal", "model")
    book = table.book
    return Recording(
        book.name, book.parameters, tuple(moves), players, forfeit, stopped, {"id": info["id"]},
        table.checksum, source=book,
    )  # fmt: skip


def convert(results: str, games: str = "") -> None:
    """Saved rollouts: replies to questions are printed, whole games are added to the file `games`."""
    tables: dict[tuple[str, int], dict[str, Board]] = {}
    for line in Path(results).read_text(encoding="utf-8").splitlines():
        rollout = json.loads(line)
        info = rollout["info"]
        if not games:
            print(json.dumps({"id": info["id"], "reply": text_of(rollout["completion"])}))
            continue
        if not info.get("whole"):
            raise Mistake(f"{results}: {info['id']} is no whole game; only those of kind=games become transcripts")
        key = (info["set"], info["seed"])
        if key not in tables:
            tables[key] = tables_of(*key)
        replies = [str(said["content"] or "") for said in rollout["completion"] if said["role"] == "assistant"]
        append(games, recording(tables[key][info["checksum"]], info, replies))


if __name__ == "__main__":
    convert(*sys.argv[1:])
