# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the short run of the fuzz target that every test run has; the long ones are started by hand.

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from build_tools.native import Config, build_programs
from tests.programs.operations import OPERATIONS
from tests.support.programs import CPU_FLAGS, compile_program

ROOT = Path(__file__).resolve().parent.parent.parent
COUNT = int(os.environ.get("IREE_CY_FUZZ_COUNT", "2000"))
"""Mutations per run and kind of module; 20,000 and more before a release."""

SEEDS = ("counter", "loop", "several_results", "dynamic_shapes")


@pytest.fixture(scope="module")
def load_fuzz() -> Path:
    config = Config(sanitizers=("address", "undefined"), werror=True)
    (program,) = build_programs(config, [Path("tests/fuzz/load_fuzz.c")])
    return program


def corpus() -> list[str]:
    programs = [ROOT / "examples" / f"{name}.mlir" for name in SEEDS]
    single = [operation for operation in OPERATIONS if operation.name in ("scf_while", "cf_switch", "tensor_gather")]
    compiled = [compile_program(program, CPU_FLAGS) for program in programs]
    return [str(path) for path in [*compiled, *(compile_program(each.source, CPU_FLAGS) for each in single)]]


@pytest.mark.parametrize("modules", ["stub", "hal"])
def test_mutated_programs_give_errors_and_nothing_else(load_fuzz: Path, modules: str) -> None:
    arguments = ["--hal"] if modules == "hal" else []
    command = [str(load_fuzz), *arguments, "--seed=1", f"--count={COUNT}", *corpus()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert f"{COUNT}" in done.stdout, done.stdout
