# ragauge: every command that must always hold. `make demo` and `make test` are all that a newcomer needs.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
SECONDS ?= 0
PORT   ?= 8321
JOBS   ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test check bench chaos preview dashboards lock clean

help:  ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# One stamp per lock file: installing again only when it has changed.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v[:2] else f"ragauge needs Python 3.11 or newer, and {sys.executable} is {v[0]}.{v[1]}: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-%: requirements/%.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/$*.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: | $(VENV)/bin/python  ## the main job on the embedded store: a real retriever, a real drop, its alarm (SECONDS=150, PORT=8321)
	@test -e $(VENV)/.installed-dev || $(MAKE) --no-print-directory $(VENV)/.installed-demo
	@$(BIN)/ragauge demo --seconds $(SECONDS) --port $(PORT)

test: $(VENV)/.installed-dev  ## install what tests need, and pass them all
	sh tests/system-packages
	$(MAKE) --no-print-directory check
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q
	$(BIN)/python -m pytest -q --doctest-modules sdk/ragauge service/ragauge_service -p no:randomly

check: $(VENV)/.installed-dev  ## lint, types, imports, docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/docs

dashboards: $(VENV)/.installed-dev  ## generate the dashboards' JSON from grafana/src
	$(BIN)/python -m grafana.src

bench: $(VENV)/.installed-dev  ## time it beside its peers, and print ratios
	$(BIN)/python benchmarks/run.py

chaos: $(VENV)/.installed-dev  ## the long proofs: crashes, partitions, full memory, fuzz, soak
	sh tests/system-packages
	$(BIN)/python tests/chaos/run.py
	$(BIN)/python tests/chaos/entries.py 1000000
	RAGAUGE_HTTP_EXAMPLES=900 $(BIN)/python -m pytest -q -s -p no:randomly --timeout 7200 tests/api/test_schema.py

preview: $(VENV)/.installed-dev  ## draw the dashboards with Grafana's own panels from live data
	sh tests/system-packages
	$(BIN)/python preview/run.py

lock:  ## compile the lock files again (needs uv)
	sh requirements/lock.sh

clean:  ## remove what these commands made
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis build dist
