"""python -m envs export GAME --to openspiel: how a game of ours is loaded there, said after it was played there."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from base.command import Parser, prog
from base.mistake import Mistake
from envs.openspiel import graph_of, load
from games.find import KINDS, parameters

GAMES = 20  # played at random, to see that it can be


def main(words: Sequence[str]) -> int:
    parser = Parser(prog=f"{prog('envs')} export", description="Gives a game to another library.")
    parser.add_argument("game", metavar="GAME", help=KINDS)
    parser.add_argument("--to", choices=["openspiel"], default="openspiel", help="the library (default: openspiel)")
    parser.add_argument("--param", metavar="KEY=VALUE", action="append", default=[], help="such as target=20")
    args = parser.parse_args(words)
    given: dict[str, Any] = {
        key: int(value) if value.lstrip("-").isdigit() else value for key, value in parameters(args.param).items()
    }
    game = load(args.game, **given)
    lengths = [_played(game, random.Random(number)) for number in range(GAMES)]
    graph = graph_of(game)
    call = ", ".join([repr(args.game), *(f"{key}={value!r}" for key, value in given.items())])
    print(f"{graph.game}: {graph.num_states} positions, {graph.num_actions} moves; {GAMES} games of "
          f"{min(lengths)} to {max(lengths)} moves played in OpenSpiel")  # fmt: skip
    print(f"game = envs.openspiel.load({call})")
    return 0


def _played(game: Any, chance: random.Random) -> int:
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(chance.choice(state.legal_actions()))
    if sum(state.returns()):
        raise Mistake(f"{game}: its results are not zero-sum in OpenSpiel")
    return len(state.history())
