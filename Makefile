# `make` alone lists the targets.
# Set-up happens by itself and only when something it depends on has changed: pins, pyproject, C++.

SHELL  := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SILENT:

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/.stamps
JOBS   ?= 2

PIP    := $(BIN)/python -m pip --disable-pip-version-check -qq
CMAKE  := $(BIN)/cmake -Wno-unused-cli -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
          -DPython_EXECUTABLE=$(abspath $(BIN))/python -DPENJING_STRICT=ON
CPP    := CMakeLists.txt $(shell find cpp -name '*.?pp')
SANITIZE := address,undefined
OLDEST   := scikit-learn==1.6.0 numpy==2.0.2 scipy==1.14.1 pandas==2.2.3
JUPYTER  := jupyterlab==4.6.6 ipykernel==7.4.0

.PHONY: help setup demo test test-coverage test-all test-cpp test-sanitized test-threads test-sklearn test-jupyter page check format \
        bench bench-spark docs docs-output fidelity rpart-live golden wheel clean

help: ## print this list
	echo "penjing: make <target>"
	awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# ------------------------------------------------------------------ set-up, by stamps

$(STAMPS)/venv:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "penjing needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
		     "Name another: make PYTHON=python3.12"; exit 1; }
	[ -x $(BIN)/python ] || { echo "· a fresh environment in $(VENV)"; $(PYTHON) -m venv $(VENV); }
	mkdir -p $(STAMPS) && touch $@

# What `make demo` needs: the build tools and penjing itself. The pins serve as constraints.
$(STAMPS)/package: pyproject.toml requirements-dev.txt $(STAMPS)/venv
	echo "· penjing, its dependencies and the build tools"
	$(PIP) install -c requirements-dev.txt scikit-build-core nanobind cmake ninja hatch-fancy-pypi-readme
	# Python sources are used where they are (a plain path file); C++ is built below, on its own.
	$(PIP) install -c requirements-dev.txt --no-build-isolation \
		-C editable.mode=inplace -C wheel.cmake=false -C wheel.py-api=py3 -e .
	# … truly plain: the import hook it starts would win over PYTHONPATH (sanitizers, other checkouts)
	$(BIN)/python -c "import pathlib, site; [p.write_text('$(CURDIR)/src\n') \
		for s in site.getsitepackages() for p in pathlib.Path(s).glob('_editable_skbc_penjing.pth')]"
	touch $@

$(STAMPS)/dev: requirements-dev.txt $(STAMPS)/package
	echo "· test and check tools"
	$(PIP) install -r requirements-dev.txt
	touch $@

# The extension goes to src/penjing/ and is replaced in one step: safe while others use it.
$(STAMPS)/core: $(CPP) $(STAMPS)/package
	echo "· penjing._core (C++): the first build takes a few minutes"
	$(CMAKE) -B build/dev -DPENJING_INPLACE=ON > build.log 2>&1 \
		&& $(BIN)/cmake --build build/dev >> build.log 2>&1 || { cat build.log; rm build.log; exit 1; }
	rm build.log
	touch $@

# The page is tested in Debian's Chromium. Where it cannot be installed, its tests are skipped and counted.
$(STAMPS)/system: $(STAMPS)/venv
	if ! command -v chromium > /dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "· Chromium and fonts, from Debian"; \
		apt-get update -qq > /dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq chromium fonts-dejavu-core fonts-noto-cjk > /dev/null 2>&1 \
			|| echo "· Chromium cannot be installed: the tests of the page will be skipped"; fi
	# Exports are run by what they were made for: a compiler, node, Java, PostgreSQL, a spreadsheet;
	# trees of rpart are compared with R's; LaTeX is compiled by XeLaTeX.
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		wanted=""; for pair in gcc:gcc node:nodejs javac:default-jdk-headless psql:postgresql \
			soffice:libreoffice-calc-nogui xelatex:texlive-xetex; do \
			command -v $${pair%%:*} > /dev/null || wanted="$$wanted $${pair##*:}"; done; \
		Rscript -e 'library(rpart)' > /dev/null 2>&1 || wanted="$$wanted r-base-core r-cran-rpart"; \
		kpsewhich fontspec.sty > /dev/null 2>&1 || wanted="$$wanted texlive-latex-recommended"; \
		[ -z "$$wanted" ] || { echo "· from Debian:$$wanted"; \
			apt-get update -qq > /dev/null 2>&1; for package in $$wanted; do \
			DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$package \
				> /dev/null 2>&1 || echo "· $$package cannot be installed: its tests will be skipped"; done; }; fi
	touch $@

