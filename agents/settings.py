"""What each agent can be told: one frozen dataclass per agent, a sentence per setting."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, get_type_hints

from base.mistake import Mistake, unknown

DEFAULT_AGENT = "ppo"


def setting(default: Any, sentence: str, **limits: float) -> Any:
    """A field of an agent's settings: its default, its help, and pydantic's limits (ge, gt, le, lt)."""
    return field(default=default, metadata={"help": sentence, "limits": limits})


def replaced(kind: type[AgentSettings], name: str, default: Any) -> Any:
    """A field that `kind` has, with another default."""
    metadata = next(item.metadata for item in fields(kind) if item.name == name)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class AgentSettings:
    """What every learner's settings begin with."""

    learner: ClassVar[str] = ""  # "module:class" of the learner: learner(settings, graph, seed)
    about: ClassVar[str] = ""

    steps: int = setting(2_000_000, "The budget: how many updates (moves of the learner) are made.", ge=1, le=10**13)
    evaluations: int = setting(
        100, "How many times in the run the whole policy is scored exactly, close together at first.", ge=1, le=10_000
    )
    until: Literal["end", "perfect"] = setting("end", "When to stop: at the end of the budget, or as soon as perfect.")


@dataclass(frozen=True)
class TabularSettings(AgentSettings):
    """What the learners that play games with a table of values share."""

    epsilon: float = setting(1.0, "The share of random moves at the first update.", ge=0, le=1)
    epsilon_end: float = setting(1.0, "The share of random moves at the last update; linear in between.", ge=0, le=1)
    step_size: float = setting(1.0, "How far a value moves towards its target at the first update.", gt=0, le=1)
    step_size_end: float = setting(1.0, "How far it moves at the last update; linear in between.", gt=0, le=1)
    discount: float = setting(0.99, "What a win is worth one ply earlier; below 1 the winner hurries.", gt=0, le=1)
    exploring_starts: bool = setting(False, "Whether games start at a random reachable position with a random move.")
    opponent: str = setting("self", "Who plays the other side: self, a player such as optimal, or a run.")
    max_plies: int = setting(
        100, "Where play may never end, a game is cut after so many moves of the learner.", ge=1, le=10**6
    )


@dataclass(frozen=True)
class QLearningSettings(TabularSettings):
    learner = "agents.tabular:QLearner"
    about = "Q-learning by self-play: a move is worth minus the best answer to it"


@dataclass(frozen=True)
class SarsaSettings(TabularSettings):
    learner = "agents.tabular:SarsaLearner"
    about = "SARSA by self-play: a move is worth minus the answer that was played"

    steps: int = replaced(TabularSettings, "steps", 4_000_000)
    epsilon: float = replaced(TabularSettings, "epsilon", 0.1)  # on-policy: it learns the value of what it plays
    epsilon_end: float = replaced(TabularSettings, "epsilon_end", 0.0)
    step_size: float = replaced(TabularSettings, "step_size", 0.1)
    step_size_end: float = replaced(TabularSettings, "step_size_end", 0.1)
    exploring_starts: bool = replaced(TabularSettings, "exploring_starts", True)


@dataclass(frozen=True)
class MonteCarloSettings(TabularSettings):
    learner = "agents.tabular:MonteCarloLearner"
    about = "every-visit Monte Carlo by self-play: a move is worth what came of its games"

    steps: int = replaced(TabularSettings, "steps", 4_000_000)
    epsilon: float = replaced(TabularSettings, "epsilon", 0.1)  # on-policy: it learns the value of what it plays
    epsilon_end: float = replaced(TabularSettings, "epsilon_end", 0.0)
    step_size: float = replaced(TabularSettings, "step_size", 0.1)
    step_size_end: float = replaced(TabularSettings, "step_size_end", 0.1)
    exploring_starts: bool = replaced(TabularSettings, "exploring_starts", True)


@dataclass(frozen=True)
class ValueIterationSettings(AgentSettings):
    learner = "agents.tabular:ValueIterationPlanner"
    about = "value iteration over the whole graph: planning, not learning; an update is one (state, action) pair"

    discount: float = setting(0.99, "What a win is worth one ply earlier; below 1 the winner hurries.", gt=0, le=1)


@dataclass(frozen=True)
class SweepBackSettings(AgentSettings):
    learner = "agents.sweep_back:SweepBackLearner"
    about = "tabular, near the limit: goes to the nearest move never tried, and sweeps what it saw backward"

    steps: int = replaced(AgentSettings, "steps", 20_000)
    evaluations: int = replaced(AgentSettings, "evaluations", 500)  # it is perfect soon: look closely
    discount: float = setting(0.99, "What a win is worth one ply earlier; below 1 the winner hurries.", gt=0, le=1)
    max_plies: int = setting(100, "Where play may never end, a game is cut after so many plies.", ge=1, le=10**6)


