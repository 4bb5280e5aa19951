# SPDX-License-Identifier: GPL-2.0-only
# make demo   the main job, from nothing: which kernel made mprotect slower?
# make test   everything, real boots included        make check   fast, no network
# make site   the matrix of stock kernels as pages, without a boot
# make threads   five mail threads, each question answered again
# make release        wheel, source archive, documentation, SBOM and checksums, in build/release
# make container  the image that scripts/kassay runs
# make release-test   every compiler of this host builds the oldest and the newest kernel
PY = .venv/bin/python
# How many examples hypothesis tries: see tests/conftest.py.
EXAMPLES = quick
SLOW = (boot or network or browser or slow)
FAST = -m pytest -q -p no:xdist --hypothesis-profile=$(EXAMPLES) -m "not $(SLOW) and not release"
LADDER = debian:6.12 debian:6.16 debian:6.17 debian:6.19 debian:7.0

# Where it is set each of the tests' processes compiles every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo site threads container test release release-test check fast fast-a-h fast-i-z lint guest golden pages docs setup clean

demo:
	@scripts/setup run
	@.venv/bin/kassay ladder mprotect_toggle $(LADDER) --out kassay-out/demo --fresh

site:
	@scripts/setup run
	@.venv/bin/kassay site kassay-out/site --from stock --steps lab/steps.toml

# What it costs: $(PY) -m benchmarks.threads --list
threads: setup
	$(PY) -m benchmarks.threads

container:
	@scripts/container

test: setup
	$(MAKE) --no-print-directory check EXAMPLES=thorough
	$(PY) -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder -m "$(SLOW) and not alone and not release"
	$(PY) -m pytest -q -m alone

# From a clean clone of HEAD, twice with the same bytes. An image, where a target makes one, is built from the same commit.
release:
	@scripts/release.py
	@if $(MAKE) -n container >/dev/null 2>&1; then $(MAKE) --no-print-directory container; fi

# Before a release: every compiler, and the files of `make release`. Half an hour to two hours: a kernel is built for each compiler and source that the cache lacks.
release-test: setup
	$(PY) -m pytest -v -m release tests/release tests/contract/test_release.py tests/boot/test_from_source.py

# Side by side: most of the time one of them leaves half of the host idle.
check:
	@$(MAKE) --no-print-directory -j4 --output-sync=target fast-i-z fast-a-h lint guest

setup:
	@scripts/setup test

lint:
	.venv/bin/ruff format --check -q .
	.venv/bin/ruff check -q .
	.venv/bin/mypy

guest:
	$(MAKE) --no-print-directory -s -C guest CC=gcc
	$(MAKE) --no-print-directory -s -C guest CC=clang
	$(MAKE) --no-print-directory -s -C plugin CC=gcc
	$(MAKE) --no-print-directory -s -C plugin CC=clang
	$(MAKE) --no-print-directory -s -C core CC=gcc
	$(MAKE) --no-print-directory -s -C core CC=clang
	$(MAKE) --no-print-directory -s -C core/probes CC=gcc
	$(MAKE) --no-print-directory -s -C core/probes CC=clang
	$(MAKE) --no-print-directory -s -C pcp CC=gcc
	$(MAKE) --no-print-directory -s -C pcp CC=clang

# Two processes, and each collects half of the tests: two of xdist would both collect all of them, and a third one waits.
fast:
	@$(MAKE) --no-print-directory -j2 --output-sync=target fast-i-z fast-a-h

fast-a-h:
	$(PY) $(FAST) --ignore-glob='tests/[i-z]*'

fast-i-z:
	$(PY) $(FAST) --ignore-glob='tests/[a-h]*'

golden:
	$(PY) -m tests.report.regolden

# Pages and pictures that a program writes.
pages:
	$(PY) -m tests.guest.workload_pages
	$(PY) -m tests.commands.pages
	$(PY) -m tests.layers_picture

# The site; search works once it is served: python3 -m http.server -d build/site
# Without --quiet: MkDocs would then no longer count the warnings that --strict turns into errors.
docs: setup pages
	.venv/bin/mkdocs build --strict --clean

clean:
	rm -rf .venv build kassay-out .mypy_cache .pytest_cache .ruff_cache .hypothesis