setup: $(STAMPS)/dev $(STAMPS)/core ## make .venv with everything in it (the others do it by themselves)

# ------------------------------------------------------------------ demo, tests, checks, documentation

demo: $(STAMPS)/core ## grow the watermelon tree, print it, save it with its pictures in demo/
	mkdir -p demo
	$(BIN)/python examples/demo.py demo

# Each process has neighbouring tests, so that what they share is set up once; an idle one takes over from the other.
# Coverage is measured by test-coverage and test-all: it doubles the time of the tests on Python 3.11.
test: setup $(STAMPS)/system ## run the tests in parallel
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow"

test-coverage: setup $(STAMPS)/system ## the same tests; at least 95% of the lines have to be covered
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow" --cov --cov-report=term

test-all: setup $(STAMPS)/system build/jupyter/installed ## with long suites and coverage, then C++ and Python under sanitizers
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --cov --cov-report=term
	$(MAKE) --no-print-directory test-cpp test-sanitized test-threads test-sklearn

test-cpp: setup ## C++ tests, without Python, under address and undefined sanitizers
	$(CMAKE) -B build/sanitize-cpp -DPENJING_PYTHON=OFF -DPENJING_TESTS=ON \
		-DPENJING_SANITIZE=$(SANITIZE) > /dev/null
	$(BIN)/cmake --build build/sanitize-cpp > /dev/null
	$(BIN)/ctest --test-dir build/sanitize-cpp --output-on-failure

