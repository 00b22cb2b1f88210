# The commands of the project; the work is done by CMake (see CMakePresets.json).
# Missing Debian packages are installed when root, named otherwise.
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SECONDS ?= 30
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
N ?= 20
SEED ?= 1
FILES ?= 5000
STATES ?= 2000
EXPRESSIONS ?= 5000
SCENARIOS ?= 2000
FIRST ?= 1
TESTS ?= .
PREFIX ?= /usr/local
CHART ?= build-peers/speed.svg
BENCH_FILES ?= $(wildcard $(addprefix ../shared/robots/,panda/panda.urdf romeo/romeo.urdf ms_human_700/MS-Human-700.xml))
SOURCES = $(shell find include src tools tests examples bench web/src -name '*.[ch]' 2>/dev/null)

# make build-PRESET in the folder of the preset, then its tests.
preset = cmake --preset $(1) >/dev/null && cmake --build --preset $(1) --parallel $(JOBS)
tests = ctest --preset $(1) --parallel $(JOBS) --no-label-summary

.PHONY: help build demo python notebooks web check bench bench-peers bits approve profiles asan-profiles attack mutants format lint layers coverage asan tsan clang valgrind fuzz install reference sweeps clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build/soa, build/libsoa.a, build/libsoa_io.a
	@scripts/packages.sh build test
	@$(call preset,release)

demo: build ## two arms grasp a box, carry it and let go
	@echo '$$ soa sim examples/scenarios/carry.yaml --out build/demo'
	@build/soa sim examples/scenarios/carry.yaml --out build/demo
	@echo; echo '$$ soa plot build/demo q.box/free.5 q.box/free.6 q.left/joint4 q.right/joint4 -o build/demo/carry.png'
	@build/soa plot build/demo q.box/free.5 q.box/free.6 q.left/joint4 q.right/joint4 -o build/demo/carry.png

python: ## the Python package, in build/python
	@scripts/packages.sh build python
	@cmake --preset release -DSOA_PYTHON_EXECUTABLE=$(PYTHON) >/dev/null && cmake --build --preset release --parallel $(JOBS) --target soa_package
	@echo "PYTHONPATH=build/python $(PYTHON) -c 'import soa'"

