"""Pictures of positions: as wrappers of Gymnasium want them, in colours of the solution where those are asked for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from PIL import ImageColor

from base.canvas import BAD_SOFT, GOOD_SOFT, cut, length, wrapped
from envs import PettingZooEnv, SoloEnv, TwoPlayerEnv, env_id
from envs.picture import HEIGHT, MOST, WIDTH, _places
from games import GameGraph, RuleBook, make_rulebook
from solver import solve
from tests.books import need_module

Frame = np.ndarray[Any, Any]


def coloured(frame: Frame, colour: str) -> bool:
    return bool((frame == ImageColor.getrgb(colour)).all(axis=2).any())


def under(frame: Frame, box: tuple[float, float, float, float]) -> tuple[int, ...]:
    """The colour of a box, just inside its corner."""
    return tuple(frame[int(box[1]) + 3, int(box[0]) + 3].tolist())


@pytest.mark.parametrize("env", [TwoPlayerEnv, SoloEnv])
def test_every_frame_of_a_game_has_one_shape_and_a_move_changes_it(relative: RuleBook, env: Any) -> None:
    played = env(relative, render_mode="rgb_array")
    played.reset(seed=1)
    frames, over = [played.render()], False
    generator = np.random.default_rng(1)
    while not over and len(frames) < 12:
        over = any(played.step(generator.choice(np.flatnonzero(played.action_masks())))[2:4])
        frames.append(played.render())
    for before, after in pairwise(frames):
        assert (after.shape, after.dtype) == ((HEIGHT, WIDTH, 3), np.uint8)
        assert not np.array_equal(before, after)


def test_the_colours_are_those_of_the_solution(graph: GameGraph, book: RuleBook) -> None:
    solution, seen = solve(graph), 0
    env = TwoPlayerEnv(book, render_mode="rgb_array", render_values=True)
    plain = TwoPlayerEnv(book, render_mode="rgb_array")
    generator = np.random.default_rng(0)
    for _ in range(4):
        env.reset()
        plain.reset()
        over, plies = False, 0
        while not over and plies < 12:
            state = env.reset(options={"moves": env._moves})[1]["state"]
            frame = env.render()
            assert isinstance(frame, np.ndarray)
            boxes = _places(graph.num_actions)
            for action, box in enumerate(boxes):
                shown = under(frame, box)
                judged = bool(graph.legal[state, action] and solution.critical[state])
                assert (shown == ImageColor.getrgb(GOOD_SOFT)) == (judged and bool(solution.keeps[state, action]))
                assert (shown == ImageColor.getrgb(BAD_SOFT)) == (judged and not solution.keeps[state, action])
                seen += judged
            action = generator.choice(np.flatnonzero(env.action_masks()))
            over, plies = env.step(action)[2], plies + 1
            plain.step(action)
            hidden = plain.render()
            assert isinstance(hidden, np.ndarray)
            assert not coloured(hidden, GOOD_SOFT)
            assert not coloured(hidden, BAD_SOFT)
    assert seen


def test_a_game_with_many_moves_and_long_names_is_drawn() -> None:
    for name, parameters in (("fifty-wins", {"target": 1000, "largest": 400}), ("examples/books/nim.py", {})):
        env = TwoPlayerEnv(make_rulebook(name, **parameters), render_mode="rgb_array", render_values=True)
        env.reset()
        assert isinstance(env.render(), np.ndarray)
        assert len(_places(min(env.graph.num_actions, MOST))) == min(env.graph.num_actions, MOST)
    for count in range(1, MOST + 1):  # boxes lie beside each other, within the picture
        boxes = _places(count)
        assert len({(box[0], box[1]) for box in boxes}) == count
        assert all(0 < left < right <= WIDTH and 0 < top < bottom <= HEIGHT for left, top, right, bottom in boxes)


def test_words_that_do_not_fit_are_wrapped_or_cut() -> None:
    text = "a long line of several words " * 5 + "w" * 200
    assert all(length(line, 20) <= 300 for line in wrapped(text, 20, 300))
    assert "".join(wrapped(text, 20, 300)).replace(" ", "") == text.replace(" ", "")
    assert length(cut(text, 20, 300), 20) <= 300
    assert cut("short", 20, 300) == "short"


def test_human_rendering_shows_the_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    need_module("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.wrappers.HumanRendering(gymnasium.make(env_id("number-flip"), render_mode="rgb_array"))
    env.reset(seed=0)
    env.step(7)
    env.close()


def test_record_video_writes_a_film(tmp_path: Path) -> None:
    need_module("moviepy")
    env = gymnasium.make(env_id("number-flip", solo=True), render_mode="rgb_array", render_values=True)
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "films"), episode_trigger=lambda episode: True)
    _, info = env.reset(seed=0)
    over = False
    while not over:
        _, _, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
    env.close()
    assert (tmp_path / "films" / "rl-video-episode-0.mp4").stat().st_size > 1000


def test_pettingzoo_pictures_too(book: RuleBook) -> None:
    env = PettingZooEnv(book, render_mode="rgb_array")
    env.reset(seed=0)
    frame = env.render()
    assert isinstance(frame, np.ndarray)
    assert frame.shape == (HEIGHT, WIDTH, 3)