# Python itself is not built for it, so the thread sanitizer comes in first, and looks at ours only.
test-threads: setup ## C++ tests and a smoke suite of the extension under the thread sanitizer
	$(CMAKE) -B build/threads-cpp -DPENJING_PYTHON=OFF -DPENJING_TESTS=ON \
		-DPENJING_SANITIZE=thread > /dev/null
	$(BIN)/cmake --build build/threads-cpp > /dev/null
	$(BIN)/ctest --test-dir build/threads-cpp --output-on-failure
	$(CMAKE) -B build/threads -DPENJING_SANITIZE=thread > /dev/null
	$(BIN)/cmake --build build/threads > /dev/null
	rm -rf build/threads/site && mkdir -p build/threads/site
	cp -r src/penjing build/threads/site/ && rm -f build/threads/site/penjing/*.so
	$(BIN)/cmake --install build/threads --prefix build/threads/site > /dev/null
	LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
		TSAN_OPTIONS="halt_on_error=1 exitcode=66" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
		PYTHONPATH=build/threads/site $(BIN)/python tests/support/thread_sanitizer_script.py

# Python itself leaks on exit by design, hence detect_leaks=0. Java does not start with the sanitizer loaded before it:
# Spark is tested without it.
test-sanitized: setup ## the tests of the extension, with the extension under sanitizers
	$(CMAKE) -B build/sanitize -DPENJING_SANITIZE=$(SANITIZE) > /dev/null
	$(BIN)/cmake --build build/sanitize > /dev/null
	rm -rf build/sanitize/site && mkdir -p build/sanitize/site
	cp -r src/penjing build/sanitize/site/ && rm -f build/sanitize/site/penjing/*.so
	$(BIN)/cmake --install build/sanitize --prefix build/sanitize/site > /dev/null
	PYTHONPATH=build/sanitize/site $(BIN)/python -c "import importlib.util as u; \
		assert 'build/sanitize' in u.find_spec('penjing').origin"
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		PYTHONPATH=build/sanitize/site \
		$(BIN)/python -m pytest -q -p no:cacheprovider -m "not slow" tests/core tests/engines \
		--ignore=tests/engines/test_spark.py

# Only Python and the pins differ: penjing itself is used where it is, the extension included.
test-sklearn: setup ## the estimators' tests with the oldest scikit-learn declared, and pandas 2
	[ -x build/oldest/bin/python ] || $(PYTHON) -m venv build/oldest
	build/oldest/bin/python -m pip --disable-pip-version-check -qq install $(OLDEST) \
		$$(grep -E '^(duckdb|narwhals|rich|typer|polars|pyarrow|hypothesis|pytest|matplotlib)==' requirements-dev.txt)
	# it hands pytest a generator, which pytest will refuse one day
	PYTHONPATH=src build/oldest/bin/python -m pytest -q -p no:cacheprovider \
		-W ignore::pytest.PytestRemovedIn10Warning tests/estimators

# JupyterLab brings ninety packages, so it has an environment of its own; penjing is used where it is.
build/jupyter/installed: Makefile requirements-dev.txt
	echo "· JupyterLab, in build/jupyter"
	[ -x build/jupyter/bin/python ] || $(PYTHON) -m venv build/jupyter
	build/jupyter/bin/python -m pip --disable-pip-version-check -qq install $(JUPYTER) \
		$$(grep -E '^(anywidget|duckdb|narwhals|numpy)==' requirements-dev.txt)
	touch $@

test-jupyter: setup $(STAMPS)/system build/jupyter/installed ## the lab in a notebook of JupyterLab, in Chromium
	$(BIN)/python -m pytest -q tests/webapp/page/test_jupyterlab.py

page: setup ## build the page from web/ (needs Node.js); the bundle is committed
	$(BIN)/python packaging/check_page.py --write

check: setup ## style, types, imports, length of C++ functions; the page is built again and compared, where Node.js is installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(shell find cpp tests/cpp -name '*.?pp')
	# a function of C++ has at most 100 lines; how its branches nest is left to reviews
	$(BIN)/lizard -l cpp -L 100 -C 999 -w cpp tests/cpp
	$(BIN)/python packaging/check_page.py

format: setup ## format all files
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(shell find cpp tests/cpp -name '*.?pp')

$(STAMPS)/peers: bench/requirements.txt $(STAMPS)/dev
	echo "· the programs that penjing is compared with"
	$(PIP) install -r bench/requirements.txt
	touch $@

bench-spark: setup $(STAMPS)/system ## rows a second of engine spark against MLlib
	$(BIN)/python bench/spark.py

bench: setup $(STAMPS)/peers ## speed against other programs in one run, about an hour; figures in bench/results
	$(BIN)/python bench/fit.py
	$(BIN)/python bench/predict.py
	$(BIN)/python bench/scale.py

docs: setup ## build the documentation site in English and Chinese into build/docs
	$(BIN)/python docs/architecture_page.py
	$(BIN)/python docs/site/build.py

docs-output: setup ## run the code blocks of the documentation, write what they print into its pages
	$(BIN)/python docs/site/update_output.py
	git --no-pager diff --stat README.md README.zh.md docs

fidelity: setup ## grow the trees of C4.5, C5.0, J48, rpart and scikit-learn again, and compare
	$(BIN)/python -m tests.reference

rpart-live: setup $(STAMPS)/system ## grow 400 random tables with rpart in R and with penjing, and compare
	$(BIN)/python -m tests.reference.live_rpart

golden: setup ## write the kept pictures and texts in tests/*/golden anew; then look at the difference
	$(BIN)/python -m pytest -q --update-golden tests/render/test_golden_pictures.py \
		tests/render/test_tree_text.py tests/export/test_golden_programs.py
	git --no-pager diff --stat tests/render/golden tests/export/golden

wheel: setup ## build wheels into dist/ (3.11; 3.12 and later), audit them, try each without a compiler
	$(BIN)/python packaging/build_wheels.py

clean: ## remove what was built (not .venv)
	rm -rf build dist demo htmlcov .coverage* src/penjing/*.so $(STAMPS)/core