notebooks: python ## runs examples/notebooks; pages with the results in build/notebooks
	@scripts/packages.sh notebooks
	@PYDEVD_DISABLE_FILE_VALIDATION=1 PYTHONPATH=$(CURDIR)/build/python SOA_PROGRAM=$(CURDIR)/build/soa $(PYTHON) -m jupyter nbconvert --execute --to html \
	  --log-level ERROR --output-dir build/notebooks examples/notebooks/*.ipynb
	@ls build/notebooks/*.html

web: build ## the page of soa view, build/web/soa.html: the library in WebAssembly, in a browser, offline
	@scripts/packages.sh web
	@web/build.sh

check: build ## all tests
	@ctest --preset release -N -R '^python-' | grep -q python- || \
	  echo 'The Python tests are left out: python3-dev, python3-numpy or python3-pytest was absent when soa was configured'
	@$(call tests,release)

bench: build ## speed, here and now
	@build/soa bench
	@build/soa bench --growth
	@$(if $(BENCH_FILES),build/soa bench $(BENCH_FILES))
	@if [ -e build/python/soa/_soa.abi3.so ]; then cmake --build build --target soa_calls >/dev/null && \
	  PYTHONPATH=build/python $(PYTHON) bench/python.py build/python.build/soa_calls; \
	  else echo 'Python left out: no Python.h when soa was built (Debian: python3-dev)'; fi

bench-peers: ## speed beside other libraries; SOA_PINOCCHIO, SOA_RBDL: prefixes of those; DART=1: that too
	@scripts/packages.sh build peers $(if $(DART),peers-dart)
	@cmake --preset peers | { grep 'left out' || true; }
	@cmake --build --preset peers --parallel $(JOBS) --target bench_peers
	@build-peers/bench/bench_peers --json build-peers/speed.json --svg $(CHART)

bits: build ## write the stored hashes of what is computed anew, tests/bits/*.txt; all rows: build/bits.txt; other machines
	@build/tests/soa_bits write tests/bits
	@SOA_TEST_PROCESSOR=plain build/tests/soa_bits write tests/bits
	@build/tests/soa_bits >build/bits.txt
	@git diff --stat -- tests/bits
	@scripts/machines.sh

approve: build ## stores in tests/approved what the libraries say now; git diff shows what changed
	@SOA_APPROVE=1 ctest --preset release -L approved

format: ## clang-format everything
	@scripts/packages.sh lint
	@clang-format -i $(SOURCES)

lint: build layers ## clang-format, clang-tidy, cppcheck, shellcheck, layers
	@scripts/packages.sh lint
	@scripts/lint.sh

layers: ## who may include whom
	@scripts/layers.sh

coverage: ## lines and branches of src/ and tools/ that the tests run, in percent; build-coverage/uncovered.txt: the others
	@scripts/packages.sh build test coverage
	@$(call preset,coverage)
	@scripts/coverage.py build-coverage $(JOBS)

asan: ## tests with the address and undefined behaviour sanitizers
	@scripts/packages.sh build test
	@$(call preset,asan)
	@$(call tests,asan)

profiles: build ## tests as on plain x86-64 and on AVX2 processors (make check: on this one)
	@for processor in plain avx2; do $(call tests,release-$$processor) -L processor || exit; done

asan-profiles: ## the same with the sanitizers; TESTS=REGEX: these alone
	@scripts/packages.sh build test
	@$(call preset,asan)
	@for processor in plain avx2; do $(call tests,asan-$$processor) -L processor -R '$(TESTS)' || exit; done

attack: ## blunt mutators under the sanitizers: FILES=5000 STATES=2000 EXPRESSIONS=5000 SCENARIOS=2000 FIRST=1
	@scripts/packages.sh build test
	@cmake --preset asan >/dev/null && cmake --build --preset asan --parallel $(JOBS) --target soa_attack
	@scripts/attack.sh build-asan $(FILES) $(STATES) $(EXPRESSIONS) $(SCENARIOS) $(FIRST)

mutants: ## N=20 SEED=1 FOLDERS=: changes of the code, one at a time: which the tests do not see
	@scripts/packages.sh build test mutants
	@JOBS=$(JOBS) scripts/mutants.py $(N) $(SEED) $(FOLDERS)

tsan: ## tests with the thread sanitizer
	@scripts/packages.sh build test
	@$(call preset,tsan)
	@$(call tests,tsan)

clang: ## tests with the other compiler
	@scripts/packages.sh build test clang
	@$(call preset,clang)
	@$(call tests,clang)

# Left out: what asks the processor or runs scripts, a test with a bound of time, and the tests of
# last bits in lanes: valgrind has no long double, another sign of zero in fused operations, and does not know all of AVX.
valgrind: ## tests under memcheck
	@scripts/packages.sh build test valgrind
	@$(call preset,valgrind)
	@$(call tests,valgrind)

fuzz: ## the readers against random input, SECONDS=30 each
	@scripts/packages.sh build test clang
	@scripts/fuzz.sh $(SECONDS)

install: build ## into PREFIX=/usr/local
	@cmake --install build --prefix $(PREFIX)

reference: build ## docs/reference.md and the picture, from the headers and programs
	@scripts/reference.sh build/soa build/tests/docs/docs_tables >build/reference.md
	@mv build/reference.md docs/reference.md
	@build/examples/example-draw >docs/images/arm7.svg

sweeps: build ## kernels that soa emit writes of expressions: reference.kernel.h, of reference.soa
	@build/soa emit src/dynamics/reference.soa --kernel -o src/dynamics/reference.kernel.h

clean: ## remove every build folder
	@rm -rf build build-debug build-asan build-tsan build-coverage build-valgrind build-clang build-fuzz build-peers build-mutants build-web
