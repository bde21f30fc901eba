"""Games in other people's style: each is solved as a brute force on the env solves it, or refused for its trap."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from envs.importing import Budget, Convention, Imported, Refused, import_game
from games.rulebook import Verdict
from solver import solve
from tests.envs.importing.brute_force import freeze, values

HERE = Path(__file__).parent / "foreign"


def module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"brute_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


SOLVED = module("solved")


def of_mover(env: Any, reward: float, who: Any) -> float:
    return (reward > 0) - (reward < 0)


def by_place(env: Any, reward: float, who: Any) -> float:
    return 0 if env.winner is None else 1 if env.winner == who - 1 else -1


def by_winner(env: Any, reward: float, who: Any) -> float:
    return 0 if env.winner is None else 1 if env.winner == who else -1


# The attributes that make a position, how legal moves are asked for, who moves, what an end is worth.
GAMES: dict[str, tuple[tuple[str, ...], Any, Any, Any]] = {
    "CustomEnv": (("board", "current_player"), lambda e: e.valid_moves(), lambda e: e.current_player, of_mover),
    "HistoryRace": (("total", "turn"), lambda e: [a for a in range(3) if e._mask()[a]], lambda e: e.turn, of_mover),
    "LastDigit": (("total", "player", "said"), lambda e: e.legal_moves.tolist(), lambda e: e.player, of_mover),
    "Boxes": (
        ("owner", "current_player"), lambda e: e.get_valid_actions().tolist(), lambda e: e.current_player, by_winner,
    ),
    "Circle": (("place", "to_play"), lambda e: [0, 1], lambda e: e.to_play, of_mover),
    "Columns": (("board", "mark"), lambda e: sorted(set(e.valid_moves())), lambda e: e.mark, of_mover),
    "BonusThatSurvives": (("total", "player", "bonus"), lambda e: e.available_actions(), lambda e: e.player, of_mover),
    "CountsWinnersFromZero": (
        ("stones", "current_player"), lambda e: list(e.valid_actions()), lambda e: e.current_player, by_place,
    ),
    "TellsTheFirst": (
        ("stones", "current_player"), lambda e: list(e.valid_actions()), lambda e: e.current_player, by_winner,
    ),
}  # fmt: skip


def agree(imported: Imported, name: str) -> int:
    """Walk the graph and the brute force side by side; how many pairs of positions were compared."""
    names, legal, mover, result = GAMES[name]
    value, moves = values(getattr(SOLVED, name), names, legal, mover, result)
    graph = imported.game.graph
    solution = solve(graph)
    start = next(iter(value))
    waiting, met = [(0, start)], {(0, start)}
    while waiting:
        state, here = waiting.pop()
        assert solution.value[state] == value[here], (graph.words(state), here)
        there = {freeze_name(move): after for move, after in moves[here].items()}
        legal_names = {imported.game.names[action] for action in graph.legal[state].nonzero()[0]}
        assert legal_names == set(there)
        for action in graph.legal[state].nonzero()[0].tolist():
            after, other = int(graph.next_state[state, action]), there[imported.game.names[action]]
            if after >= 0 and imported.game.names[graph.legal[after].argmax()] == "pass":
                after = int(graph.next_state[after].max())
            if isinstance(other, int):
                assert Verdict(after).worth == other
            elif (after, other) not in met:
                met.add((after, other))
                waiting.append((after, other))
    return len(met)


def freeze_name(move: Any) -> str:
    return str(freeze(move))


@pytest.mark.parametrize("name", GAMES)
def test_a_foreign_game_has_the_values_of_a_brute_force_on_the_env(name: str) -> None:
    imported = import_game(f"{HERE}/solved.py:{name}")
    assert agree(imported, name) >= imported.game.graph.num_states - imported.passes


def test_a_player_in_a_global_variable_is_part_of_the_position() -> None:
    imported = import_game(f"{HERE}/solved.py:GlobalPlayerNim")
    value = solve(imported.game.graph).value
    for state in range(imported.game.graph.num_states):
        words = imported.game.graph.words(state)
        first, second = (int(word) for word in words.split("heaps ")[1].split(",")[0].split()[:2])
        assert value[state] == (1 if first != second else -1), words


def test_what_only_grows_is_left_out_and_told() -> None:
    imported = import_game(f"{HERE}/solved.py:HistoryRace", options={"target": 40})
    assert imported.game.graph.num_states == 2 * 40 - 2  # a total, and who is to move: only one may be at 0 or at 1
    assert any("history" in note and "clock" in note for note in imported.notes)


REASONS = {
    "RandomSteps": "random", "RandomStart": "set-up is random", "HiddenDeck": "set-up is random",
    "RandomMoves": "random|two answers", "MutatingMoves": "changes the game|two answers",
    "OutsideMoves": "no action of", "RejectedMoves": "step rejects it", "RaisingMoves": "not now",
    "NobodyWins": "does not say who has won", "NotZeroSum": "not zero-sum", "NoMoves": "no way to ask",
    "NobodysTurn": "whose turn", "PointsOnTheWay": "on the way", "ToldToTheFirst": "told for the first player",
    "LateFlag": "one call late", "NoWayOut": "no legal move and the game is not over", "Secret": "hidden information",
    "Endless": "are allowed", "Stopped": "are allowed",
}  # fmt: skip


@pytest.mark.parametrize("name", REASONS)
def test_a_trap_is_refused_for_what_is_planted(name: str) -> None:
    with pytest.raises(Refused, match=REASONS[name]) as refused:
        import_game(f"{HERE}/refused.py:{name}", budget=Budget(states=8 if name == "Stopped" else 3_000))
    assert "\n" not in str(refused.value)


def test_a_convention_that_is_told_is_followed() -> None:
    race = solve(import_game(f"{HERE}/refused.py:Race").game.graph)
    for name, convention, mover in (
        ("ToldToTheFirst", Convention(reward="first"), None),
        ("LateFlag", Convention(reward="late"), None),
        ("PointsOnTheWay", Convention(reward="mover"), None),
        ("NobodysTurn", Convention(), "alternate"),
    ):
        told = solve(import_game(f"{HERE}/refused.py:{name}", convention=convention, mover=mover).game.graph)
        assert told.value[0] == race.value[0], name
        assert told.remoteness[0] == race.remoteness[0], name
    stuck = {
        how: import_game(f"{HERE}/refused.py:NoWayOut", convention=Convention(stuck=how)) for how in ("loses", "wins")
    }
    assert solve(stuck["loses"].game.graph).value[0] != solve(stuck["wins"].game.graph).value[0]
