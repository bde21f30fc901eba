"""The rules of the games, and the arrays that everything else works on. Needs numpy only."""

from base.mistake import Mistake
from games.check import check_rulebook
from games.graph import GameGraph, compile_rulebook
from games.observation import observe
from games.policy import Policy
from games.rulebook import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, RuleBook, make_rulebook, rulebook_names

__all__ = [
    "DRAW",
    "ILLEGAL",
    "MOVER_LOSES",
    "MOVER_WINS",
    "GameGraph",
    "Mistake",
    "Policy",
    "RuleBook",
    "check_rulebook",
    "compile_rulebook",
    "make_rulebook",
    "observe",
    "rulebook_names",
]
