"""Games as other people write them; each can be solved, and is compared with a brute force on the env itself."""

from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class CustomEnv(gym.Env):
    """Tic-tac-toe with a numpy board of floats, players 1 and -1, and -10 for a taken square."""

    def __init__(self):
        super().__init__()
        self.action_space = spaces.Discrete(9)
        self.observation_space = spaces.Box(low=-1, high=1, shape=(9,), dtype=np.float32)
        self.reset()

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, dtype=np.float32)
        self.current_player = 1
        self.done = False
        return self.board, {}

    def step(self, action):
        if self.done:
            return self.board, 0, True, False, {}
        if self.board[action] != 0:
            return self.board, -10, True, False, {"reason": "taken"}
        self.board[action] = self.current_player
        cells = self.board.reshape(3, 3) * self.current_player
        lines = [*cells.sum(axis=0), *cells.sum(axis=1), np.trace(cells), np.trace(np.fliplr(cells))]
        if 3 in lines:
            self.done = True
            return self.board, 1, True, False, {}
        if np.all(self.board != 0):
            self.done = True
            return self.board, 0, True, False, {}
        self.current_player *= -1
        self.board *= 1.0  # leaves -0.0 behind
        return self.board, 0, False, False, {}

    def valid_moves(self):
        return [i for i in range(9) if self.board[i] == 0]


PLAYER = "alice"  # whose turn it is, for all the games in this file


class GlobalPlayerNim:
    """Nim on two heaps with the player in a global variable; the old step of four things, and no base class."""

    heaps_at_start = [3, 4]

    def __init__(self):
        self.action_space = spaces.Discrete(12)

    def reset(self):
        global PLAYER
        PLAYER = "alice"
        self.heaps = list(self.heaps_at_start)
        return tuple(self.heaps)

    def getLegalActions(self):  # noqa: N802
        return {4 * heap + take - 1 for heap in (0, 1) for take in (1, 2, 3, 4) if take <= self.heaps[heap]}

    def step(self, action):
        global PLAYER
        heap, take = divmod(action, 4)
        self.heaps[heap] -= take + 1
        if sum(self.heaps) == 0:
            return tuple(self.heaps), 1.0, True, {}
        PLAYER = "bob" if PLAYER == "alice" else "alice"
        return tuple(self.heaps), 0.0, False, {}


class HistoryRace(gym.Env):
    """Race to 21 by 1 to 3 that keeps every move ever made: lists and counters that do not matter."""

    def __init__(self, target=21):
        self.target = target
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Discrete(target + 1)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.history, self.total, self.turn, self.clock = [], 0, 0, 0.0
        return self.total, {"action_mask": self._mask()}

    def _mask(self):
        return np.array([self.total + take <= self.target for take in (1, 2, 3)], dtype=np.int8)

    def step(self, action):
        self.history.append((self.turn, int(action)))
        self.clock += 0.5
        self.total += int(action) + 1
        over = self.total == self.target
        reward = 1.0 if over else 0.0
        self.turn = 1 - self.turn
        return self.total, reward, over, False, {"action_mask": self._mask()}


