"""python -m arena.serve PLAYER: a player of ours behind the protocol, for exams of exams and as a model to read."""

from __future__ import annotations

import json
import sys

import numpy as np

from agents.players import seated
from arena.board import board
from base.command import Parser, run
from games import Policy
from games.find import KINDS, make_rulebook, rulebook_of_folder


def main() -> int:
    parser = Parser(prog="python -m arena.serve", description="Answers exam.py's questions as one of our players does.")
    parser.add_argument("player", help="a player's name, as uniform or optimal, or the folder of a run")
    parser.add_argument("--seed", type=int, help="draw moves with this seed (default: the most probable move)")
    parser.add_argument("--env", metavar="GAME", help=f"the game of all questions: {KINDS} (default: as each says)")
    args = parser.parse_args()
    chosen = None if args.env is None else make_rulebook(args.env)
    generator = None if args.seed is None else np.random.default_rng(args.seed)
    known: dict[str, Policy] = {}
    for line in sys.stdin:
        question = json.loads(line)
        graph = board(chosen or rulebook_of_folder(question["game"], **question["parameters"])).graph
        if graph.checksum not in known:
            known[graph.checksum] = seated(args.player, graph)
        action = known[graph.checksum].act(graph.follow(question["moves"]), generator)
        answer = {"id": question["id"], "move": int(graph.moves[action]), "about": {"player": args.player}}
        print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    run(main)
