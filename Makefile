# make play   set up everything and play
# make test   set up everything and run every test
# make test-gpu  the tests that need a GPU; skipped, with a word, where there is none
# make test-adapters   the adapters against OpenSpiel, TorchRL, RLlib and Tianshou, each in an environment of its own
# make test-lowest     everything with the lowest versions that are allowed
# make lint   formatters, linters and type checks
# make test-cluster  the tests on a real Ray of several nodes, on this machine
# make bench  the speed table, ours beside the peers
# make fuzz   hostile inputs for several minutes; FUZZ=20 for ten times as many
# make page   build the web page
# make wasm   build the core for browsers (needs Emscripten), then the page with it; everything works without, too
# make docs   build the site of the docs, in build/site

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
CORE_FLAGS := --no-build-isolation -C cmake.define.SPIELWERK_STRICT=ON
# A new package must be made known to the editable installation, as much as a changed core.
CORE_SOURCES := CMakeLists.txt $(shell find cpp -type f) $(shell find src -name __init__.py)
PAGE := src/spielwerk/server/page/index.html
# With the core for browsers the page has the Python that draws positions, too.
DRAWING := $(if $(wildcard web/src/engine/spielwerk.wasm),$(wildcard src/spielwerk/*.py) $(shell find src/spielwerk/render -name '*.py'))
PAGE_SOURCES := scripts/build_page.py $(DRAWING) \
	$(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/tests/*')
CPP_FILES := $(shell find cpp tests/cpp -name '*.hpp' -o -name '*.cpp' -o -name '*.c')

.PHONY: play test test-gpu test-cluster test-adapters test-lowest lint format bench fuzz page wasm docs generated clean
.DEFAULT_GOAL := play

play: $(VENV)/built $(PAGE)
	@$(BIN)/spielwerk play

test: $(VENV)/built $(PAGE)
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-gpu: $(VENV)/built
	$(BIN)/python -m pytest tests/gpu

test-cluster: $(VENV)/built
	SPIELWERK_TEST_CLUSTER=1 timeout 900 $(BIN)/python -m pytest -q -rs tests/cluster

# Other libraries get environments of their own: some ask for other versions of what we use.
ADAPTERS := openspiel:open_spiel torchrl:torchrl rllib:ray[rllib] "tianshou:tianshou>=1"
test-adapters: $(VENV)/built
	@for pair in $(ADAPTERS); do $(BIN)/python scripts/try_adapter.py "$${pair%%:*}" "$${pair#*:}" || exit 1; done

# The lowest versions that pyproject.toml allows.
test-lowest: $(VENV)/built $(PAGE)
	$(BIN)/python scripts/try_lowest_versions.py

lint: $(VENV)/built $(PAGE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PATH="$$PATH:$(CURDIR)/$(BIN)" npm --prefix web run --silent check
	$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)

format: $(VENV)/built
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_FILES)

FUZZ ?= 2
fuzz: $(VENV)/built
	SPIELWERK_FUZZ_EXAMPLES=$(FUZZ)000 SPIELWERK_FUZZ_TEXTS=$(FUZZ)000000 \
		$(BIN)/python -m pytest -n 2 --dist worksteal tests/fuzz tests/cpp

bench: $(VENV)/built
	$(BIN)/python benchmarks/speed.py --peers

# Generated files that are kept in the repository; tests tell when they are out of date.
generated: $(VENV)/built $(PAGE)
	$(BIN)/python scripts/write_stubs.py
	$(BIN)/python scripts/write_pictures.py
	$(BIN)/python scripts/write_observations.py
	$(BIN)/python scripts/write_protocol_schema.py
	PATH="$$PATH:$(CURDIR)/$(BIN)" npm --prefix web run --silent types
	$(BIN)/python scripts/write_theme.py
	$(BIN)/python scripts/write_icons.py
	$(BIN)/python scripts/write_web_fixtures.py
	$(BIN)/python scripts/write_conformance.py
	$(BIN)/python scripts/write_signature.py

# The set-up has two steps: what comes from outside, once per change of the pins, then our own core.
$(VENV)/installed: constraints.txt pyproject.toml
	@echo "Setting up $(VENV) (once; a few minutes)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt scikit-build-core nanobind cmake ninja
	$(PIP) install -c constraints.txt $(CORE_FLAGS) -e ".[dev]"
	@touch $@

$(VENV)/built: $(VENV)/installed $(CORE_SOURCES)
	@echo "Building the core"
	$(PIP) install --no-deps $(CORE_FLAGS) -e .
	@touch $@

page: $(PAGE)

# A target of its own, asked for by name: a clone without Emscripten builds and tests everything else.
wasm: $(VENV)/installed
	@$(BIN)/python -m scripts.build_wasm
	@$(MAKE) --no-print-directory page

docs: $(VENV)/built
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "$(BIN)/python -m http.server --directory build/site shows it"

$(PAGE): $(VENV)/installed $(PAGE_SOURCES)
	@$(BIN)/python scripts/build_page.py

clean:
	rm -rf build dist web/node_modules src/spielwerk/server/page .mypy_cache .pytest_cache .ruff_cache