@dataclass(frozen=True)
class PPOSettings(AgentSettings):
    learner = "agents.ppo:PPOLearner"
    about = "PPO by self-play: sb3-contrib's MaskablePPO, one network for both seats"

    steps: int = replaced(AgentSettings, "steps", 1_500_000)
    games: int = setting(1024, "How many games are played side by side.", ge=1, le=10**6)
    plies: int = setting(16, "How many plies of each game make a rollout.", ge=1, le=10**6)
    batch: int = setting(4096, "How many plies make a minibatch.", ge=2, le=10**8)
    epochs: int = setting(4, "How many times a rollout is learned from.", ge=1, le=1000)
    learning_rate: float = setting(3e-3, "Adam's step at the beginning.", gt=0, le=1)
    learning_rate_end: float = setting(3e-4, "Adam's step at the end; linear in between.", gt=0, le=1)
    entropy: float = setting(0.3, "The weight of the entropy bonus at the beginning.", ge=0, le=100)
    entropy_end: float = setting(0.05, "The weight of the entropy bonus at the end; linear in between.", ge=0, le=100)
    gae_lambda: float = setting(0.8, "How far an advantage looks ahead: 0 one ply, 1 to the end.", ge=0, le=1)
    clip: float = setting(0.5, "How far a probability may move in one rollout, as a ratio.", gt=0, le=10)
    normalize: bool = setting(True, "Whether the advantages of each minibatch are scaled to a spread of 1.")
    width: int = setting(256, "Units in a hidden layer.", ge=1, le=10**5)
    layers: int = setting(1, "Hidden layers of the actor, and of the critic.", ge=0, le=20)
    observation: Literal["onehot", "binary", "digits", "scalar"] = setting(
        "onehot",
        "What the network sees of a position: its fields bit by bit, in binary, digit by digit, or as numbers.",
    )
    opponent: str = setting(
        "self", "Who plays the other side: self, pool (past selves and uniform), a player such as optimal, or a run."
    )
    pool: int = setting(10, "How many past selves a pool holds.", ge=1, le=1000)
    floor: float = setting(0.0, "The share of uniform play that is mixed into the policy while it trains.", ge=0, lt=1)
    start: Literal["random-openings", "opening", "anywhere"] = setting(
        "random-openings",
        "Where games start: at a position of a uniformly random game, at the opening, or at any reachable position.",
    )
    mask: bool = setting(
        True, "Whether training masks illegal moves; without, they forfeit. The judged policy is masked."
    )
    sign_flip: bool = setting(True, "Whether the return changes sign at every ply; without, both sides want the same.")
    max_plies: int = setting(100, "Where play may never end, a game is cut after so many plies.", ge=1, le=10**6)


AGENTS: Mapping[str, type[AgentSettings]] = {
    "ppo": PPOSettings,
    "q-learning": QLearningSettings,
    "sarsa": SarsaSettings,
    "monte-carlo": MonteCarloSettings,
    "value-iteration": ValueIterationSettings,
    "sweep-back": SweepBackSettings,
}


def make_options(agent: str, given: Mapping[str, Any]) -> AgentSettings:
    """The settings of an agent, checked by pydantic; values may be text, as they come from a command line."""
    check_names(agent, given, agent)
    kind = AGENTS[agent]
    hints = get_type_hints(kind)
    wanted = {item.name: (hints[item.name], item.metadata["limits"]) for item in fields(kind) if item.name in given}
    return kind(**checked(agent, wanted, given))


def explain(agent: str) -> str:
    """The settings of an agent for people: name, default, sentence."""
    rows = [(f"{item.name}={plain(item.default)}", item.metadata["help"]) for item in fields(AGENTS[agent])]
    wide = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name:{wide}}  {sentence}" for name, sentence in rows)


def check_names(agent: str, given: Mapping[str, Any], where: str) -> None:
    names = [item.name for item in fields(AGENTS[agent])]
    for key in given:
        if key not in names:
            raise unknown(where, f"setting of {agent}", key, names)


def checked(
    where: str, wanted: Mapping[str, tuple[Any, Mapping[str, Any]]], given: Mapping[str, Any]
) -> dict[str, Any]:
    from pydantic import ConfigDict, Field, ValidationError, create_model

    shape: dict[str, Any] = {key: (hint, Field(**limits)) for key, (hint, limits) in wanted.items()}
    model = create_model("Checked", __config__=ConfigDict(allow_inf_nan=False), **shape)
    values = {key: _whole(given[key]) if hint is int else given[key] for key, (hint, _) in wanted.items()}
    try:
        return dict(model(**values))
    except ValidationError as error:
        fault = error.errors()[0]
        key = str(fault["loc"][0])
        message = fault["msg"][0].lower() + fault["msg"][1:]
        raise Mistake(f"{where}: {key}={given[key]} does not do: {message}") from None


def _whole(value: Any) -> Any:
    """1e6 is as good a whole number as 1000000; True is none."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)?[eE]\+?\d{1,2}", value.strip()):
        number = float(value)
        return int(number) if number.is_integer() else value
    return value


def plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
