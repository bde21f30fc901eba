"""Games in which something is planted that makes a true answer impossible: each must be refused for it."""

import random

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Race(gym.Env):
    """Race to 12 by 1 or 2; what follows changes one thing each."""

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(20)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.total, self.current_player = 0, 0
        return self.total, {}

    def valid_moves(self):
        return [0, 1]

    def step(self, action):
        self.total += action + 1
        if self.total >= 12:
            return self.total, 1, True, False, {}
        self.current_player = 1 - self.current_player
        return self.total, 0, False, False, {}


class RandomSteps(Race):
    """Once in a while a step is longer."""

    def step(self, action):
        self.total += int(self.np_random.random() < 0.1)
        return super().step(action)


class RandomStart(Race):
    """The race starts somewhere."""

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.total = int(self.np_random.integers(3))
        return self.total, {}


class HiddenDeck(Race):
    """What a move adds lies in a shuffled deck."""

    def reset(self, seed=None, options=None):
        answer = super().reset(seed=seed)
        self.deck = [1, 1, 2, 2, 3, 3] * 3
        random.shuffle(self.deck)
        return answer

    def step(self, action):
        self.total += self.deck.pop()
        return super().step(action)


class RandomMoves(Race):
    """valid_moves draws."""

    def valid_moves(self):
        return [0, 1] if random.random() < 0.5 else [0]


class MutatingMoves(Race):
    """valid_moves moves."""

    def valid_moves(self):
        self.total += 1
        return [0, 1]


class OutsideMoves(Race):
    """valid_moves names moves that no action is."""

    def valid_moves(self):
        return [1, 2]


class RejectedMoves(Race):
    """A move that valid_moves names is punished by step as any illegal one."""

    def valid_moves(self):
        return [0] if self.total % 2 else [0, 1]

    def step(self, action):
        if (self.total % 2 and action == 1) or (self.total == 6 and action == 1):
            return self.total, -10, True, False, {}
        return super().step(action)


class RaisingMoves(Race):
    """A move that valid_moves names makes step raise."""

    def step(self, action):
        if self.total == 7 and action == 1:
            raise ValueError("not now")
        return super().step(action)


class NobodyWins(Race):
    """Over, without a word on who has won."""

    def step(self, action):
        observation, _, over, cut, info = super().step(action)
        return observation, 0, over, cut, info


class NotZeroSum(Race):
    """Both players may win."""

    def step(self, action):
        observation, _, over, cut, info = super().step(action)
        rewards = (0.0, 0.0) if not over else (1.0, 1.0) if action else (1.0, -1.0)
        return observation, rewards, over, cut, info


class NoMoves(Race):
    """Nothing to ask for legal moves."""

    valid_moves = None


class NobodysTurn(Race):
    """Nothing says whose turn it is."""

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        del self.current_player
        return self.total, {}

    def step(self, action):
        self.current_player = 0
        answer = super().step(action)
        del self.current_player
        return answer


class PointsOnTheWay(Race):
    """A point for every third stone, as much as for the end."""

    def step(self, action):
        observation, reward, over, cut, info = super().step(action)
        return observation, reward + (self.total % 3 == 0 and not over), over, cut, info


class ToldToTheFirst(Race):
    """The reward is the first player's, and nothing says so."""

    def step(self, action):
        observation, reward, over, cut, info = super().step(action)
        return observation, -reward if self.current_player else reward, over, cut, info


class LateFlag(Race):
    """The win is told when the next player calls step, with the winner's reward."""

    def step(self, action):
        if self.total >= 12:
            return self.total, 1, True, False, {}
        self.total += action + 1
        self.current_player = 1 - self.current_player
        return self.total, 0, False, False, {}


class NoWayOut(Race):
    """Somewhere nothing is legal, and the game is not over."""

    def valid_moves(self):
        return [] if self.total == 7 else [0, 1]


class Secret(Race):
    """The first move stays hidden from the other player, and decides."""

    def reset(self, seed=None, options=None):
        self.secret = -1
        return super().reset(seed=seed)

    def step(self, action):
        if self.secret < 0:
            self.secret = action
            self.total, self.current_player = 1, 1
            return 1, 0, False, False, {}
        if self.total == 1 and action != self.secret:
            return 1, -1, True, False, {}
        return super().step(action)


class Endless(Race):
    """Numbers that grow for ever and matter."""

    def step(self, action):
        self.total += action + 1
        self.current_player = 1 - self.current_player
        over = bool(np.sqrt(self.total) % 1 == 0 and action)
        return self.total, float(over), over, False, {}


class Stopped(Race):
    """Too large for the budget that is given."""

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.total = -300
        return self.total, {}
