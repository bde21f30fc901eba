"""What each agent can be told: one frozen model per agent, a sentence per setting, checked where it is made."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from base.mistake import Mistake, unknown

if TYPE_CHECKING:
    from agents.learner_file import LearnerFile
    from games import GameGraph

DEFAULT_AGENT = "ppo"
Model = TypeVar("Model", bound=BaseModel)


class Checked(BaseModel):
    """A frozen model that takes values as they come from a command line: 1e6 is a whole number, True is none."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, protected_namespaces=())

    @field_validator("*", mode="before")
    @classmethod
    def _whole_number(cls, value: Any, info: ValidationInfo) -> Any:
        if cls.model_fields[str(info.field_name)].annotation is not int:
            return value
        if isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)?[eE]\+?\d{1,2}", value.strip()):
            number = float(value)
            return int(number) if number.is_integer() else value
        return value


def redefault(kind: type[BaseModel], name: str, default: Any) -> Any:
    """The field `name` of these settings, with another default."""
    changed = copy.copy(kind.model_fields[name])
    changed.default = default
    return changed


class AgentSettings(Checked):
    """What every learner's settings begin with."""

    learner: ClassVar[str] = ""  # "module:class" of the learner: learner(settings, graph, seed)
    about: ClassVar[str] = ""
    origin: ClassVar[LearnerFile | None] = None  # where the learner is in a file of somebody's own
    remedies: ClassVar[tuple[Mapping[str, Any], ...]] = ()  # what to change where it is not perfect, the best first
    search: ClassVar[Mapping[str, Any]] = {}  # for --tune: a setting's lowest and highest value, or a list of values

    steps: int = Field(
        2_000_000, description="The budget: how many updates (moves of the learner) are made.", ge=1, le=10**13
    )
    evaluations: int = Field(
        100,
        description="How many times in the run the whole policy is scored exactly, close together at first.",
        ge=1,
        le=10_000,
    )
    until: Literal["end", "perfect"] = Field(
        "end", description="When to stop: at the end of the budget, or as soon as perfect."
    )

    def sized(self, graph: Callable[[], GameGraph]) -> AgentSettings:
        """With numbers for this game in the place of every 0 that stands for them; `graph` is only called for those."""
        return self

    def follows_budget(self) -> list[str]:
        """The settings that change along the budget: with any, a run cannot get a larger budget later."""
        values = dict(self)
        return [name for name, value in values.items() if values.get(f"{name}_end", value) != value]


class TabularSettings(AgentSettings):
    """What the learners that play games with a table of values share."""

    search = {"epsilon": (0.05, 1.0), "step_size": (0.05, 1.0), "discount": (0.9, 1.0)}

    epsilon: float = Field(1.0, description="The share of random moves at the first update.", ge=0, le=1)
    epsilon_end: float = Field(
        1.0, description="The share of random moves at the last update; linear in between.", ge=0, le=1
    )
    step_size: float = Field(
        1.0, description="How far a value moves towards its target at the first update.", gt=0, le=1
    )
    step_size_end: float = Field(1.0, description="How far it moves at the last update; linear in between.", gt=0, le=1)
    discount: float = Field(
        0.99, description="What a win is worth one ply earlier; below 1 the winner hurries.", gt=0, le=1
    )
    exploring_starts: bool = Field(
        False, description="Whether games start at a random reachable position with a random move."
    )
    opponent: str = Field("self", description="Who plays the other side: self, a player such as optimal, or a run.")
    max_plies: int = Field(
        100, description="Where play may never end, a game is cut after so many moves of the learner.", ge=1, le=10**6
    )


class QLearningSettings(TabularSettings):
    learner = "agents.tabular:QLearner"
    about = "Q-learning by self-play: a move is worth minus the best answer to it"


class OnPolicySettings(TabularSettings):
    """Who learns the value of what it plays explores little, and starts everywhere instead."""

    steps: int = redefault(TabularSettings, "steps", 4_000_000)
    epsilon: float = redefault(TabularSettings, "epsilon", 0.1)
    epsilon_end: float = redefault(TabularSettings, "epsilon_end", 0.0)
    step_size: float = redefault(TabularSettings, "step_size", 0.1)
    step_size_end: float = redefault(TabularSettings, "step_size_end", 0.1)
    exploring_starts: bool = redefault(TabularSettings, "exploring_starts", True)


