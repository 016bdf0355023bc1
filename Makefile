# make run: the product with a day's play in it.   make test: everything that is checked.
# Both work from a clean clone, as root or not, without any service on the machine.

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Room for two: half of the cores would leave the other idle while PostgreSQL works.
TEST_PROCESSES ?= 2

.PHONY: run test lint stress venv dev format clean

run: venv
	@$(BIN)/python -m casino.runtime.run

test: dev lint
	$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports pyproject.toml

# Long repetitions: races, kill -9, property tests with many more examples. All of it takes over an hour;
# a piece: make stress ONLY="worker and ruling-after-lines"
stress: dev
	$(BIN)/python -m pytest -m stress -n $(TEST_PROCESSES) --dist load --durations=10 $(if $(ONLY),-k "$(ONLY)")

format: dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

venv:
	@PYTHON="$(PYTHON)" ./scripts/venv $(VENV) requirements.txt

dev:
	@PYTHON="$(PYTHON)" ./scripts/venv $(VENV) requirements-dev.txt

# The data stay: they lie in .local, or under root in /var/lib/bluecard.
clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
