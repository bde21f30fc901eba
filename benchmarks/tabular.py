"""How fast the tabular learner is beside OpenSpiel's on the same race, and what each has left to learn.

    python benchmarks/tabular.py && python -m docs.make.benchmarks tabular

One pinned core, CPU time. OpenSpiel is optional (benchmarks/requirements.txt): where it is missing, it is named and
left out. Its learner is `open_spiel.python.algorithms.tabular_qlearner`, two of them in self-play, as its example
trains them.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agents.tabular import QLearner  # noqa: E402
from games import Policy, compile_rulebook, make_rulebook  # noqa: E402
from solver import grade  # noqa: E402
from training.resolve import resolve  # noqa: E402

PEER = runpy.run_path(str(ROOT / "benchmarks" / "solver.py"))  # the same race as an OpenSpiel game; pinning; provenance
GAME = "fifty-wins"


def ours(seconds: float) -> dict[str, Any]:
    graph = compile_rulebook(make_rulebook(GAME))
    options: Any = resolve(env=GAME, agent="q-learning", changes={"steps": "10000000000"}).options
    QLearner(options, graph, 1).advance(1000)  # the machine code is loaded before the clock starts
    learner, perfect = QLearner(options, graph, 0), 0.0
    began = process_time()
    while not perfect:
        learner.advance(1000)
        if grade(graph, learner.policy()).perfect:
            perfect = process_time() - began
    learner, updates = QLearner(options, graph, 0), 0
    began = process_time()
    while (spent := process_time() - began) < seconds:
        updates += learner.advance(1_000_000)
    return account(updates, spent, grade(graph, learner.policy()).blunders, perfect)


def theirs(seconds: float) -> dict[str, Any] | None:
    try:
        from open_spiel.python import rl_environment as rl
        from open_spiel.python.algorithms import tabular_qlearner
    except ImportError:
        return None
    graph = compile_rulebook(make_rulebook(GAME))
    game = PEER["fifty_wins_of_openspiel"](int(graph.parameters["target"]))
    agents = [tabular_qlearner.QLearner(player_id=player, num_actions=graph.num_actions) for player in range(2)]
    legal = [list(range(graph.num_actions))] * 2

    def step(state: Any, kind: Any) -> Any:
        """What its environment would tell, without its overhead: the total is all there is to see."""
        seen = {
            "info_state": [[int(state.position)]] * 2,
            "legal_actions": legal,
            "current_player": state.current_player(),
        }
        return rl.TimeStep(seen, state.returns(), [1.0, 1.0], kind)

    def blunders() -> int:
        preference = np.zeros(graph.next_state.shape)  # both learners' values of a position, added up
        for agent in agents:
            for key, row in agent._q_values.items():
                total = int(key.strip("[]"))
                for action, value in row.items() if 0 <= total < graph.num_states else ():
                    preference[total, action] += value
        return grade(graph, Policy.greedy(graph, preference)).blunders

    updates, scored, perfect, began = 0, 0, None, process_time()
    while (spent := process_time() - began) < seconds:
        state, kind = game.new_initial_state(), rl.StepType.FIRST
        while not state.is_terminal():
            state.apply_action(agents[state.current_player()].step(step(state, kind)).action)
            kind, updates = rl.StepType.MID, updates + 1
        for agent in agents:
            agent.step(step(state, rl.StepType.LAST))
        if perfect is None and updates - scored >= 1000:
            scored = updates
            perfect = process_time() - began if blunders() == 0 else None
    return account(updates, spent, blunders(), perfect)


def account(updates: int, seconds: float, blunders: int, perfect: float | None) -> dict[str, Any]:
    """What one learner did; `perfect` is the CPU seconds to perfect play."""
    return {"updates": updates, "seconds": seconds, "blunders": blunders, "perfect": perfect}


def main() -> None:
    parser = argparse.ArgumentParser(description="The tabular learner beside OpenSpiel's, in one run.")
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU seconds for each learner")
    args = parser.parse_args()
    PEER["pin"]()
    record = {"made": PEER["machine"](), "ours": ours(args.seconds), "theirs": theirs(args.seconds)}
    PEER["store"]("tabular", record)


if __name__ == "__main__":
    main()