class SarsaSettings(OnPolicySettings):
    learner = "agents.tabular:SarsaLearner"
    about = "SARSA by self-play: a move is worth minus the answer that was played"


class MonteCarloSettings(OnPolicySettings):
    learner = "agents.tabular:MonteCarloLearner"
    about = "every-visit Monte Carlo by self-play: a move is worth what came of its games"


class ValueIterationSettings(AgentSettings):
    learner = "agents.tabular:ValueIterationPlanner"
    about = "value iteration over the whole graph: planning, not learning; an update is one (state, action) pair"

    discount: float = Field(
        0.99, description="What a win is worth one ply earlier; below 1 the winner hurries.", gt=0, le=1
    )


class SweepBackSettings(AgentSettings):
    learner = "agents.sweep_back:SweepBackLearner"
    about = "tabular, near the limit: goes to the nearest move never tried, and sweeps what it saw backward"

    steps: int = redefault(AgentSettings, "steps", 20_000)
    evaluations: int = redefault(AgentSettings, "evaluations", 500)  # it is perfect soon: look closely
    discount: float = redefault(ValueIterationSettings, "discount", 0.99)
    max_plies: int = Field(
        100, description="Where play may never end, a game is cut after so many plies.", ge=1, le=10**6
    )


class TraceBackSettings(AgentSettings):
    learner = "agents.trace_back:TraceBackLearner"
    about = "tabular, for large games: goes where something is left to try, and traces each new value back at once"

    discount: float = redefault(ValueIterationSettings, "discount", 0.99)
    max_plies: int = redefault(SweepBackSettings, "max_plies", 100)


