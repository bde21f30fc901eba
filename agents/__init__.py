"""Who plays and who learns: fixed players, searches, learners, and the runs they leave behind."""

from agents.fixed import optimal, safe_uniform, trembling, uniform
from agents.mcts import mcts
from agents.players import baseline_names, player
from agents.saved import load

__all__ = ["baseline_names", "load", "mcts", "optimal", "player", "safe_uniform", "trembling", "uniform"]
