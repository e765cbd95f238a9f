# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the conformance suite has to know of the local drivers.
"""The local drivers and the conformance suite.

The programs hold code for every x86-64 processor and bytecode for all others. They were made by
``python -m iree_cy.testing.programs --driver=local-sync --output=...`` with these as ``--flag=...``: `PROGRAM_FLAGS`.
"""

from pathlib import Path

from iree_cy.testing import Profile

__all__ = ["PROGRAM_FLAGS", "profiles"]

PROGRAM_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-hal-local-target-device-backends=vmvx",
    "--iree-llvmcpu-target-cpu=generic",
    # Linked executables would have one of the two formats.
    "--iree-hal-link-executables=false",
    "--iree-llvmcpu-debug-symbols=false",
    "--iree-vm-bytecode-module-strip-source-map=true",
    "--iree-vm-bytecode-module-strip-debug-ops=true",
)

_PROGRAMS = Path(__file__).parent / "conformance_programs"

profiles = {
    "local-sync": Profile(programs=_PROGRAMS),
    # Two threads, so that work is shared on a machine with one processor too.
    "local-task": Profile(programs=_PROGRAMS, device="://?threads=2"),
}
