# Everything happens in .venv; Python 3.11 or newer is all that has to be there before.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo screenshots install test check slow integrations floor newest licences docs record results ladders clean

demo: install
	$(BIN)/python -m games check
	$(BIN)/python -m solver --env number-flip
	$(BIN)/python train.py --env number-flip --agent q-learning --overwrite
	$(BIN)/python train.py --env number-flip --overwrite
	$(BIN)/python evaluate.py runs/number-flip/ppo/seed-0 runs/number-flip/q-learning/seed-0

screenshots: demo .venv/installed-test # the pictures of the report, and the film of a terminal, in docs/
	$(BIN)/python -m docs.make.terminal
	$(BIN)/python -m docs.make.screenshots runs/number-flip/ppo/seed-0 runs/number-flip/q-learning/seed-0

install: .venv/installed

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable .
	$(BIN)/python -m solver --env number-flip > /dev/null # warms numba's cache
	touch $@

.venv/installed-test: .venv/installed
	$(BIN)/pip install --quiet --editable ".[test]"
	touch $@

test: check
	$(BIN)/python -m pytest -n 2

slow: .venv/installed-test
	$(BIN)/python -m pytest -n 2 -m slow

floor: # games and solver on the oldest versions that pyproject.toml admits, torch apart
	$(PYTHON) -m venv .floor
	$(PYTHON) tests/oldest.py | xargs .floor/bin/pip install --quiet
	.floor/bin/python -m pytest -n 2 -p no:cacheprovider tests/base tests/games tests/solver

newest: # everything on the newest versions that can be installed
	$(PYTHON) -m venv .newest
	.newest/bin/pip install --quiet --upgrade --upgrade-strategy eager --editable ".[test]"
	.newest/bin/python -m pytest -n 2

licences: .venv/installed # of all that an installation brings
	$(BIN)/python -m docs.make.licences

ADAPTERS := inspect_ai lm_eval reasoning_gym verifiers

integrations: # each adapter as its page installs it, in an environment of its own, with the real library
	for name in $(ADAPTERS); do \
		$(PYTHON) -m venv .venv-integrations/$$name && \
		.venv-integrations/$$name/bin/pip install --quiet . ./integrations/$$name pytest && \
		.venv-integrations/$$name/bin/python -m pytest tests/integrations/test_$$name.py || exit; \
	done

check: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/installed-test # every generated page, made again
	$(BIN)/python -m docs.make.audit > docs/measured/audit.md
	$(BIN)/python -m docs.make.players > docs/measured/players.md
	$(BIN)/python -m docs.make.exam_players > docs/measured/exam_players.md
	$(BIN)/python -m docs.make.importing > docs/measured/benchmarks_importing.md # from those of benchmarks/importing.py
	$(BIN)/python -m docs.make.rewards > docs/measured/benchmarks_rewards.md # from the numbers of benchmarks/rewards.py
	$(BIN)/python -m docs.make.benchmarks # the other pages of benchmarks, from what these stored
	$(BIN)/python -m docs.make.scale > docs/measured/scale.md
	$(BIN)/python -m docs.make.results # from the stored tables; `make results` measures anew
	$(BIN)/python -m docs.make.ladders # from the stored entries; `make ladders` runs them anew
	$(BIN)/python -m docs.make.front_page

record: .venv/installed-test # every game, PPO, 59 seeds; started again, it goes on where it stopped
	$(BIN)/python sweep.py configs/sweeps/record.toml
	$(BIN)/python -m docs.make.results sweeps/record
	$(BIN)/python -m docs.make.front_page

RESULTS := record ablation scaling views tabular scaling_tabular learners search

results: .venv/installed-test # every sweep of docs/measured/results.md, then the page and its figures
	for name in $(RESULTS); do $(BIN)/python sweep.py configs/sweeps/$$name.toml || exit; done
	$(BIN)/python -m docs.make.results $(RESULTS:%=sweeps/%)
	$(BIN)/python -m docs.make.front_page

ladders: .venv/installed-test # our entries to every ladder, then docs/ladders.md; started again, it goes on
	$(BIN)/python -m docs.make.ladders --climb

clean:
	rm -rf .venv .floor .newest build *.egg-info .mypy_cache .ruff_cache .pytest_cache