class PPOSettings(AgentSettings):
    learner = "agents.ppo:PPOLearner"
    about = "PPO by self-play: sb3-contrib's MaskablePPO, one network for both seats"
    remedies = ({"entropy": 1.0}, {"epochs": 16})
    search = {
        "start": ["random-openings", "anywhere"],
        "learning_rate": (1e-3, 1e-2),
        "entropy": (0.1, 1.0),
        "entropy_end": (0.01, 0.3),
        "gae_lambda": (0.5, 0.95),
        "epochs": (2, 8),
    }

    steps: int = Field(
        0, description="The budget: how many plies are played; 0 for what suits the size of the game.", ge=0, le=10**13
    )
    games: int = Field(
        0, description="How many games are played side by side; 0 for what suits the size of the game.", ge=0, le=10**6
    )
    plies: int = Field(16, description="How many plies of each game make a rollout.", ge=1, le=10**6)
    batch: int = Field(0, description="How many plies make a minibatch; 0 for a quarter of a rollout.", ge=0, le=10**8)
    epochs: int = Field(4, description="How many times a rollout is learned from.", ge=1, le=1000)
    learning_rate: float = Field(3e-3, description="Adam's step at the beginning.", gt=0, le=1)
    learning_rate_end: float = Field(3e-4, description="Adam's step at the end; linear in between.", gt=0, le=1)
    entropy: float = Field(0.5, description="The weight of the entropy bonus at the beginning.", ge=0, le=100)
    entropy_end: float = Field(
        0.05,
        description="The weight of the entropy bonus at the end; in equal ratios in between, linear from or to 0.",
        ge=0,
        le=100,
    )
    gae_lambda: float = Field(0.5, description="How far an advantage looks ahead: 0 one ply, 1 to the end.", ge=0, le=1)
    clip: float = Field(3.0, description="How far a probability may move in one rollout, as a ratio.", gt=0, le=10)
    normalize: bool = Field(False, description="Whether the advantages of each minibatch are scaled to a spread of 1.")
    width: int = Field(64, description="Units in a hidden layer.", ge=1, le=10**5)
    layers: int = Field(2, description="Hidden layers of the actor, and of the critic.", ge=0, le=20)
    observation: Literal["onehot", "binary", "digits", "scalar", "own"] = Field(
        "onehot",
        description="What the network sees of a position: its fields bit by bit, in binary, digit by digit, as "
        "numbers, or as the env showed it that the game was imported from.",
    )
    opponent: str = Field(
        "self",
        description="Who plays the other side: self, pool (past selves and uniform), a player such as optimal, or a "
        "run.",
    )
    pool: int = Field(10, description="How many past selves a pool holds.", ge=1, le=1000)
    floor: float = Field(
        0.0, description="The share of uniform play that is mixed into the policy while it trains.", ge=0, lt=1
    )
    start: Literal["random-openings", "opening", "anywhere"] = Field(
        "anywhere",
        description="Where games start: at a position of a uniformly random game, at the opening, or at any reachable "
        "position, and in long games anew in every rollout.",
    )
    mask: bool = Field(
        True, description="Whether training masks illegal moves; without, they forfeit. The judged policy is masked."
    )
    sign_flip: bool = Field(
        True, description="Whether the return changes sign at every ply; without, both sides want the same."
    )
    max_plies: int = Field(
        100, description="Where play may never end, a game is cut after so many plies.", ge=1, le=10**6
    )

    def follows_budget(self) -> list[str]:
        return super().follows_budget() + (["pool"] if self.opponent == "pool" else [])

    def sized(self, graph: Callable[[], GameGraph]) -> PPOSettings:
        if self.steps and self.games and self.batch:
            return self
        from agents import size

        rollout = 0 if self.steps and self.games else size.rollout_of(graph())
        games = self.games or max(rollout // self.plies, 1)
        numbers = {
            "steps": self.steps or rollout * size.rollouts_of(graph()),
            "games": games,
            "batch": self.batch or max(games * self.plies // 4, 2),
        }
        return make_checked(type(self), "ppo", dict(self) | numbers)

    @model_validator(mode="after")
    def _a_rollout_holds_a_minibatch(self) -> PPOSettings:
        if self.games and self.batch > self.games * self.plies:
            plies = self.games * self.plies
            raise ValueError(f"batch={self.batch} is more than games × plies = {plies}; take batch={plies} or less")
        return self


class DQNSettings(AgentSettings):
    learner = "agents.dqn:DQNLearner"
    about = "DQN by self-play: one network for both seats, masked, the sign flipped at every ply"

    steps: int = redefault(AgentSettings, "steps", 600_000)
    games: int = Field(
        256, description="How many games are played side by side; a step is a move in each.", ge=1, le=10**6
    )
    memory: int = Field(100_000, description="How many moves the replay memory holds.", ge=1, le=10**8)
    warm_up: int = Field(10_000, description="How many moves are made before anything is learned.", ge=0, le=10**9)
    batch: int = Field(1024, description="How many remembered moves make a minibatch.", ge=1, le=10**8)
    updates: int = Field(
        1, description="How many minibatches are learned from after a move in each game.", ge=1, le=1000
    )
    target_every: int = Field(
        50, description="After how many minibatches the target network is renewed.", ge=1, le=10**6
    )
    learning_rate: float = Field(2e-3, description="Adam's step at the beginning.", gt=0, le=1)
    learning_rate_end: float = Field(1e-4, description="Adam's step at the end; linear in between.", gt=0, le=1)
    discount: float = Field(
        0.99, description="What a win is worth one ply earlier; below 1 the winner hurries.", gt=0, le=1
    )
    epsilon: float = Field(1.0, description="The share of random moves at the beginning.", ge=0, le=1)
    epsilon_end: float = Field(0.1, description="The share of random moves at the end; linear in between.", ge=0, le=1)
    width: int = Field(256, description="Units in a hidden layer.", ge=1, le=10**5)
    layers: int = Field(2, description="Hidden layers.", ge=1, le=20)
    observation: Literal["onehot", "binary", "digits", "scalar", "own"] = redefault(
        PPOSettings, "observation", "onehot"
    )
    start: Literal["random-openings", "opening", "anywhere"] = redefault(PPOSettings, "start", "random-openings")
    max_plies: int = redefault(PPOSettings, "max_plies", 100)


class FamilySettings(DQNSettings):
    learner = "agents.family:FamilyLearner"
    about = "DQN on many members of a family at once, with a network to which positions of all sizes look alike"

    members: str = Field(
        "", description="Whose games are played, such as target=1-100; where it is empty, those of the run's own game."
    )
    network: Literal["waves", "gru"] = Field(
        "waves",
        description="Cosines of whole numbers with learned frequencies, or a GRU that reads digits, the lowest first.",
    )
    penalty: float = Field(
        0.1, description="The weight of how much the waves say, on average: it leaves few of them.", ge=0, le=100
    )
    steps: int = redefault(DQNSettings, "steps", 800_000)
    learning_rate: float = redefault(DQNSettings, "learning_rate", 3e-3)
    learning_rate_end: float = redefault(DQNSettings, "learning_rate_end", 3e-5)
    discount: float = redefault(DQNSettings, "discount", 1.0)
    epsilon_end: float = redefault(DQNSettings, "epsilon_end", 1.0)
    start: Literal["random-openings", "opening", "anywhere"] = redefault(DQNSettings, "start", "anywhere")


class ExpertSettings(AgentSettings):
    learner = "agents.expert:ExpertLearner"
    about: ClassVar[str] = (
        "expert iteration, as in AlphaZero: a search looks further than the network, which learns what it found"
    )

    steps: int = redefault(AgentSettings, "steps", 120_000)
    games: int = Field(256, description="How many games are played side by side.", ge=1, le=10**6)
    plies: int = Field(16, description="How many plies of each game make a round of self-play.", ge=1, le=10**6)
    simulations: int = Field(50, description="How many times a search goes down from a position.", ge=2, le=10**6)
    exploration: float = Field(1.5, description="How much a search trusts what the network would play.", gt=0, le=100)
    noise: float = Field(
        0.25, description="The share of uniform play mixed into that at the root of a search.", ge=0, le=1
    )
    updates: int = Field(32, description="How many steps of gradient descent follow a round.", ge=1, le=10**5)
    batch: int = Field(
        4096, description="How many positions a step of gradient descent takes, at most.", ge=1, le=10**8
    )
    learning_rate: float = Field(3e-3, description="Adam's step at the beginning.", gt=0, le=1)
    learning_rate_end: float = Field(3e-4, description="Adam's step at the end; linear in between.", gt=0, le=1)
    discount: float = Field(
        0.99, description="What a win is worth one ply earlier; below 1 the winner hurries.", gt=0, le=1
    )
    width: int = Field(256, description="Units in a hidden layer.", ge=1, le=10**5)
    layers: int = Field(1, description="Hidden layers of the actor, and of the critic.", ge=1, le=20)
    observation: Literal["onehot", "binary", "digits", "scalar", "own"] = redefault(
        PPOSettings, "observation", "onehot"
    )
    start: Literal["random-openings", "opening", "anywhere"] = redefault(PPOSettings, "start", "random-openings")
    max_plies: int = redefault(PPOSettings, "max_plies", 100)


AGENTS: Mapping[str, type[AgentSettings]] = {
    "ppo": PPOSettings,
    "q-learning": QLearningSettings,
    "sarsa": SarsaSettings,
    "monte-carlo": MonteCarloSettings,
    "value-iteration": ValueIterationSettings,
    "sweep-back": SweepBackSettings,
    "trace-back": TraceBackSettings,
    "dqn": DQNSettings,
    "family": FamilySettings,
    "expert-iteration": ExpertSettings,
}


def settings_of(agent: str) -> type[AgentSettings]:
    """The settings of the agent of that name, or of the learner in that .py file."""
    if agent.endswith(".py"):
        from agents.learner_file import LearnerFile, settings_in

        return settings_in(LearnerFile.read(agent))
    if agent not in AGENTS:
        raise unknown("--agent", "agent", agent, AGENTS)
    return AGENTS[agent]


def make_options(agent: str, values: Mapping[str, Any]) -> AgentSettings:
    """The settings of an agent; values may be text, as they come from a command line."""
    return make_checked(AGENTS[agent], agent, values)


def make_checked(kind: type[Model], where: str, values: Mapping[str, Any]) -> Model:
    """A model of these values; what does not do is a mistake that names it."""
    for key in values:
        if key not in kind.model_fields:
            raise unknown(where, f"setting of {where}", key, kind.model_fields)
    try:
        return kind(**values)
    except ValidationError as error:
        fault = error.errors()[0]
        message = fault["msg"].removeprefix("Value error, ")
        if not fault["loc"]:  # of several settings together
            raise Mistake(f"{where}: {message}") from None
        key = str(fault["loc"][0])
        value = text if len(text := str(values[key])) <= 60 else f"{text[:57]}..."
        raise Mistake(f"{where}: {key}={value} does not do: {message[0].lower()}{message[1:]}") from None


def explain(kind: type[AgentSettings]) -> str:
    """The settings of an agent for people: name, default, sentence."""
    rows = [(f"{name}={plain(item.default)}", item.description or "") for name, item in kind.model_fields.items()]
    wide = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name:{wide}}  {sentence}" for name, sentence in rows)


def plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
