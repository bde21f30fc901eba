"""Exact answers from arrays: perfect play, its certificate, and everything about a policy that others would sample.

numba is imported on first use, inside the modules that have kernels.
"""

from solver.card import Grade, Scorecard, grade, scorecard
from solver.certificate import certify
from solver.response import Response, best_response, exploitability
from solver.results import Result, Visitation, versus, visitation
from solver.trembling import Tremble, tremble
from solver.values import Solution, optimal, solve

__all__ = [
    "Grade",
    "Response",
    "Result",
    "Scorecard",
    "Solution",
    "Tremble",
    "Visitation",
    "best_response",
    "certify",
    "exploitability",
    "grade",
    "optimal",
    "scorecard",
    "solve",
    "tremble",
    "versus",
    "visitation",
]
