"""The rules of the games, and the arrays that everything else works on. Needs numpy only."""

from base.mistake import Mistake
from games.check import check_rulebook
from games.find import make_rulebook, rulebook_names
from games.gamefile import StoredGame, read_game
from games.graph import GameGraph, compile_rulebook
from games.observation import observe
from games.policy import Policy
from games.rulebook import DRAW, ILLEGAL, MOVER_LOSES, MOVER_WINS, RuleBook

__all__ = [
    "DRAW",
    "ILLEGAL",
    "MOVER_LOSES",
    "MOVER_WINS",
    "GameGraph",
    "Mistake",
    "Policy",
    "RuleBook",
    "StoredGame",
    "check_rulebook",
    "compile_rulebook",
    "make_rulebook",
    "observe",
    "read_game",
    "rulebook_names",
]
