"""A tiny policy learns from rewards of whole games: python examples/dense_rewards.py --rewards dense (or outcome)

The loop of anyone who trains a model on games, in 30 lines: play games against oneself, ask for the reward of each
move, and make the moves that earned more than usual likelier (REINFORCE). A language model would stand where the
network stands.
"""

import argparse
from collections.abc import Iterator

import numpy as np
import torch

from arena.board import Board, board
from arena.rewards import result, rewards
from games import Policy, make_rulebook
from games.observation import observe
from solver import scorecard


def learn(
    table: Board, kind: str, seed: int, games: int, step: float = 0.01, batch: int = 32
) -> Iterator[tuple[int, Policy]]:
    """Games played so far, and the policy then, before each batch of games."""
    torch.manual_seed(seed)
    luck, graph = np.random.default_rng(seed), table.graph
    seen, legal = torch.tensor(observe(graph)), torch.tensor(graph.legal)
    network = torch.nn.Sequential(
        torch.nn.Linear(seen.shape[1], 64), torch.nn.Tanh(), torch.nn.Linear(64, graph.num_actions)
    )
    adam = torch.optim.Adam(network.parameters(), lr=step)
    for played in range(0, games, batch):
        logits = network(seen).masked_fill(~legal, -1e9)
        likely = logits.detach().double().softmax(1).numpy()
        yield played, Policy(graph, likely * graph.legal)
        states, actions, earned = [], [], []
        for _ in range(batch):
            state, moves = 0, []
            while state >= 0:  # one game against oneself
                action = luck.choice(graph.num_actions, p=likely[state])
                states.append(state)
                actions.append(action)
                moves.append(int(graph.moves[action]))
                state = table.after(state, moves[-1])
            if kind == "dense":
                earned += rewards(table, moves)  # of each move, what it did to the value
            else:
                won = result(table, moves) or 0  # of every move of a player, how the game ended
                earned += [won if ply % 2 == 0 else -won for ply in range(len(moves))]
        advantage = torch.tensor(earned, dtype=torch.float32)
        advantage -= advantage.mean()
        chosen = logits[states].log_softmax(1)[range(len(actions)), actions]
        adam.zero_grad()
        (-(chosen * advantage).mean()).backward()
        adam.step()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--env", default="fifty-wins")
    parser.add_argument("--rewards", choices=["dense", "outcome"], default="dense")
    parser.add_argument("--games", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    table = board(make_rulebook(args.env))
    for played, policy in learn(table, args.rewards, args.seed, args.games):
        if played % 400 < 32:
            card = scorecard(table.graph, policy)
            print(
                f"{played:6} games  {card.accuracy:.3f} of the moves at critical positions keep the value", flush=True
            )


if __name__ == "__main__":
    main()
