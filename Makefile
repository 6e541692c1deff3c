# The few commands one needs; everything else is CMake (see CMakePresets.json and CONTRIBUTING.md).

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 600

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help deps deps-all python-venv build demo test test-long test-python test-python-full wheel python-docs test-asan test-tsan tidy check-format fuzz test-all format bench clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps:
	@scripts/install-deps.sh

deps-all:
	@scripts/install-deps.sh --developer

build: deps  ## build the program, build/bin/tactus
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS) --target tactus_cli

demo: build  ## a robot piles dishes (a replay), the physics suite, two problems with every solver, plots
	@scripts/demo.sh

# What the Python module is built and tested with; where it cannot be had Python is left out, and it says so.
python-venv:
	@scripts/python-venv.sh build/python-venv

test: deps python-venv  ## build everything and run all tests but the long ones
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS)

test-all: check-format test test-long test-asan test-tsan tidy fuzz  ## also long tests, sanitizers, clang-tidy, formatting, ten minutes of fuzzing

test-python: deps python-venv  ## build the Python package and run its tests only
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS) --target tactus_python_package tactus_cli
	@ctest --preset release -R '^python/'

test-python-full: deps-all python-venv  ## the same with MuJoCo, Pinocchio, Ray, Stable-Baselines3 (gigabytes) and the long tests
	@build/python-venv/bin/pip install --quiet --disable-pip-version-check -r python/requirements-full.txt
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS) --target tactus_python_package tactus_cli
	@ctest --preset release -R '^python/'
	@ctest --preset long -R '^python/'

wheel: deps python-venv  ## a wheel in build/wheel that needs neither compiler nor libraries of the system
	@scripts/wheel.sh build/python-venv build/wheel

python-docs: deps python-venv  ## API reference of the Python package in build/python-docs, by Sphinx
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS) --target tactus_python_package
	@PYTHONPATH=build/python scripts/python-docs.sh build/python-venv build/python-docs

test-long: deps python-venv  ## run the long tests
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset long -j $(JOBS)

test-asan test-tsan: test-%: deps  # all but the long tests under the sanitizers
	@cmake --preset $* --log-level=WARNING
	@cmake --build --preset $* -j $(JOBS)
	@ctest --preset $* -j $(JOBS)

tidy: deps-all  ## run clang-tidy over the whole tree
	@cmake --preset tidy --log-level=WARNING
	@JOBS=$(JOBS) scripts/tidy.sh build-tidy

check-format: deps-all  ## check that clang-format would change nothing
	@scripts/check-format.sh

fuzz: deps-all  ## run the fuzz programs for FUZZ_SECONDS (600) in all
	@cmake --preset fuzz --log-level=WARNING
	@cmake --build --preset fuzz -j $(JOBS)
	@scripts/fuzz.sh build-fuzz/fuzz-bin $(FUZZ_SECONDS)

format: deps-all  ## format all sources
	@scripts/check-format.sh --fix

bench: deps  ## run all benchmarks, results in build/bench-results
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS)
	@scripts/bench.sh build/bench-bin build/bench-results

clean:  ## remove all build folders
	rm -rf build build-debug build-asan build-tsan build-fuzz build-tidy
