"""Exams of real programs behind real pipes: the good, the bad, and those that misbehave."""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import load, uniform
from agents.players import seated
from arena import marks
from arena.answers import Saved, read_answers
from arena.board import board
from arena.completion import least_exploitability
from arena.exam import hold
from arena.marks import interval
from arena.paper import questions
from arena.protocol import KINDS, Answer
from arena.sitting import Sitting, folder, label_of
from games import Mistake, Policy, RuleBook, compile_rulebook, make_rulebook
from solver import Scorecard, scorecard
from solver.card import grade
from tests.arena.hostile import HEAD, HOSTILE
from tests.books import need

ROOT = Path(__file__).parents[2]
SMALL = make_rulebook("fifty-wins", target=12, largest=3)
TABLE = board(SMALL)
ASKED = int(TABLE.solution.critical.sum())
RANDOM = str(ROOT / "examples" / "random_player.py")


def program(place: Path, text: str) -> list[str]:
    file = place / "player.py"
    file.write_text(HEAD + text)
    return [sys.executable, "-S", "-u", str(file)]


def sit(words: list[str], book: RuleBook = SMALL, **more: Any) -> Sitting:
    return Sitting(book, words, **{"label": "player", "seconds": 20.0, "startup": 20.0, **more})


def kinds(exam: dict[str, Any]) -> dict[str, int]:
    assert exam["asked"] == sum(exam[kind] for kind in KINDS)
    return {kind: exam[kind] for kind in KINDS if exam[kind]}


def sat(sitting: Sitting, out: Path, **more: Any) -> tuple[Scorecard | None, dict[str, Any], Path]:
    held = hold(sitting, out, **more)
    assert held.exam == json.loads((held.path / "exam.json").read_text())
    assert (held.path / "scorecard.json").exists() == (held.card is not None)
    assert held.exam["positions"] + held.exam["not_asked"] == held.exam["critical_states"]
    return held.card, held.exam, held.path


