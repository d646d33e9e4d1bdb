# Every target does the set-up it needs; a second run sets nothing up again.
#
#   make verify ARGS="--budget 60s"         options for `isodelta verify`
#   make test PYTEST_ARGS="-k lost_update"  options for pytest
#   make setup PYTHON=python3.12            which Python makes the virtual environment

SHELL := /bin/sh
.DEFAULT_GOAL := help

ARGS ?=
PYTEST_ARGS ?=
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: help verify test quick lint format nightly mutants bench notebooks wheel certificates releases docs setup packages browser clean

help: ## Show this table
	@awk 'BEGIN { FS = ":.*## " } /^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

# Findings are what the main job looks for, so its exit code 1 (something was found) is no failure
# of make's. Call `isodelta verify` itself where the difference matters.
verify: setup ## The main job: model and real engine, into report/index.html (ARGS="--budget 60s")
	@$(BIN)/isodelta verify --report report/ $(ARGS) || { code=$$?; [ $$code -eq 1 ] || exit $$code; }

# One process has the engine and all tests that take it; the others run the rest meanwhile
# (tests/conftest.py).
test: setup browser ## All tests, real Spark among them (PYTEST_ARGS="-k name")
	@$(PYTEST) $(PYTEST_ARGS)

quick: packages ## The tests without engine and browser, and without the slow ones
	@$(PYTEST) -m "not spark and not browser and not slow" $(PYTEST_ARGS)

lint: packages ## ruff and mypy, changing nothing
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: packages ## Put the code into ruff's form
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

nightly: setup browser ## The tests in their long form: 100,000 random histories
	@ISODELTA_NIGHTLY=1 $(BIN)/python -m pytest $(PYTEST_ARGS)

mutants: packages ## Every mutant of the rules, levels, deciders and so on, into docs/mutants.md
	@$(BIN)/python -m tests.mutation $(ARGS)

certificates: setup ## Every lemma as SMT-LIB into certificates/, each confirmed by cvc5 as well
	@$(BIN)/isodelta prove --export certificates/ --confirm $(ARGS)

releases: setup ## The collection on every release of each engine, into releases/ (fetches them once)
	@for engine in delta-rs delta-spark; do \
		$(BIN)/isodelta releases --engine $$engine --store releases/ $(ARGS) || \
			{ code=$$?; [ $$code -eq 1 ] || exit $$code; }; \
	done

docs: packages ## The documentation site, links checked, into .isodelta/site/index.html
	@$(BIN)/python setup/doc_pictures.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: setup ## The benchmarks
	@for each in benchmarks/[a-z]*.py; do $(BIN)/python "$$each" $(ARGS) || exit 1; done

notebooks: setup ## Run the notebooks of docs/notebooks/, and keep what they show
	@$(BIN)/python setup/notebooks.py $(ARGS)

wheel: packages ## Wheel and sdist, into dist/
	@rm -rf dist
	@$(BIN)/python -m hatchling build -d dist

setup: packages ## Only the set-up: virtual environment, packages, Java, Delta JARs
	@$(BIN)/python setup/engine_parts.py
	@$(BIN)/python setup/class_archive.py

packages:
	@sh setup/packages.sh "$(PYTHON)"

browser: packages
	@sh setup/browser.sh

clean: ## Remove what was built here (fetched JARs stay in the user's cache)
	rm -rf .venv .isodelta report certificates releases build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf spark-warehouse metastore_db derby.log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
