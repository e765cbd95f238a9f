# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Holds the two commands for a newcomer: make run, make test.

PYTHON ?= python3
EXAMPLE ?= examples/elementwise.mlir
ARGUMENTS ?= --function=main --input=4xf32=1,2,3,4 --input=4xf32=10,20,30,40

.PHONY: run test clean

# Builds, then compiles an example with the IREE compiler, runs it and shows the result.
run: .venv/installed
	.venv/bin/iree-cy run $(EXAMPLE) --device=local-sync $(ARGUMENTS)

# The whole tree decides whether what is installed is current; pip and the native step rebuild only what changed.
.venv/installed: $(shell find setup.py pyproject.toml build_tools include iree_cy backends -type f \
		\( -name '*.py' -o -name '*.toml' -o -name '*.[ch]' -o -name '*.in[lc]' -o -name '*.p[xy]?' \) 2>/dev/null)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "iree_cy needs Python 3.10 or newer; name one: make run PYTHON=python3.12"; exit 1; }
	@command -v $${CC:-cc} >/dev/null || { echo "iree_cy needs a C compiler: apt-get install gcc"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "this Python makes no virtual environments: apt-get install python3-venv"; exit 1; }
	@test -f "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" || \
		{ echo "this Python has no headers: apt-get install python3-dev"; exit 1; }
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --upgrade pip
	.venv/bin/python -m pip install --quiet '.[compiler]'
	touch $@

# Builds in place and runs every test.
test:
	.ci/test $(PYTHON) .venv-test

clean:
	rm -rf build dist *.egg-info .venv .venv-test .venv-ci .cache iree_cy/*.so backends/*/*/*.so