class LastDigit(gym.Env):
    """Say 1 to 4, never what was said last; who reaches 15 or more loses: a negative reward that is a plain loss."""

    def __init__(self):
        self.action_space = spaces.Discrete(4, start=1)
        self.observation_space = spaces.Box(0, 20, (1,), dtype=np.int32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.said = deque(maxlen=1)
        self.total, self.player = 0, 2
        return np.array([self.total]), {}

    @property
    def legal_moves(self):
        return np.array([n for n in (1, 2, 3, 4) if n not in self.said])

    def step(self, action):
        if action in self.said:
            return np.array([self.total]), -10, True, False, {}
        self.said.append(action)
        self.total += action
        if self.total >= 15:
            return np.array([self.total]), -1, True, False, {}
        self.player = 3 - self.player
        return np.array([self.total]), 0, False, False, {}


class Boxes(gym.Env):
    """Claim numbers 1 to 5; who claims an even one moves again; the larger sum wins, a draw gives half a point."""

    def __init__(self):
        self.action_space = spaces.MultiDiscrete([2, 3])
        self.observation_space = spaces.MultiBinary(6)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.owner = np.full((2, 3), -1)
        self.owner[1, 2] = 9  # nobody's
        self.current_player = 0
        self.winner = None
        return (self.owner >= 0).ravel(), {}

    def get_valid_actions(self):
        return np.argwhere(self.owner < 0)

    def step(self, action):
        row, column = action
        number = 3 * row + column + 1
        self.owner[row, column] = self.current_player
        mover = self.current_player
        if not len(self.get_valid_actions()):
            sums = [int((np.arange(1, 7).reshape(2, 3) * (self.owner == player)).sum()) for player in (0, 1)]
            if sums[0] != sums[1]:
                self.winner = int(sums[1] > sums[0])
            reward = 0.5 if self.winner is None else 1.0 if self.winner == mover else -1.0
            return (self.owner >= 0).ravel(), reward, True, False, {}
        if number % 2:
            self.current_player = 1 - mover
        return (self.owner >= 0).ravel(), 0.0, False, False, {}


class Circle(gym.Env):
    """Walk on a circle of five, forward by 1 or back by 1; who steps on 3 wins: play may never end."""

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(5)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.steps, self.to_play = 0, 0, "X"
        return self.place, {}

    def action_masks(self):
        return [True, True]

    def step(self, action):
        self.place = (self.place + (1 if action == 0 else -1)) % 5
        self.steps += 1
        if self.place == 3:
            return self.place, 1.0, True, False, {}
        self.to_play = {"X": "O", "O": "X"}[self.to_play]
        return self.place, 0.0, False, False, {}


class Board:
    def __init__(self):
        self.cells = [[None] * 3 for _ in range(2)]

    def empty(self):
        return [(r, c) for r in range(2) for c in range(3) if self.cells[r][c] is None]


class Columns(gym.Env):
    """Drop on a board object; three in a row win. The asking keeps a cache, moves repeat in its answer."""

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0, 2, (6,), dtype=np.int8)
        self._cache = {}

    def _observe(self):
        return np.array([{None: 0, "x": 1, "o": 2}[cell] for row in self.board.cells for cell in row], dtype=np.int8)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.board, self.mark = Board(), "x"
        return self._observe(), {}

    def valid_moves(self):
        key = str(self.board.cells)
        if key not in self._cache:
            self._cache[key] = [column for _, column in self.board.empty()]
        return self._cache[key]

    def step(self, action):
        row = 1 if self.board.cells[1][action] is None else 0
        assert self.board.cells[row][action] is None
        self.board.cells[row][action] = self.mark
        if self.board.cells[row] == [self.mark] * 3:
            return self._observe(), 1, True, False, {}
        if not self.board.empty():
            return self._observe(), 0, True, False, {}
        self.mark = "o" if self.mark == "x" else "x"
        return self._observe(), 0, False, False, {}


class BonusThatSurvives(gym.Env):
    """An attribute that is born in step and that reset forgets: the true game is that of a new env."""

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Discrete(12)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.total, self.player = 0, 0
        return self.total, {}

    def available_actions(self):
        return [0, 1, 2] if not getattr(self, "bonus", 0) else [0, 1]

    def step(self, action):
        if action == 2:
            self.bonus = 1
        self.total += action + 1
        if self.total >= 10:
            return self.total, -1 if self.total > 10 else 1, True, False, {}
        self.player = 1 - self.player
        return self.total, 0, False, False, {}


class TellsTheFirst(gym.Env):
    """Rewards are told for the first player, whoever moves; the env names the winner."""

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(9)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.stones, self.current_player, self.winner = 8, 1, 0
        return self.stones, {}

    def valid_actions(self):
        return range(min(2, self.stones))

    def step(self, action):
        self.stones -= action + 1
        if self.stones == 0:
            self.winner = self.current_player
            return self.stones, 1 if self.winner == 1 else -1, True, False, {}
        self.current_player = 3 - self.current_player
        return self.stones, 0, False, False, {}


class CountsWinnersFromZero(TellsTheFirst):
    """Players are 1 and 2, winners 0 and 1; a draw is worth half a point to who makes it, and has no winner."""

    def reset(self, seed=None, options=None):
        answer = super().reset(seed=seed)
        self.winner = None
        return answer

    def step(self, action):
        mover = self.current_player
        observation, _, over, cut, info = super().step(action)
        if over:
            self.winner = mover - 1
            return observation, 1, True, False, info
        if self.stones == 3 and action == 1:
            return observation, 0.5, True, False, info
        return observation, 0, False, cut, info
