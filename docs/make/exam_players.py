"""The page of players on the standard questions: python -m docs.make.exam_players > docs/measured/exam_players.md"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import numpy as np

from agents import mcts, optimal, safe_uniform, uniform
from agents.tips import follower, tips
from arena.board import Board
from arena.questions import QuestionSet, read_set
from arena.questions.choose import choose
from arena.questions.make import COUNT, public_key
from base.command import run
from games import GameGraph, Policy
from training.loop import train
from training.resolve import resolve

SET, SEED = "standard", 0
INTRO = """# Players on the standard questions

So that the number of a model has neighbours. Made by `python -m docs.make.exam_players`, which asks every player
the questions of `exam.py --export FILE --set {set} --seed {seed} --count {count}`, of {games} games.

*Kept*: the share of answers that keep the value of the position, as on the card of `exam.py --score`; for players that
throw dice its exact expectation. *Lost*: value thrown away by an answer, where 2 turns a win into a loss. Then what is
kept in each family. `tips` follows the first tip of a rule book that gives any, and is `safe-uniform` elsewhere;
`mcts-N` searches each position with N simulations; `q-learning` and `monte-carlo` were trained on each game by itself,
with the defaults of `train.py` and seed 0.
"""
Asked = Mapping[Board, list[int]]  # the states that are asked about, game by game
Player = Callable[[Board, list[int]], Policy]


def asked_of(questions: QuestionSet, seed: int, count: int) -> Asked:
    """The same positions as those of exam.py --export."""
    asked: dict[Board, list[int]] = {}
    for chosen in islice(choose(questions, public_key(seed)), count):
        asked.setdefault(chosen.member.table, []).append(chosen.state)
    return asked


def first_tip(graph: GameGraph) -> Policy:
    names = tips(graph)
    return follower(names[0], graph) if names else safe_uniform(graph)


def by_number(graph: GameGraph, sign: int) -> Policy:
    """The highest legal move, or with -1 the lowest."""
    return Policy.greedy(graph, np.broadcast_to(sign * graph.moves.astype(np.float64), graph.next_state.shape))


def searcher(simulations: int) -> Player:
    return lambda table, states: mcts(table.graph, simulations, states=states)


def trained(agent: str) -> Player:
    return lambda table, states: train(resolve(env=table.book, agent=agent, seed=0)).policy


PLAYERS: Mapping[str, Player] = {
    "lowest move": lambda table, states: by_number(table.graph, -1),
    "highest move": lambda table, states: by_number(table.graph, 1),
    "uniform": lambda table, states: uniform(table.graph),
    "safe-uniform": lambda table, states: safe_uniform(table.graph),
    "tips": lambda table, states: first_tip(table.graph),
    "mcts-10": searcher(10),
    "mcts-100": searcher(100),
    "mcts-1000": searcher(1_000),
    "q-learning": trained("q-learning"),
    "monte-carlo": trained("monte-carlo"),
    "optimal": lambda table, states: optimal(table.graph),
}


def marks(policy: Policy, table: Board, state: int) -> tuple[float, float]:
    """The chance that its move keeps the value of this position, and the value that it loses on average; both exact."""
    chances, keeps = policy.probability[state], table.solution.keeps[state]
    lost = [
        chances[action] * (table.value(state) - table.worth(state, action))
        for action in np.flatnonzero(chances).tolist()
    ]
    return float(chances[keeps].sum()), float(sum(lost))


def page(asked: Asked, players: Mapping[str, Player]) -> Iterator[str]:
    games = sorted({table.graph.game for table in asked})
    count = sum(map(len, asked.values()))
    yield INTRO.format(set=SET, seed=SEED, count=count, games=len(asked))
    yield f"| player | kept | lost | {' | '.join(games)} |"
    yield f"|---|---:|---:|{'---:|' * len(games)}"
    for name, player in players.items():
        kept: dict[str, list[float]] = {game: [] for game in games}
        lost = 0.0
        for number, (table, states) in enumerate(asked.items(), 1):
            print(f"\r{name}: game {number} of {len(asked)}   ", end="", file=sys.stderr, flush=True)
            policy = player(table, states)
            for state in states:
                one, value = marks(policy, table, state)
                kept[table.graph.game].append(one)
                lost += value
        overall = sum(map(sum, kept.values())) / count
        parts = " | ".join(f"{sum(there) / len(there):.3f}" for there in kept.values())
        yield f"| {name} | {overall:.4f} | {lost / count:.3f} | {parts} |"
    print(file=sys.stderr)


def main() -> int:
    for line in page(asked_of(read_set(SET), SEED, COUNT), PLAYERS):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    run(main)
