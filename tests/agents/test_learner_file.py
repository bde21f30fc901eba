"""Learners in anyone's file: what is read, what is refused, and what the checker finds."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from agents.check import check_learner
from agents.learner_file import LearnerFile, settings_in
from agents.settings import AGENTS, settings_of
from games import Mistake, compile_rulebook, make_rulebook, rulebook_names
from training import Run, resolve, train

GAME = rulebook_names()[0]
EXAMPLE = Path("examples/my_learner.py")
GRAPHS = [compile_rulebook(make_rulebook(name)) for name in rulebook_names()]
PLAIN = '''
from games import Policy
class Plain:
    """Plays the lowest move, whatever comes."""
    def __init__(self, settings, graph, seed):
        self.graph, self.made = graph, 0
    def advance(self, steps):
        self.made += steps
        return steps
    def policy(self):
        return Policy.greedy(self.graph, self.graph.legal)
'''
STATE = "    def state(self): return {'made': self.made}\n"
LISTS = "from agents.settings import AgentSettings\nclass S(AgentSettings):\n    sizes: list = []\n"
LEARNERS = [name for name, kind in AGENTS.items() if ".ppo:" not in kind.learner]


def written(folder: Path, text: str, name: str = "mine.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_the_example_becomes_perfect_and_passes_the_check(tmp_path: Path) -> None:
    check = check_learner(settings_of(str(EXAMPLE)), "example", GRAPHS)
    assert not check.faults
    run = Run(tmp_path / "run")
    training = train(resolve(env=GAME, agent=str(EXAMPLE), changes={"steps": "1e4", "step_size": "0.5"}), run)
    assert training.card.perfect
    assert training.card.agent == "my_learner"
    assert f'agent_sha256 = "{LearnerFile.read(str(EXAMPLE)).digest}"' in (run.path / "settings.toml").read_text()
    assert LearnerFile.read(str(EXAMPLE)).digest in (run.path / "provenance.json").read_text()
    assert len(EXAMPLE.read_text().splitlines()) <= 50


def test_the_settings_of_a_file_are_its_own_and_checked() -> None:
    settings = resolve(env=GAME, agent=str(EXAMPLE), changes={"step_size": "0.25"})
    assert settings.path("runs") == Path("runs") / GAME / "my_learner,step_size=0.25" / "seed-0"
    for changes, words in (({"step_sise": 1}, "did you mean step_size"), ({"step_size": 2}, "less than or equal to 1")):
        with pytest.raises(Mistake, match=words):
            resolve(env=GAME, agent=str(EXAMPLE), changes=changes)


def test_settings_travel_with_the_text_of_the_file_and_not_with_its_name(tmp_path: Path) -> None:
    path = written(tmp_path, PLAIN)
    settings = resolve(env=GAME, agent=path, changes={"steps": 5})
    content = pickle.dumps(settings)
    Path(path).write_text(PLAIN.replace("return steps", "return 0"))
    again = pickle.loads(content)
    assert again == settings
    assert train(again).card.steps == 5  # the new text would be refused


def test_a_run_of_another_version_of_the_file_is_not_resumed(tmp_path: Path) -> None:
    path, run = written(tmp_path, PLAIN), Run(tmp_path / "run")
    train(resolve(env=GAME, agent=path, changes={"steps": 5}), run)
    Path(path).write_text(PLAIN + "# changed\n")
    with pytest.raises(Mistake, match="agent_sha256"):
        train(resolve(env=GAME, agent=path, changes={"steps": 5}), run, resume=True)
    with pytest.raises(Mistake, match=r"another version of .*mine\.py"):
        resolve(config=run.path / "settings.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", "holds no learner"),
        (PLAIN + PLAIN.replace("Plain", "Other"), r"holds 2 learners \(Plain, Other\)"),
        ("def f(:", r"cannot be imported \(SyntaxError"),
        ("import sys\nsys.exit(3)", r"cannot be imported \(SystemExit, line 2: 3"),
        (PLAIN.replace("settings, graph, seed", "settings, graph"), r"Plain\(settings, graph, seed\) cannot be called"),
        (PLAIN.replace("advance(self, steps)", "advance(self)"), r"Plain\.advance\(steps\) cannot be called"),
        (PLAIN.replace("self.made = graph, 0", "self.made = graph, 1 / 0"), "could not be made .*line 6"),
        (PLAIN.replace("self.made += steps", "1 / 0"), r"advance failed \(ZeroDivisionError, line 8"),
        (PLAIN.replace("return steps", "return 0"), "advance returned 0"),
        (PLAIN.replace("return steps", "return 10**30"), "advance returned more than 9,007,199,254,740,992 steps"),
        (PLAIN.replace("self.made += steps", "raise GeneratorExit"), r"advance failed \(GeneratorExit, line 8"),
        (PLAIN.replace("self.made += steps", "self.advance(1)"), r"^\S+: advance failed \(RecursionError"),
        (PLAIN.replace("return steps", "return 'all'"), "advance returned str"),
        (PLAIN.replace("return steps", "pass"), "advance returned NoneType"),
        (PLAIN.replace("return Policy.greedy(self.graph, self.graph.legal)", "return {}"), "policy returned a dict"),
        (PLAIN.replace("Policy.greedy(self.graph, self.graph.legal)", "Policy(self.graph, 1.0 - self.graph.legal)"),
         "policy: .*illegal|policy: .*sum to 1"),
        (PLAIN + "    def state(self): return {'x': [{}]}\n    def restore(self, state): pass\n", "state returned 'x'"),
        (PLAIN + "    def artifacts(self): return {'../x': b''}, {}\n", "artifacts returned the file"),
        (PLAIN + "    def artifacts(self): return {'policy.npz': b''}, {}\n", "every run has already"),
        (PLAIN + "    def artifacts(self): return {}, {'x': float('nan')}\n", "a fact is a finite number"),
        (PLAIN + LISTS, "setting sizes"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_do_is_one_mistake_that_names_the_file(tmp_path: Path, text: str, words: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(Mistake, match=words) as mistake:
        train(resolve(env=rulebook_names()[-2], agent=path, changes={"steps": 5}), Run(tmp_path / "run"))
    assert "mine" in str(mistake.value)
    assert not (tmp_path / "run" / "scorecard.json").exists()


def test_a_file_named_as_an_agent_of_ours_or_as_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="an agent of ours has the name ppo"):
        resolve(env=GAME, agent=written(tmp_path, PLAIN, "ppo.py"))
    with pytest.raises(Mistake, match="no such file"):
        resolve(env=GAME, agent=str(tmp_path / "nowhere.py"))


def test_what_goes_wrong_late_leaves_the_curve_until_then(tmp_path: Path) -> None:
    late = PLAIN.replace("self.made += steps", "self.made += steps\n        assert self.made < 2000, 'too far'")
    settings = resolve(env=GAME, agent=written(tmp_path, late), changes={"steps": 4000, "evaluations": 20})
    with pytest.raises(Mistake, match=r"advance failed \(AssertionError, line 9: too far\)"):
        train(settings, Run(tmp_path / "run"))
    rows = (tmp_path / "run" / "curve.csv").read_text().splitlines()
    assert 1500 < int(rows[-1].split(",")[0]) < 2000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PLAIN.replace("self.made += steps", "import random; random.random()"), "global random state of random"),
        (PLAIN.replace("self.made += steps", "import numpy; numpy.random.rand()"), "global random state of numpy"),
        (PLAIN.replace("self.graph.legal)", "__import__('numpy').random.default_rng().random(self.graph.legal.shape))"),
         "different policies"),
        (PLAIN + "    def state(self): return {'made': 0}\n    def restore(self, state): self.made = -1\n", ""),
        (PLAIN + "    def state(self): return {'made': self.made}\n    def restore(self, state): pass\n",
         "does not restore all"),
        (PLAIN.replace("graph, 0", "graph, __import__('numpy').zeros(1)")
         + STATE + "    def restore(self, state): self.made[:] = state['made']\n",
         "gives views"),
        (PLAIN + "    def state(self): return {'made': [0] * self.made}\n    def restore(self, state): pass\n",
         "a checkpoint is read by the names and shapes of a new one"),
        (PLAIN.replace("return steps", "return 0"), "advance returned 0|returned 0"),
        (PLAIN.replace("self.graph, self.made = graph, 0", "self.made, self.graph = 0, OTHER")
         + "from games import compile_rulebook, make_rulebook\n"
         + "OTHER = compile_rulebook(make_rulebook('fifty-wins', target=7))\n",
         "policy\\(\\) is for another game, fifty-wins .*7"),
    ],
)  # fmt: skip
def test_the_checker_finds_what_breaks_the_contract(tmp_path: Path, text: str, words: str) -> None:
    check = check_learner(settings_of(written(tmp_path, text)), "mine.py", GRAPHS[:1])
    assert bool(check.faults) == bool(words)
    if words:
        assert any(re.search(words, fault) for fault in check.faults), check


def test_the_checker_says_what_it_could_not_check(tmp_path: Path) -> None:
    check = check_learner(settings_of(written(tmp_path, PLAIN)), "mine.py", GRAPHS)
    assert not check.faults
    assert "not checked: state and restore" in str(check)


@pytest.mark.parametrize("agent", LEARNERS)
def test_our_own_tabular_agents_pass_the_check(agent: str) -> None:
    check = check_learner(settings_of(agent), agent, GRAPHS)
    assert not check.faults, check


def test_one_text_is_loaded_once(tmp_path: Path) -> None:
    path = written(tmp_path, PLAIN)
    assert settings_in(LearnerFile.read(path)) is settings_in(LearnerFile.read(path))
