"""play.py as people meet it: at a pseudo-terminal, and in a pipe."""

from __future__ import annotations

import importlib
import io
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from agents.fixed import optimal
from arena.board import board
from arena.hints import choices, hint, refusal, spans, worths
from arena.transcript import annotate, read
from games import DRAW, MOVER_WINS, Mistake, RuleBook, make_rulebook
from games.rulebook import Verdict
from tests.books import BOOKS, label

ROOT = Path(__file__).parents[2]
END = r"(?=[\s\x1b])"  # of a line, coloured or not
COLOURS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """play.py behind a pseudo-terminal; what it prints is compared without colours."""

    def __init__(self, *words: object, columns: int = 2000) -> None:
        given = ["play.py", *map(str, words)]
        env = {"PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
        self.child = pexpect.spawn(
            sys.executable, given, cwd=str(ROOT), encoding="utf-8", timeout=15, dimensions=(60, columns), env=env
        )
        self.child.delaybeforesend = None
        self.child.setecho(False)
        self.seen = ""

    def until(self, pattern: str) -> str:
        """What comes up to a text, and the text."""
        self.child.expect(pattern)
        got = COLOURS.sub("", self.child.before + self.child.after)
        self.seen += got
        return got

    def say(self, text: object) -> None:
        self.child.sendline(str(text))

    def over(self) -> str:
        rest = COLOURS.sub("", self.child.read())
        self.seen += rest
        self.child.close()
        return rest


def winner(book: RuleBook, moves: list[int]) -> tuple[str, str]:
    """Who wins a worked game and why, by the rule book alone."""
    position = book.start
    for move in moves[:-1]:
        outcome = book.step(move, position)
        assert not isinstance(outcome, Verdict)
        position = outcome
    verdict = book.step(moves[-1], position)
    if not isinstance(verdict, Verdict):
        return "nobody", ""
    mover = (len(moves) - 1) % 2
    assert verdict != DRAW
    return ("first", "second")[mover if verdict == MOVER_WINS else 1 - mover], book.reason(verdict, moves)


def test_the_worked_games_of_every_book_are_played_at_a_terminal(book: RuleBook, tmp_path: Path) -> None:
    games = [[int(word) for word in moves.split()] for moves in book.examples]
    games.sort(key=lambda moves: winner(book, moves)[0] == "nobody")  # one that goes on is left by quit, so comes last
    file = tmp_path / "games.jsonl"
    people = ["--opponent", "human", "--games", len(games), "--transcript", file]
    terminal = Terminal("--env", book.name, *people)
    assert book.title in terminal.until(re.escape(book.text))
    score = {"player 1": 0, "player 2": 0}
    for number, moves in enumerate(games):
        starter = number % 2  # the two take turns at starting
        names = ["player 1", "player 2"] if starter == 0 else ["player 2", "player 1"]
        terminal.until(f"game {number + 1} of {len(games)}: {names[0]} starts")
        for ply, move in enumerate(moves):
            terminal.until(rf"{names[ply % 2]}'s move \([-0-9, ]+\): ")
            terminal.say(move)
            told = terminal.until(re.escape(book.table(moves[: ply + 1])) + END)
            assert f"{names[ply % 2]} says {move}: " in told
        who, why = winner(book, moves)
        if who == "nobody":
            terminal.until("'s move")
            terminal.say("quit")
            terminal.until("stopped without a winner: quit")
        else:
            won = names[("first", "second").index(who)]
            terminal.until(re.escape(f"{won} wins: {why}"))
            score[won] += 1
        terminal.until("review")
    rest = terminal.over()
    assert terminal.child.exitstatus == 0
    if len(games) > 1:
        assert f"score: player 1 {score['player 1']}, player 2 {score['player 2']}" in terminal.seen + rest
    assert [list(record.moves) for record in read(file)] == games
    assert [annotate(record).result for record in read(file)] == [
        {"first": "first wins", "second": "second wins", "nobody": "stopped"}[winner(book, moves)[0]] for moves in games
    ]


Typed = Callable[..., str]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """play.py in this process, with a text for its input: what it prints."""

    def run(text: str, *words: object) -> str:
        monkeypatch.setattr(sys, "argv", ["play.py", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        assert importlib.import_module("play").main() == 0
        return capsys.readouterr().out

    return run


def test_a_full_game_against_perfect_play_is_lost_and_reviewed(book: RuleBook, tmp_path: Path, typed: Typed) -> None:
    """The highest number, or the next where that is against the rules, through a pipe."""
    file = tmp_path / "games.jsonl"
    highest = int(board(book).graph.moves[-1])
    text = f"{highest}\n{highest - 1}\n" * 60
    out = typed(text, "--env", book.name, "--first", "opponent", "--seed", 0, "--transcript", file)
    assert "\x1b" not in out  # plain where there is no terminal
    (record,) = read(file)
    told = annotate(record)
    assert record.players == ("optimal", "you")
    assert told.accounts[0].blunders == 0
    assert f"{told.accounts[1].blunders} blunder" in out
    for move in told.moves:
        assert f"{'optimal says' if move.seat == 0 else 'you say'} {move.move}: {move.table}\n" in out
        if move.blunder and move.seat == 1:
            assert f"move {move.ply}, {move.move}: " in out
    assert told.decided_by in out


def test_an_illegal_number_is_asked_for_again_where_that_is_agreed() -> None:
    terminal = Terminal("--env", "number-flip", "--opponent", "human")
    assert "a number against the rules is asked for again" in terminal.until("player 1's move")
    terminal.say(8)
    terminal.until("player 2's move")
    for wrong, why in {
        "8": "8 was just played",
        "11": "11 is no move of this game",
        "0": "0 is no move of this game",
        "-3": "-3 is no move of this game",
        "9" * 31: f"{'9' * 30} is no move of this game",
    }.items():
        terminal.say(wrong)
        terminal.until(rf"{why}: player 2 may say 1-7, 9-10" + END)
        terminal.until("player 2's move")
    terminal.say(7)
    terminal.until("player 2 says 7: total 15, last number 7")
    terminal.child.sendeof()
    assert "end of input" in terminal.over()
    assert terminal.child.exitstatus == 0


def test_an_illegal_number_loses_where_that_is_agreed(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    people = ["--opponent", "human", "--illegal", "forfeit", "--transcript", file]
    terminal = Terminal("--env", "number-flip", *people)
    assert "a number against the rules loses the game" in terminal.until("player 1's move")
    terminal.say(8)
    terminal.until("player 2's move")
    terminal.say("huint")  # a slip of the fingers is no move, and loses nothing
    assert "did you mean hint" in terminal.until("player 2's move")
    terminal.say(8)
    terminal.until("player 1 wins: player 2 said 8, which is against the rules")
    terminal.over()
    (record,) = read(file)
    assert record.forfeit
    assert (record.forfeit.seat, record.forfeit.why, record.forfeit.said) == (1, "illegal", "8")


def test_hint_why_rules_and_undo_at_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    terminal = Terminal("--env", "fifty-wins", "--seed", 1, "--transcript", file)
    book = make_rulebook("fifty-wins")
    terminal.until("your move")
    terminal.say("undo")
    terminal.until("there is nothing to take back")
    terminal.until("your move")
    terminal.say("rules")
    terminal.until(re.escape(book.text))
    terminal.until("your move")
    terminal.say("why")
    told = terminal.until("your move")
    assert "you can force a win" in told
    rows = dict(re.findall(r"^\s*(\d+)\s+((?:wins|loses)[^\r\n]*?)\s*$", told, re.MULTILINE))
    assert rows["6"].startswith("wins in")
    assert [row for row in rows if rows[row].startswith("wins")] == ["6"]  # the one opening that wins
    terminal.say("hint")
    terminal.until(r"hint: 6 wins, in \d+ plies")
    terminal.until("your move")
    terminal.say(5)
    terminal.until("you say 5: total 5")
    terminal.until("optimal says 1: total 6")
    terminal.until("your move")
    terminal.say("undo")
    terminal.until("taken back: total 0")
    terminal.until("your move")
    terminal.say(6)
    terminal.until("you say 6: total 6")
    terminal.until("your move")
    terminal.say("quit")
    assert "you: 1 move, 0 blunders" in terminal.over()
    (record,) = read(file)
    assert record.moves[0] == 6
    assert record.note == {"seed": 1, "hints": 1, "undone": 1, "whys": 1, "refused": []}


def test_games_are_not_added_to_a_file_of_something_else(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("dear diary\n")
    terminal = Terminal("--env", "fifty-wins", "--transcript", file)
    assert "holds something else than games; name another file" in terminal.over()
    assert terminal.child.exitstatus == 2
    assert file.read_text() == "dear diary\n"


def test_the_end_of_input_ends_the_game_politely(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    terminal = Terminal("--env", "fifty-wins", "--games", 3, "--transcript", file)
    terminal.until("your move")
    terminal.say(6)
    terminal.until("your move")
    terminal.child.sendeof()
    rest = terminal.over()
    assert "stopped without a winner: end of input" in rest
    assert "score: you 0, optimal 0, nobody 1" in rest
    assert "Traceback" not in rest
    assert terminal.child.exitstatus == 0
    assert len(read(file)) == 1


def test_ctrl_c_keeps_the_game_so_far(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    terminal = Terminal("--env", "fifty-wins", "--transcript", file)
    terminal.until("your move")
    terminal.say(6)
    terminal.until("your move")
    terminal.child.kill(signal.SIGINT)
    rest = terminal.over()
    assert "review" in rest
    assert "you: 1 move, 0 blunders" in rest
    assert "interrupted" in rest
    assert "Traceback" not in rest
    assert terminal.child.exitstatus == 130
    (record,) = read(file)
    assert (record.moves[0], record.stopped) == (6, "interrupted")


def pipe(text: str | bytes, *words: object) -> subprocess.CompletedProcess[bytes]:
    given = [sys.executable, "play.py", *map(str, words)]
    content = text if isinstance(text, bytes) else text.encode()
    return subprocess.run(given, input=content, capture_output=True, cwd=ROOT, timeout=60)


def test_a_match_has_a_running_score_and_a_coin(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    words = ["--env", "avoid-the-seventh", "--opponent", "uniform", "--first", "toss", "--games", 8, "--seed", 3]
    done = pipe("1\n" * 400, *words, "--transcript", file)
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    records = read(file)
    assert len(records) == 8
    assert {record.players.index("you") for record in records} == {0, 1}  # the coin falls on both sides
    assert text.count("the coin says") == 8
    results = [annotate(record) for record in records]
    won = sum(game.result == ("first wins", "second wins")[game.players.index("you")] for game in results)
    lost = sum(game.result == ("first wins", "second wins")[game.players.index("uniform")] for game in results)
    assert re.findall("score: .*", text)[-1] == f"score: you {won}, uniform {lost}, nobody {8 - won - lost}"
    assert pipe("1\n" * 400, *words).stdout == done.stdout  # the same seed gives the same match


@pytest.mark.parametrize("book", [one for one in BOOKS if board(one).graph.has_cycle], ids=label)
def test_a_game_that_may_never_end_is_stopped(book: RuleBook, typed: Typed) -> None:
    table, said = board(book), list[int]()
    for _ in range(150):
        said.append(table.keeping(table.graph.follow(said))[0])
    text = typed("\n".join(map(str, said)), "--env", book.name, "--opponent", "human")
    assert "stopped without a winner: 100 moves" in text
    assert text.count(" says ") == 100
    assert "undecided" in text


def test_bytes_that_are_no_text_are_no_move() -> None:
    done = pipe(b"\xff\xfe\x00\n6\n", "--env", "fifty-wins")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"is no move" in done.stdout
    assert b"you say 6: total 6" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env", "fifty-win"], "did you mean fifty-wins"),
        (["--opponent", "optimal"], "--env is missing"),
        (["--env", "fifty-wins", "--opponent", "optimall"], "did you mean optimal"),
        (["--env", "fifty-wins", "--opponent", "runs/nowhere"], "no such run"),
        (["--env", "fifty-wins", "--opponent", "humam"], "did you mean human"),
        (["--env", "fifty-wins", "--opponent", "mcts-99999999999"], "a search has 1 to 10000000 simulations"),
        (["--env", "fifty-wins", "--games", "0"], "--games 0: out of range"),
        (["--env", "fifty-wins", "--seed", "x"], "--seed x: not a whole number"),
        (["--env", "fifty-wins", "--first", "you"], "play.py --first: no such choice: you"),
        (["--env", "fifty-wins", "--transcript", "/no/such/folder/x"], "cannot be written"),
    ],
)
def test_a_mistake_is_told_before_the_first_move(
    words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["play.py", *words])
    with pytest.raises(Mistake, match=re.escape(message)):
        importlib.import_module("play").main()


def test_without_arguments_it_says_what_it_needs() -> None:
    done = pipe("")  # no word at all
    assert done.returncode == 0
    assert b"python play.py --env avoid-the-seventh" in done.stdout


def test_hints_and_worths_agree_with_the_solver_everywhere(book: RuleBook) -> None:
    table = board(book)
    for state in range(table.graph.num_states):
        advice = hint(table, state)
        assert any(f" {table.book.name_of(move)}" in advice for move in table.keeping(state))
        for (_, move, said), action in zip(
            worths(table, state), table.graph.legal[state].nonzero()[0].tolist(), strict=True
        ):
            assert move == table.graph.name_of(action)
            worth = {"wins": 1, "holds": 0, "draws": 0, "loses": -1}[said.split()[0]]
            assert (worth == table.value(state)) == bool(table.solution.keeps[state, action])


def test_moves_are_listed_in_spans() -> None:
    assert spans([1, 2, 3, 5, 7, 8]) == "1-3, 5, 7-8"


@pytest.fixture
def hexapawn() -> RuleBook:
    return make_rulebook(str(ROOT / "examples/books/hexapawn.py"))


def test_moves_are_typed_told_and_reviewed_by_their_names(hexapawn: RuleBook, tmp_path: Path, typed: Typed) -> None:
    file, moves = tmp_path / "games.jsonl", hexapawn.moves_in("b1-b2 a3xb2 c1xb2 c3xb2 a1xb2")
    said = "\n".join(hexapawn.name_of(move).upper() for move in moves[:2]) + "\nwhy\n" + str(moves[2])
    text = typed(said, "--env", str(hexapawn.file), "--opponent", "human", "--transcript", file)
    assert "player 1's move (a1-a2, b1-b2, c1-c2): " in text
    assert "player 1 says b1-b2: " in text
    assert "player 2 says a3xb2: " in text
    assert "player 1 says c1xb2: " in text  # by its number
    assert list(read(file)[0].moves) == moves[:3]
    judged = annotate(read(file)[0])
    assert [move.name for move in judged.moves] == ["b1-b2", "a3xb2", "c1xb2"]
    for move in judged.moves:
        assert move.keeping_names == [hexapawn.name_of(one) for one in move.keeping]


def test_a_refused_number_says_why(book: RuleBook, hexapawn: RuleBook) -> None:
    assert refusal(board(hexapawn), [], hexapawn.moves_in("a1xb2")[0]) == "a1xb2 is against the rules here"
    assert choices(board(hexapawn), 0) == "a1-a2, b1-b2, c1-c2"
    table = board(book)
    first = table.legal(0)[0]
    for move in book.moves():
        if move not in table.legal(table.after(0, first)):
            assert refusal(table, [first], move).startswith(f"{move} ")


def test_only_the_endless_games_say_that_perfect_play_never_ends(book: RuleBook, typed: Typed) -> None:
    table = board(book)
    endless = table.graph.has_cycle and table.value(0) == 0
    assert ("Perfect play never ends this game" in typed("quit\n", "--env", book.name)) == endless


@pytest.mark.parametrize("columns", [40, 80, 133])
def test_lines_break_between_words_at_any_width(columns: int) -> None:
    terminal = Terminal("--env", "sequence-duel", columns=columns)
    terminal.until("your move")
    terminal.say("rules")
    terminal.until("your move")
    shown = terminal.seen.replace("\r", "").replace("): ", ")\n")  # where somebody typed
    lines = [line.rstrip() for line in shown.split("\n")]
    assert max(map(len, lines)) <= columns
    words = make_rulebook("sequence-duel").text.split()
    assert " ".join(words) in " ".join(" ".join(lines).split())  # no word is cut
    terminal.say("quit")
    terminal.over()


def test_an_opponent_is_called_by_its_name_and_a_folder_of_runs_lists_them(tmp_path: Path, typed: Typed) -> None:
    for seed in (0, 1):
        run = tmp_path / "number-flip" / "q-learning" / f"seed-{seed}"
        run.mkdir(parents=True)
        optimal(board(make_rulebook("number-flip")).graph).save(run / "policy.npz")
    text = typed("8\nquit\n", "--env", "number-flip", "--opponent", run, "--seed", 0)
    assert "q-learning (seed 1) says" in text
    assert str(tmp_path) not in text
    with pytest.raises(Mistake, match=rf"a folder of runs, not a run; name one of .*seed-0, {re.escape(str(run))}$"):
        typed("", "--env", "number-flip", "--opponent", tmp_path)