HALF, REST = (ASKED + 1) // 2, ASKED // 2
EXPECTED = {
    "garbage": {"unparsable": ASKED},
    "flood": {"unparsable": ASKED},
    "flood of lines": {"unparsable": ASKED},
    "hanging": {"late": ASKED},
    "dying in the middle": {"legal": ASKED - ASKED // 3, "crashed": ASKED // 3},
    "dying at once": {"crashed": 3},
    "late": {"legal": 1, "late": ASKED - 1},  # the first has the time of the start besides
    "twice": {"legal": ASKED},
    "out of order": {"late": HALF, "legal": REST},
    "binary": {"unparsable": ASKED},
    "a huge integer": {"illegal": ASKED},
    "closing stdin": {"legal": HALF, "crashed": REST},
    "closing stdout": {"crashed": 3},
    "screaming on stderr": {"legal": ASKED},
}
SILENT = ("hanging", "dying at once", "closing stdout")  # nothing that they said could be judged
PATIENCE = {"hanging": (0.1, 0.1), "late": (0.2, 20.0), "out of order": (0.5, 0.5)}  # seconds, startup; else plenty


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_player_gets_a_correct_scorecard(name: str, tmp_path: Path) -> None:
    seconds, startup = PATIENCE.get(name, (5.0, 5.0))
    began = time.monotonic()
    card, exam, place = sat(sit(program(tmp_path, HOSTILE[name]), seconds=seconds, startup=startup), tmp_path / "runs")
    assert time.monotonic() - began < 20
    assert kinds(exam) == EXPECTED[name]
    if name in SILENT:
        assert (card, (place / "policy.npz").exists()) == (None, False)
        return
    assert card is not None
    graph, policy = TABLE.graph, load(place)
    lowest = graph.moves[graph.legal.argmax(axis=1)]  # what these players say when they say anything legal
    rows = [json.loads(line) for line in (place / "answers.jsonl").read_text().splitlines()]
    said = {row["state"]: row["move"] for row in rows}
    for state in range(graph.num_states):
        if not TABLE.solution.critical[state]:
            assert (policy.probability[state] == uniform(graph).probability[state]).all()
        elif said.get(state) is not None:
            assert policy.probability[state, graph.action(said[state])] == 1.0
            assert said[state] == lowest[state]
        else:
            worth = {a: TABLE.worth(state, a) for a in graph.legal[state].nonzero()[0].tolist()}
            assert worth[int(policy.probability[state].argmax())] == min(worth.values()) < TABLE.value(state)
    assert card.blunders == scorecard(graph, policy).blunders
    assert card == Scorecard.from_json((place / "scorecard.json").read_text())


def test_a_player_that_dies_too_often_is_asked_again_on_resume(tmp_path: Path) -> None:
    sitting = sit(program(tmp_path, f"if not os.path.exists({str(tmp_path / 'well')!r}): os._exit(1)\n"
                                    "for question in questions(): say(question, question['legal'][0])"))  # fmt: skip
    card, exam, _ = sat(sitting, tmp_path / "runs")
    assert (exam["crashed"], exam["given_up"], exam["not_asked"], exam["starts"]) == (3, ASKED - 3, ASKED - 3, 3)
    assert card is None
    assert "3 times in a row" in marks.words(exam)
    (tmp_path / "well").touch()
    _, exam, _ = sat(sitting, tmp_path / "runs", resume=True)
    assert (exam["crashed"], exam["legal"], exam["given_up"]) == (0, ASKED, 0)


def test_a_command_that_never_answers_is_told_on_stderr_with_exit_code_1(tmp_path: Path) -> None:
    done = exam("--env", "fifty-wins", "--player", f"{sys.executable} {tmp_path / 'nowhere.py'}", "--out", tmp_path)
    assert done.returncode == 1
    assert "died before its first answer" in done.stderr
    assert re.search("3 of 46 critical positions; 43 not asked\n.*, 3 crashed\n", done.stdout)
    assert "blunders" not in done.stdout
    assert re.search(r"its last words +\S*python\S*: can't open file .* No such file or directory$", done.stdout, re.M)
    more = ("--games", 2, "--out", tmp_path / "games")
    done = exam("--env", "fifty-wins", "--player", f"{sys.executable} {tmp_path / 'nowhere.py'}", *more)
    assert (done.returncode, "died before its first answer" in done.stderr) == (1, True)


def test_late_and_second_answers_are_passed_over(tmp_path: Path) -> None:
    _, exam, _ = sat(sit(program(tmp_path, HOSTILE["twice"])), tmp_path / "runs")
    assert exam["strays"] >= 2 * (ASKED - 1)
    assert exam["interval"]["kept"] == sum(
        TABLE.legal(int(state))[0] in TABLE.keeping(int(state)) for state in TABLE.solution.critical.nonzero()[0]
    )


@pytest.mark.parametrize("habit", ["", "time.sleep(0.7); os.read(0, 8192)\n"], ids=["never", "a little"])
def test_a_player_that_hardly_reads_cannot_block_the_judge(habit: str, tmp_path: Path) -> None:
    book = make_rulebook("number-flip")  # 379 questions fill the pipe several times over
    words = program(tmp_path, habit + HOSTILE["hanging"])
    _, exam, _ = sat(sit(words, book, seconds=0.004, startup=0.0), tmp_path / "runs")
    assert kinds(exam) == {"late": exam["critical_states"]}


def test_the_optimal_policy_behind_the_protocol_makes_no_blunder(book: RuleBook, tmp_path: Path) -> None:
    card, exam, place = sat(sit([sys.executable, "-m", "arena.serve", "optimal"], book), tmp_path)
    critical = int(board(book).solution.critical.sum())
    assert kinds(exam) == {"legal": critical}
    assert (card.blunders, card.perfect, card.critical_states) == (0, True, critical)
    assert exam["about"] == [{"player": "optimal"}]
    assert load(place).graph.checksum == compile_rulebook(book).checksum


def test_uniform_play_scores_its_exact_expectation_within_the_interval(book: RuleBook, tmp_path: Path) -> None:
    _, exam, _ = sat(sit([sys.executable, "-S", "-E", RANDOM, "0"], book, repeats=3), tmp_path)
    expected = scorecard(compile_rulebook(book), uniform(compile_rulebook(book))).accuracy
    assert exam["asked"] == 3 * exam["critical_states"] == exam["legal"]
    assert exam["interval"]["low"] <= expected <= exam["interval"]["high"]
    assert exam["interval"]["high"] - exam["interval"]["low"] < 0.6


def test_repeats_are_judged_as_the_mixture_of_the_answers(tmp_path: Path) -> None:
    card, exam, place = sat(sit([sys.executable, "-S", "-E", RANDOM, "1"], repeats=4), tmp_path)
    seen: dict[int, Counter[int]] = {}
    for line in (place / "answers.jsonl").read_text().splitlines():
        row = json.loads(line)
        seen.setdefault(row["state"], Counter())[row["move"]] += 1
    policy = load(place)
    for state, moves in seen.items():
        assert sum(moves.values()) == 4
        for move, count in moves.items():
            assert policy.probability[state, TABLE.graph.action(move)] == count / 4
    assert card.accuracy == pytest.approx(exam["interval"]["kept"] / exam["asked"])


def test_a_sample_asks_only_its_positions_and_says_nothing_about_the_rest(tmp_path: Path) -> None:
    book = make_rulebook("number-flip")
    table = board(book)
    words = [sys.executable, "-S", "-E", RANDOM, "2"]
    card, exam, place = sat(sit(words, book, sample=20, seed=5), tmp_path)
    rows = [json.loads(line) for line in (place / "answers.jsonl").read_text().splitlines()]
    asked = {row["state"] for row in rows}
    assert len(asked) == len(rows) == exam["asked"] == exam["positions"] == 20
    assert (card, exam["not_asked"]) == (None, 359)
    assert table.solution.critical[list(asked)].all()
    policy = load(place)
    assert set(policy.extra["asked"].nonzero()[0].tolist()) == asked
    others = ~policy.extra["asked"]
    assert (policy.probability[others] == uniform(table.graph).probability[others]).all()
    assert exam["blunders"] == sum(row["move"] not in table.keeping(row["state"]) for row in rows) > 0
    assert (exam["perfect"], "perfect          no" in marks.words(exam)) == (False, True)
    assert "20 of 379 critical positions; 359 not asked" in marks.words(exam)
    again = [one.state for one in questions(sit(words, book, sample=20, seed=5), table, {})]
    other = [one.state for one in questions(sit(words, book, sample=20, seed=6), table, {})]
    assert set(again) == asked != set(other)


def test_a_sample_of_perfect_play_is_neither_called_perfect_nor_slandered(tmp_path: Path) -> None:
    words = ["--env", "number-flip", "--player", f"{sys.executable} -m arena.serve optimal", "--out", tmp_path]
    done = exam(*words, "--sample", 50)
    assert "kept the value   50 of 50 (1.000)" in done.stdout
    assert "blunders         0 of 50 positions asked; 329 not asked" in done.stdout
    assert "exploitability   unknown\n" in done.stdout
    assert re.findall(r"^  (?:perfect|unexploitable) +(.*)$", done.stdout, re.M) == 2 * [
        "unknown: 329 positions were not asked"
    ]
    assert "of 379 critical positions (accuracy" not in done.stdout
    place = next(tmp_path.rglob("exam.json")).parent
    with pytest.raises(Mistake, match="an exam that did not ask 329 critical positions"):
        seated(str(place), board(make_rulebook("number-flip")).graph)
    assert exam(*words, "--resume").returncode == 0
    assert Scorecard.from_json((place / "scorecard.json").read_text()).perfect
    assert exam(*words, "--sample", 50, "--resume").returncode == 0
    assert not (place / "scorecard.json").exists()


def test_what_a_few_answers_prove_holds_for_every_player_that_gives_them(relative: RuleBook) -> None:
    try:
        table = board(relative)
    except Mistake:
        pytest.skip("no first move")
    graph, chance = table.graph, np.random.default_rng(3)
    critical = table.solution.critical.nonzero()[0]
    if not len(critical) or graph.next_state.size > 5_000:
        pytest.skip("nothing to ask, or too much")
    for size in {1, len(critical) // 2 + 1, len(critical)}:
        asked = chance.permutation(critical)[:size].tolist()
        moves = [(state, int(chance.choice(graph.legal[state].nonzero()[0]))) for state in asked]
        least = least_exploitability(table, moves)
        for preference in (chance.random(graph.legal.shape), table.solution.keeps, chance.random(graph.legal.shape)):
            probability = Policy.greedy(graph, preference).probability.copy()
            for state, action in moves:
                probability[state] = np.eye(graph.num_actions)[action]
            assert least <= grade(graph, Policy(graph, probability)).exploitability + 1e-9


def test_a_blunder_at_the_first_move_proves_that_a_player_can_be_beaten() -> None:
    table = board(make_rulebook("fifty-wins"))
    assert table.value(0) == 1
    for action in table.graph.legal[0].nonzero()[0].tolist():
        proof = least_exploitability(table, [(0, action)])
        assert proof == (0.0 if table.solution.keeps[0, action] else 1.0)
    assert least_exploitability(table, []) == 0.0


def test_the_interval_is_that_of_clopper_and_pearson() -> None:
    from scipy.stats import binomtest

    for kept, asked in ((0, 7), (7, 7), (3, 7), (250, 379)):
        found, known = interval(kept, asked), binomtest(kept, asked).proportion_ci(0.95, method="exact")
        assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=1e-9)


def test_positions_come_by_their_shortest_lines_lowest_moves_first(relative: RuleBook) -> None:
    try:
        table = board(relative)
    except Mistake:
        pytest.skip("no first move")
    if table.graph.next_state.size > 10_000:
        pytest.skip("too many lines to try them all")
    lines = table.lines(range(table.graph.num_states))
    shortest: dict[int, list[int]] = {0: []}
    layer = [[]] if table.graph.num_states else []
    while layer:  # every line of one length in the order of a dictionary: the first to come is the one
        longer = []
        for line in layer:
            state = table.graph.follow(line)
            for move in table.legal(state):
                after = table.graph.follow([*line, move])
                if after >= 0 and after not in shortest:
                    shortest[after] = [*line, move]
                    longer.append([*line, move])
        layer = longer
    assert lines == shortest


RECORDING = """
for question in questions():
    open({log!r}, "a").write(json.dumps(question["moves"]) + "\\n")
    time.sleep({pause})
    say(question, question["legal"][0], about={{"mood": open({mood!r}).read()}}, usage={{"tokens": 2, "dollars": 0.5}})
"""


@pytest.fixture
def recorder(tmp_path: Path) -> list[str]:
    """A player that notes what it was asked in tmp_path/asked, and tells its mood."""
    (tmp_path / "mood").write_text("good")
    text = RECORDING.format(log=str(tmp_path / "asked"), pause=0.0, mood=str(tmp_path / "mood"))
    return program(tmp_path, text)


def asked(place: Path) -> list[str]:
    return (place / "asked").read_text().splitlines() if (place / "asked").exists() else []


WRONG: list[dict[str, Any]] = [
    {"kind": "good"}, {"kind": []}, {"kind": "late"}, {"kind": "late", "move": "1"}, {"move": None}, {"move": True},
    {"key": {}}, {"said": 1}, {"usage": [1]}, {"usage": {"a": "x"}}, {"usage": {"a": {"b": 1}}},
    {"usage": {"a": 1e308}}, {"usage": {"a": float("nan")}},
    {"about": "me"}, {"about": {"a": [1]}}, {"about": {"a": "\x1b[2J"}},
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_line_of_the_wrong_shape_is_no_answer(wrong: dict[str, Any], tmp_path: Path) -> None:
    row = {"key": "k", "kind": "legal", "move": 1, "said": "1", "about": {}, "usage": {}}
    (tmp_path / "answers.jsonl").write_text(json.dumps(row | wrong) + "\n")
    assert read_answers(tmp_path / "answers.jsonl") == Saved({}, 1)
    (tmp_path / "answers.jsonl").write_text(json.dumps(row) + "\n")
    assert read_answers(tmp_path / "answers.jsonl") == Saved({"k": Answer("legal", 1, "1")}, 0)


@pytest.mark.parametrize(
    "damage", [b"[" * 100_000, b"\xff\xfe", b"7", b"{}", b'{"key": 1e999}', b"x" * (2 << 20), b"9" * 50_000, b"\0" * 99]
)
def test_damaged_lines_are_counted_and_cost_no_answer(damage: bytes, recorder: list[str], tmp_path: Path) -> None:
    file = hold(sit(recorder), tmp_path / "runs").path / "answers.jsonl"
    whole = file.read_bytes()
    file.write_bytes(damage + b"\n" + whole + damage)
    held = hold(sit(recorder), tmp_path / "runs", resume=True)
    assert (held.exam["legal"], held.exam["skipped_lines"]) == (ASKED, 2)
    first, *rest = whole.splitlines(keepends=True)
    file.write_bytes(json.dumps(json.loads(first) | {"move": 99}).encode() + b"\n" + b"".join(rest))
    assert hold(sit(recorder), tmp_path / "runs", resume=True).exam["legal"] == ASKED
    assert len(asked(tmp_path)) == ASKED + 1  # an answer that no rule allows was never given


OBEYED = "\x1b]0;you\x07\x1b[2J\u202e\u200b\ud800"
ESCAPING = f"""
text = {OBEYED!r}
sys.stderr.write("dying\\r" + text[:-1] + "\\nlast" + text[:-1])
for number, question in enumerate(questions()):
    if number == 2: os._exit(1)
    cost = {{text: 1e308, "t" + text: 1e14}}
    say(question, question["legal"][0] if number else text, about={{"model": text, text: 1}}, usage=cost)
"""


def test_what_a_player_writes_reaches_nobody_with_control_sequences(tmp_path: Path) -> None:
    command = " ".join(program(tmp_path, ESCAPING))
    words = ("--env", "fifty-wins", "--player", command, "--out", tmp_path / "runs")
    done = exam(*words)
    assert done.returncode == 0, done.stderr
    place = next((tmp_path / "runs").rglob("exam.json")).parent
    answers = [json.loads(line) for line in (place / "answers.jsonl").read_text().splitlines()]
    record = json.loads((place / "exam.json").read_text())
    assert record["unparsable"] > 0
    assert record["about"][0]["model"] == r"\x1b]0;you\x07\x1b[2J\u202e\u200b\ud800"
    games = exam(*words, "--games", 2)
    assert games.returncode == 0, games.stderr
    recorded = [json.loads(line) for line in next((tmp_path / "runs").rglob("optimal.jsonl")).read_text().splitlines()]
    seen = [done.stdout, done.stderr, games.stdout, games.stderr]
    for text in [*seen, *texts_in(answers), *texts_in(record), *texts_in(recorded)]:
        assert text.replace("\n", "").isprintable(), text


def texts_in(record: Any) -> list[str]:
    if isinstance(record, dict):
        return texts_in([*record, *record.values()])
    if isinstance(record, list):
        return [text for item in record for text in texts_in(item)]
    return [record] if isinstance(record, str) else []


def test_what_answers_cost_always_adds_up_to_a_number(tmp_path: Path) -> None:
    words = program(
        tmp_path, "for question in questions(): say(question, question['legal'][0], usage={'a': 1e308, 'b': 1e15})"
    )
    held = hold(sit(words), tmp_path / "runs")
    assert held.exam["usage"] == {"b": ASKED * 1e15}


def test_no_answered_question_is_asked_twice(recorder: list[str], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    _, first, place = sat(sit(recorder), runs)
    assert len(asked(tmp_path)) == len(set(asked(tmp_path))) == ASKED
    with pytest.raises(Mistake, match="this exam exists; add --resume"):
        hold(sit(recorder), runs)
    _, again, _ = sat(sit(recorder), runs, resume=True)
    assert len(asked(tmp_path)) == ASKED
    assert [again[key] for key in ("asked", "usage", "about")] == [first[key] for key in ("asked", "usage", "about")]
    assert first["usage"] == {"tokens": 2 * ASKED, "dollars": ASKED / 2}
    hold(sit(recorder, repeats=3), runs, resume=True)  # the first of the three is there already
    assert Counter(asked(tmp_path)) == Counter(dict.fromkeys(asked(tmp_path), 3))
    rows = (place / "answers.jsonl").read_bytes().splitlines(keepends=True)
    (place / "answers.jsonl").write_bytes(b"".join(rows[:-2]) + rows[-1][:20])  # killed in the middle of a line
    _, torn, _ = sat(sit(recorder, repeats=3), runs, resume=True)
    assert len(asked(tmp_path)) == 3 * ASKED + 2
    assert (torn["legal"], torn["skipped_lines"]) == (3 * ASKED, 1)
    hold(sit(recorder, repeats=3), runs, resume=True)  # what followed the torn line is whole
    assert len(asked(tmp_path)) == 3 * ASKED + 2
    hold(sit(recorder), runs, overwrite=True)
    assert len(asked(tmp_path)) == 4 * ASKED + 2


def test_an_answer_counts_only_for_what_it_was_given_to(recorder: list[str], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    _, _, place = sat(sit(recorder), runs)
    before = (place / "answers.jsonl").read_bytes()
    edited = Path(recorder[-1]).read_text() + "\n# edited\n"
    changes: list[tuple[str, list[str], dict[str, float]]] = [
        ("", recorder, {"seconds": 19.0}),
        ("", recorder, {"startup": 19.0}),
        ("", [*recorder, "--more"], {}),
        (edited, recorder, {}),
    ]
    for text, words, limits in changes:
        Path(recorder[-1]).write_text(text or Path(recorder[-1]).read_text())
        with pytest.raises(Mistake, match=f"none of the {ASKED} answers there is to these questions"):
            hold(sit(words, **limits), runs, resume=True)
    assert len(asked(tmp_path)) == ASKED
    assert (place / "answers.jsonl").read_bytes() == before


def test_a_log_that_the_player_writes_does_not_make_it_another_player(recorder: list[str], tmp_path: Path) -> None:
    log = tmp_path / "talk.jsonl"
    log.touch()
    hold(sit([*recorder, str(log)]), tmp_path / "runs")
    log.write_text("much")
    hold(sit([*recorder, str(log)], repeats=2), tmp_path / "runs", resume=True)
    assert len(asked(tmp_path)) == 2 * ASKED


def test_a_larger_sample_builds_on_a_smaller_one(recorder: list[str], tmp_path: Path) -> None:
    hold(sit(recorder, sample=3), tmp_path / "runs")
    hold(sit(recorder, sample=7), tmp_path / "runs", resume=True)
    assert len(asked(tmp_path)) == len(set(asked(tmp_path))) == 7
    hold(sit(recorder), tmp_path / "runs", resume=True)
    assert len(asked(tmp_path)) == len(set(asked(tmp_path))) == ASKED


def test_a_player_that_says_it_is_another_is_not_mixed_in(recorder: list[str], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    _, _, place = sat(sit(recorder), runs)
    (tmp_path / "mood").write_text("bad")
    before = (place / "answers.jsonl").read_bytes()
    with pytest.raises(Mistake, match=r"now says it is .*bad.* but the answers there are by .*good"):
        hold(sit(recorder, repeats=2), runs, resume=True)
    assert (place / "answers.jsonl").read_bytes() == before


def exam(*words: object, **more: Any) -> subprocess.CompletedProcess[str]:
    given = [sys.executable, str(ROOT / "exam.py"), *map(str, words)]
    return subprocess.run(given, capture_output=True, text=True, cwd=ROOT, timeout=120, **more)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_exam_that_was_stopped_goes_on_where_it_was(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "mood").write_text("good")
    text = RECORDING.format(log=str(tmp_path / "asked"), pause=0.05, mood=str(tmp_path / "mood"))
    command = " ".join(program(tmp_path, text))
    words = ["--env", "fifty-wins", "--param", "target=40", "--player", command, "--out", tmp_path / "runs"]
    given = [sys.executable, str(ROOT / "exam.py"), *map(str, words)]
    with subprocess.Popen(given, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=ROOT, text=True) as first:
        while len(asked(tmp_path)) < 5:
            time.sleep(0.02)
            assert first.poll() is None
        first.send_signal(how)
        told = first.communicate(timeout=20)[1]
    assert first.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[how]
    if how == signal.SIGINT:
        assert re.search(r"stopped, and saved in .*; go on with: python exam\.py .*--resume", told)
        assert "Traceback" not in told
    place = next((tmp_path / "runs").rglob("answers.jsonl")).parent
    answered = len(read_answers(place / "answers.jsonl").answers)
    assert answered >= 3
    before = len(asked(tmp_path))
    done = exam(*words, "--resume", "--quiet")
    assert done.returncode == 0, done.stderr
    critical = int(board(make_rulebook("fifty-wins", target=40)).solution.critical.sum())
    assert len(asked(tmp_path)) - before == critical - answered
    assert json.loads((place / "exam.json").read_text())["legal"] == critical


def test_the_command_line_saves_a_run_that_evaluate_shows(tmp_path: Path) -> None:
    words = ["--env", "avoid-the-seventh", "--player", f"{need('node')} examples/lowest_player.mjs", "--out", tmp_path]
    done = exam(*words)
    assert (done.returncode, done.stderr) == (0, "")
    place = tmp_path / "avoid-the-seventh" / "lowest_player" / "seed-0"
    assert {file.name for file in place.iterdir()} - {"lock"} == {
        "answers.jsonl", "exam.json", "policy.npz", "provenance.json", "scorecard.json",
    }  # fmt: skip
    assert "5 legal, 0 illegal, 0 unparsable, 0 late, 0 crashed" in done.stdout
    assert "positions with nothing to decide stand as uniform play" in done.stdout
    command = [sys.executable, "evaluate.py", str(place), "--out", str(tmp_path / "results")]
    shown = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert "lowest_player blunders at 1 of 5 critical positions" in shown.stdout
    told = json.loads((place / "provenance.json").read_text())
    assert (told["path"], told["finished"]) == ("avoid-the-seventh/lowest_player/seed-0", True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env", "fifty-wins"], "--player is missing"),
        (["--player", "true"], "--env is missing"),
        (["--env", "fifty-win", "--player", "true"], "did you mean fifty-wins"),
        (["--env", "fifty-wins", "--player", ""], "--player: is empty"),
        (["--env", "fifty-wins", "--player", "'"], "No closing quotation"),
        (["--env", "fifty-wins", "--player", "no-such-program x"], "no program no-such-program"),
        (["--env", "fifty-wins", "--player", "true", "--sample", "47"], "has 46 critical positions; take 1 to 46"),
        (["--env", "fifty-wins", "--player", "true", "--sample", "x"], "--sample x: not a whole number"),
        (["--env", "fifty-wins", "--player", "true", "--sample", "2", "--repeats", "2"], "leave one out"),
        (["--env", "fifty-wins", "--player", "true", "--repeats", "0"], "--repeats 0: out of range"),
        (["--env", "fifty-wins", "--player", "true", "--timeout", "nan"], "--timeout nan: out of range"),
        (["--env", "fifty-wins", "--player", "true", "--timeout", "soon"], "not a number of seconds"),
        (["--env", "fifty-wins", "--player", "true", "--opponent", "optimal"], "--opponent needs --games"),
        (["--env", "fifty-wins", "--player", "true", "--games", "1", "--opponent", "optmal"], "did you mean optimal"),
        (["--env", "fifty-wins", "--player", "true", "--name", "ppo"], "that is an agent of train.py"),
        (["--env", "fifty-wins", "--player", "true", "--resume"], "no exam to resume"),
        (["--transcript", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (["--transcript", "x", "--player", "true"], "leave out --player"),
        (["--transcript", "x", "--opponent", "uniform"], "leave out --opponent"),
    ],
)
def test_a_mistake_is_told_and_writes_nothing(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["exam.py", *words, "--out", str(tmp_path / "runs")])
    with pytest.raises(Mistake, match=re.escape(message)):
        importlib.import_module("exam").main()
    assert not (tmp_path / "runs").exists()


def test_a_mistake_is_one_line_with_exit_code_2(tmp_path: Path) -> None:
    done = exam("--env", "fifty-wins", "--player", "no-such-program", "--out", tmp_path / "runs")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_without_arguments_it_says_what_it_needs() -> None:
    done = exam()
    assert done.returncode == 0
    assert 'python exam.py --env avoid-the-seventh --player "CMD"' in done.stdout


@pytest.mark.parametrize(
    ("label", "safe"),
    [("plain", "plain"), ("a/b", "a%2Fb"), ("..", "%2E."), (".x", "%2Ex"), ("ü ,=", "%C3%BC%20%2C%3D"), ("%", "%25")],
)
def test_a_name_is_safe_as_a_folder(label: str, safe: str) -> None:
    assert folder(label) == safe
    assert len(folder(label * 200)) <= 120
    with pytest.raises(Mistake, match="the name is empty"):
        folder("  ")


@pytest.mark.parametrize(
    ("words", "label"),
    [
        (["python", "examples/random_player.py", "3"], "random_player-3"),
        (["/usr/bin/python3.11", "-m", "arena.serve", "uniform", "--seed", "3"], "arena.serve-uniform-seed-3"),
        (["node", "a/b.mjs"], "b"),
        (["python", "-S", "-u", "a/b.py", "--fast"], "b-fast"),
        (["python3"], "python3"),
        (["./my-player", "--fast"], "my-player-fast"),
        (["--"], "player"),
    ],
)
def test_a_player_is_named_after_its_command(words: list[str], label: str) -> None:
    assert label_of(words) == label


def test_an_exam_does_not_touch_a_training_run(tmp_path: Path) -> None:
    place = sit(["true"]).path(tmp_path)
    place.mkdir(parents=True)
    (place / "settings.toml").write_text("")
    for flags in ({}, {"overwrite": True}):
        with pytest.raises(Mistake, match="a training run stands there"):
            hold(sit(["true"]), tmp_path, **flags)
    assert os.listdir(place) == ["settings.toml"]


def test_this_room_starts_without_torch_and_its_help_without_more() -> None:
    rooms = [f"arena.{file.stem}" for file in (ROOT / "arena").glob("[a-z]*.py")]
    everything = f"import importlib, sys; [importlib.import_module(name) for name in {rooms}]; unwanted = {{'torch'}}"
    helps = "import sys, exam, play; exam.parser().format_help(); play.parser().format_help(); "
    helps += "unwanted = {'torch', 'numba', 'scipy', 'rich', 'gymnasium'}"
    for code in (everything, helps):
        subprocess.run(
            [sys.executable, "-c", f"{code}; assert not unwanted & set(sys.modules)"], check=True, cwd=ROOT, timeout=60
        )
