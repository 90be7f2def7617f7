# Two commands for a fresh machine: `make demo` and `make test`. `make bench` measures.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q install --no-compile -c constraints.txt

.PHONY: demo test lint bench debian clean

demo: $(VENV)/.demo
	$(BIN)/polyglitch demo

test: debian $(VENV)/.dev lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) -e '.[demo]'
	touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) -e '.[dev]'
	touch $@ $(VENV)/.demo

# What the tests use from Debian: a second translator, also as a server, a browser and a database server. Elsewhere those
# tests say what they lack.
debian:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	! { command -v apertium && command -v apertium-apy && command -v chromium && ls /usr/lib/postgresql; } >/dev/null 2>&1; then \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
		apertium apertium-apy apertium-eng-spa apertium-eng-cat chromium fonts-noto-core postgresql wordnet-base >/dev/null; fi

clean:
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
