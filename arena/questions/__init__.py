"""Questions made fresh from a seed: any number of positions of many games, with all that perfect play says of each.

    from arena.questions import judge_reply, make_questions, read_set

    questions = make_questions(read_set("standard"), seed=7, count=1000)
    judge_reply(questions[0], "MOVE: 3").kept       # True if 3 keeps the value

docs/formats/questions.md describes a question, a set and an answer.
"""

from arena.questions.judge import Judged, judge_move, judge_reply
from arena.questions.make import make_questions
from arena.questions.record import Question, parse_question, read_questions
from arena.questions.sets import QuestionSet, read_set, set_names, set_of

__all__ = [
    "Judged",
    "Question",
    "QuestionSet",
    "judge_move",
    "judge_reply",
    "make_questions",
    "parse_question",
    "read_questions",
    "read_set",
    "set_names",
    "set_of",
]
