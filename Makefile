# Two commands for a fresh machine: `make demo` and `make test`. `make bench` measures.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q install --no-compile
# First every file by its hash, then what is left: this package, and torch, whose file differs by machine.
BY_HASH := $(PIP) --require-hashes --no-deps -r

.PHONY: demo test lint bench debian pins clean

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

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt requirements/demo.txt
	$(BY_HASH) requirements/demo.txt
	$(PIP) -c constraints.txt -e '.[demo]'
	touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml constraints.txt requirements/dev.txt
	$(BY_HASH) requirements/dev.txt
	$(PIP) -c constraints.txt -e '.[dev]'
	touch $@ $(VENV)/.demo

# What the tests use from Debian: a second translator, also as a server, a browser and a database server. Elsewhere those
# tests say what they lack.
debian:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	! { command -v apertium && command -v apertium-apy && command -v chromium && ls /usr/lib/postgresql /usr/share/apertium/modes/es-pt.mode; } >/dev/null 2>&1; then \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
		apertium apertium-apy apertium-eng-spa apertium-eng-cat apertium-es-pt chromium fonts-noto-core postgresql wordnet-base >/dev/null; fi

# After a change of constraints.txt: the hashes of what it pins. Needs uv, and an index with torch's build for processors:
# with the other one its CUDA packages come along.
pins:
	for extra in demo dev; do uv pip compile -q pyproject.toml --extra $$extra -c constraints.txt --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --no-emit-package torch --no-emit-package pip -o requirements/$$extra.txt; done

clean:
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
