"""Settings of PPO searched with Optuna: the fewest plies to perfect, and blunders as the reason to give up early.

    pip install optuna
    python examples/tune_optuna.py

A trial is a training in memory. After each exact evaluation it reports its blunders, and is given up where others had
fewer by then. `python train.py --env number-flip --tune 30` is the same as a command, and can be resumed.
"""

import sys

import optuna

from training import resolve, train

SPACE = {"learning_rate": (1e-3, 1e-2), "entropy": (0.1, 1.0), "gae_lambda": (0.5, 0.95)}


def plies_to_perfect(trial, game="fifty-wins", agent="ppo", plies=600_000, space=SPACE):
    changes = {name: trial.suggest_float(name, *bounds) for name, bounds in space.items()}
    changes |= {"steps": plies, "until": "perfect"}

    def give_up_early(steps, grade, policy):
        trial.report(grade.blunders, steps)
        if not grade.perfect and trial.should_prune():
            raise optuna.TrialPruned

    card = train(resolve(env=game, agent=agent, changes=changes), on_evaluation=give_up_early).card
    return card.first_steps_to_perfect or plies * (
        1 + card.blunders
    )  # beyond the budget: the fewer blunders the better


if __name__ == "__main__":
    study = optuna.create_study(pruner=optuna.pruners.MedianPruner(n_startup_trials=4))
    study.optimize(plies_to_perfect, n_trials=int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    print(f"{study.best_value:,.0f} plies to perfect with {study.best_params}")
