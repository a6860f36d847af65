# Two commands do everything on a machine with Python 3.11+, pip and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Byte code is kept, whatever the environment says: without it every program that a test starts compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup attack demo first-result test suite slow-checks check style types layers docs explore matrix guarantee protection refusals crash gap coverage mutants price totals partitions measures maskers scale bench clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt oracles.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r oracles.txt
	$(BIN)/python -m compileall -q constraint_sdc
	touch $@

demo: setup
	$(BIN)/constraint-sdc demo --directory build/demo

# From a CSV file and ten rules in plain text to a masked CSV file, its certificate and a page, by one command.
FIRST := build/examples/first-result
first-result: setup
	$(BIN)/python examples/first-result/generate.py $(FIRST)
	start=$$(date +%s%N); $(BIN)/constraint-sdc mask $(FIRST)/firms.csv --rules examples/first-result/rules.txt \
	  --recipe examples/first-result/recipe.yml -o $(FIRST)/masked.csv --report $(FIRST)/page.html --overwrite \
	  && echo "seconds      $$(( ($$(date +%s%N) - start) / 10000000 ))" | sed 's/\(..\)$$/.\1/'

# Each keeps one core busy and none needs another: two at a time.
check: setup
	$(MAKE) --no-print-directory --jobs=2 types docs layers style

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports

# The documentation site in build/docs. Warnings are errors: with --quiet mkdocs would not count them.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# What takes seconds comes first. Types and documentation keep one core busy for a part of the time: the tests run beside them.
test: style layers
	$(MAKE) --no-print-directory --jobs=2 suite slow-checks

# A process that has run out of tests takes some from another; each starts with neighbours, which share what they need.
suite: setup
	$(BIN)/python -m pytest -n auto --dist worksteal -q

# Silent unless they fail, because the tests print at the same time.
slow-checks: setup
	mkdir -p build
	$(MAKE) --no-print-directory types docs > build/slow-checks.log 2>&1 || { cat build/slow-checks.log; exit 1; }

# New random cases for every property test; what it finds becomes a case of its own.
explore: setup
	HYPOTHESIS_PROFILE=explore $(BIN)/python -m pytest -n auto --dist worksteal -q

# What every recorded run publishes, answers and reports, compared with the record (tests/matrix/README.md).
matrix: setup
	$(BIN)/python -m tests.matrix compare --all

# Random rules, business and household surveys, masked, and judged by Saxon on the written bytes: 2,000 cases, and 100 by every masker.
guarantee: setup
	$(BIN)/python benchmarks/guarantee.py
	$(BIN)/python benchmarks/guarantee.py --masker each --generator random --cases 100 --first-seed 300

# Random files and promises about people, masked, and recounted on the written bytes by code of its own: 1,000 cases.
protection: setup
	$(BIN)/python benchmarks/protection.py

# Files with few large firms: how many are refused, and whether every way out that a refusal offers works.
refusals: setup
	$(BIN)/python benchmarks/refusals.py
	$(BIN)/python benchmarks/refusals.py --guarantee --cases 150

# 1,000 runs of `mask`, killed at random moments: what the next command finds.
crash: setup
	$(BIN)/python benchmarks/crash.py

# Files that two parsers could read differently: cells and verdicts of both engines compared, 5,100 files.
gap: setup
	$(BIN)/python benchmarks/parser_gap.py

# Hostile inputs of every class through the command line: attempts and what they achieved, which must be nothing.
attack: setup
	$(BIN)/python benchmarks/attack.py

# Which lines the tests execute, room by room: the whole suite, once, slower than `make test`.
coverage: setup
	$(BIN)/python -m tests.mutants lines
	$(BIN)/python -m tests.mutants coverage

# 20 random faults of every room, planted one at a time: how many the tests notice. Takes more than half an hour.
mutants: setup
	test -e build/mutants/lines-1/seconds.json || $(BIN)/python -m tests.mutants lines
	$(BIN)/python -m tests.mutants run

# What the rules cost in information, beside plain MDAV.
price: setup
	$(BIN)/python benchmarks/masking_price.py

# What totals cost and risk, masked together with their parts or computed; with a CSV: benchmarks/totals.py FILE.csv
totals: setup
	$(BIN)/python benchmarks/totals.py

# How good and how fast the partitions are, up to a million records; loss on a file: benchmarks/partition.py FILE.csv
partitions: setup
	$(BIN)/python benchmarks/partition.py

# How fast linkage, attacks and sweeps are, each beside a baseline of the same run.
measures: setup
	$(BIN)/python benchmarks/linkage.py
	$(BIN)/python benchmarks/attacks.py
	$(BIN)/python benchmarks/sweep.py

# What every masker loses and risks on the same data; rewrites docs/maskers/comparison.md.
maskers: setup
	$(BIN)/python benchmarks/compare_maskers.py --docs

# Time and memory from 3,000 to a million records, beside iterparse, by stage; on a Dask cluster of this machine too.
scale: setup
	$(BIN)/python benchmarks/scale.py --dask

bench: setup
	$(BIN)/python benchmarks/check_speed.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .import_linter_cache .hypothesis
