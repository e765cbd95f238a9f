# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns running functions of VM programs in the C program bytecode_run.
"""Compile, load and call VM programs outside of Python."""

from __future__ import annotations

import functools
import os
import struct
import subprocess
from pathlib import Path

from build_tools.native import Config, build_programs
from tests.support.programs import compile_program

__all__ = ["PROGRAMS", "call", "compiled", "execute", "fail", "float_result"]

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / "tests" / "programs" / "vm"
VM_FLAGS = ("--compile-mode=vm", "--output-format=vm-bytecode")
SANITIZERS = os.environ.get("IREE_CY_TEST_SANITIZE", "address,undefined")


@functools.cache
def _program() -> Path:
    return build_programs(Config.from_environment(SANITIZERS), [Path("tests/vm/bytecode_run.c")])[0]


def execute(*arguments: str | Path) -> tuple[int, list[str]]:
    """Run the program; return its exit code and the lines it prints."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1"}
    done = subprocess.run(
        [_program(), *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def compiled(name: str) -> Path:
    """Compile one of tests/programs/vm."""
    return compile_program(PROGRAMS / f"{name}.mlir", VM_FLAGS)


def call(program: Path, function: str, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """Call a function and return its results, one a line."""
    code, lines = execute(*options, program, function, *arguments)
    assert code == 0, lines
    return lines


def fail(program: Path, function: str, *arguments: str, options: tuple[str, ...] = ()) -> str:
    """Call a function that must fail and return the whole status."""
    code, lines = execute(*options, program, function, *arguments)
    assert code == 1, lines
    assert lines[0].startswith("error: ")
    message = lines[0].removeprefix("error: ")
    # The message proper, between the code and the lines of context, fits a line.
    assert len(message.split("; ")[1]) <= 200
    return message


def float_result(line: str) -> float:
    """Read a float from its bits in a line of results."""
    bits = line.split("bits=0x")[1]
    return float(struct.unpack(">f" if len(bits) == 8 else ">d", bytes.fromhex(bits))[0])
