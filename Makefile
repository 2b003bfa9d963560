# Velox: the commands. Each works on a fresh checkout with nothing but Python 3.11–3.13 and make.
PYTHON ?= $(shell for p in python3.12 python3.13 python3.11 python3; do \
	$$p -c 'import sys; raise SystemExit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
INSTALLED_PACKAGING := $(VENV)/.installed-packaging
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: run test lint format bench app test-app frozen test-frozen clean
run: $(INSTALLED)
	@packaging/linux_libraries.sh
	@$(BIN)/python -m velox_core.models.starter || true  # the window offers it again
	@$(BIN)/velox

test: lint
	@packaging/linux_libraries.sh
	@$(BIN)/python -m velox_core.models.starter
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n 2 --dist loadgroup -m "not packaging and not alone"
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -m "alone and not packaging"

lint: $(INSTALLED_DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --cache-dir .cache/import-linter

format: $(INSTALLED_DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(INSTALLED_DEV)
	@$(PIP) --constraint constraints.txt --editable '.[bench]'
	@$(BIN)/python -m velox_core.models.starter
	$(BIN)/python -m velox_core.bench all

app: $(INSTALLED)
	@packaging/linux_libraries.sh packaging
	@variables=$$($(BIN)/python packaging/freezable_python.py) && $(MAKE) --no-print-directory frozen $$variables

test-app: $(INSTALLED)
	@packaging/linux_libraries.sh packaging
	@variables=$$($(BIN)/python packaging/freezable_python.py) && $(MAKE) --no-print-directory test-frozen $$variables

# These two with VENV set to an environment whose Python can be frozen.
frozen: $(INSTALLED_PACKAGING)
	$(BIN)/python packaging/build_app.py

test-frozen: frozen $(INSTALLED_DEV)
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -m packaging

$(VENV)/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "Velox needs Python 3.11, 3.12 or 3.13; install one and run make again."; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(VENV)/pyvenv.cfg pyproject.toml constraints.txt
	$(PIP) --constraint constraints.txt --editable .
	@touch $@

$(INSTALLED_DEV): $(INSTALLED)
	$(PIP) --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(INSTALLED_PACKAGING): $(INSTALLED)
	$(PIP) --constraint constraints.txt --editable '.[packaging]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .cache
