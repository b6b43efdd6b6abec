# make report: set up and build the sample reports.   make test: set up and pass the tests.
# make lab: the notebooks.   make bench, make faults: the long figures.   make lock: renew requirements.lock.
# make docs: renew the sample pages and their pictures in docs/sample.   make site: the docs, in build/site.
# make golden: renew the pinned numbers in tests/golden and print each row that moved.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := uv==0.13.8
READY := $(VENV)/.ready
SAMPLES := data/samples/workspace
LOCK_EXTRAS := all

# Nothing is written outside this folder but caches.
export JUPYTER_CONFIG_DIR := $(CURDIR)/.jupyter/config
export JUPYTER_DATA_DIR := $(CURDIR)/.jupyter/data
export JUPYTER_RUNTIME_DIR := $(CURDIR)/.jupyter/runtime
export JUPYTERLAB_SETTINGS_DIR := $(CURDIR)/.jupyter/settings
export JUPYTERLAB_WORKSPACES_DIR := $(CURDIR)/.jupyter/workspaces
export IPYTHONDIR := $(CURDIR)/.jupyter/ipython
export MPLCONFIGDIR := $(CURDIR)/.jupyter/matplotlib
# pip asks rustc, where there is one, for its version; rustup then writes its settings.
export RUSTUP_HOME := $(CURDIR)/$(VENV)/rustup

.PHONY: report compiled test lab bench faults lock samples docs site golden
.DEFAULT_GOAL := report

$(READY): requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV) from requirements.lock …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "$(UV)"
	@$(BIN)/uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements.lock \
	  || $(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e . \
	  || $(BIN)/python -m pip install --quiet --no-deps -e .
	@touch $@

# Where Python may not write bytecode as it runs, each of many starts would compile the package anew.
compiled: $(READY)
	@$(BIN)/python -m compileall -q analysis raterbook

samples: compiled
	@$(BIN)/python -m raterbook.samples $(SAMPLES)

report: samples
	@$(BIN)/raterbook --workspace $(SAMPLES) --reports reports report --all --jobs 2

docs: samples
	@$(BIN)/python docs/sample/refresh.py $(SAMPLES)

site: $(READY)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "Open build/site/index.html"

golden: $(READY)
	@$(BIN)/python -m tests.golden.renew

# Chromium and npm keep their settings and logs in HOME unless told otherwise.
ELSEWHERE := XDG_CONFIG_HOME=$(CURDIR)/.jupyter/xdg npm_config_cache=$(CURDIR)/.jupyter/npm

test: compiled
	$(ELSEWHERE) $(BIN)/python -m tests.gate "not browser and not long"
	$(ELSEWHERE) $(BIN)/python -m tests.gate "browser and not long"

faults: compiled
	$(BIN)/python -m pytest -m "long" tests

bench: compiled
	$(BIN)/python -m tests.benchmarks

lab: samples
	RATERBOOK_WORKSPACE=$${RATERBOOK_WORKSPACE:-$(CURDIR)/$(SAMPLES)} $(BIN)/jupyter lab --notebook-dir=. notebooks/rate.ipynb

lock: $(READY)
	$(BIN)/uv pip compile pyproject.toml $(LOCK_EXTRAS:%=--extra %) --group dev \
	  --python-version 3.11 --generate-hashes --universal --upgrade --quiet \
	  --no-emit-index-url --no-emit-find-links --no-annotate --no-header -o requirements.lock
