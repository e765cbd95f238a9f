# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the compiled test programs: each compiled once, kept in a cache that all Pythons share.
"""Compile programs for tests.

The cache lies in ``.cache/programs`` of the tree, or in what IREE_CY_TEST_CACHE names. A program is kept under a
name made of its source, the flags, the compiler's version and, where the flags ask for the host's CPU, that CPU.

The compiler is the one that IREE_CY_COMPILER names, else the one of the running Python, else one on PATH.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["CPU_FLAGS", "HOST_CPU_FLAGS", "CompileError", "cache_folder", "compile_program", "compiler_path"]

ROOT = Path(__file__).resolve().parent.parent.parent

_LOCAL_CPU = ("--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu")
# Without a CPU named, the compiler takes the generic one and warns of it.
CPU_FLAGS = (*_LOCAL_CPU, "--iree-llvmcpu-target-cpu=generic")
HOST_CPU_FLAGS = (*_LOCAL_CPU, "--iree-llvmcpu-target-cpu=host")


class CompileError(Exception):
    """The compiler refused a program; the text is what it said."""


@functools.cache
def compiler_path() -> str:
    """Find iree-compile.

    Raises
    ------
    FileNotFoundError
        There is none; the message says how to get it.
    """
    named = os.environ.get("IREE_CY_COMPILER")
    beside = os.path.join(os.path.dirname(sys.executable), "iree-compile")
    for candidate in (named, beside, shutil.which("iree-compile")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise FileNotFoundError(
        "iree-compile is not found: pip install 'iree-base-compiler==3.13.*', or name one in IREE_CY_COMPILER"
    )


@functools.cache
def _compiler_version() -> str:
    text = subprocess.run([compiler_path(), "--version"], check=True, capture_output=True, text=True).stdout
    match = re.search(r"version (.+)", text)
    return match[1] if match else text


@functools.cache
def _host_cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return "\n".join(sorted({line for line in lines if line.startswith(("flags", "model name", "Features"))}))


def cache_folder() -> Path:
    """Return the folder of the compiled programs, made if it is absent."""
    folder = Path(os.environ.get("IREE_CY_TEST_CACHE") or ROOT / ".cache" / "programs")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run_compiler(source: bytes, flags: Sequence[str], output: Path) -> None:
    done = subprocess.run(
        [compiler_path(), *flags, "-", "-o", str(output)], input=source, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise CompileError(done.stderr.decode(errors="replace"))


def compile_program(source: str | bytes | Path, flags: Sequence[str] = CPU_FLAGS) -> Path:
    """Compile a program, or find it in the cache.

    Parameters
    ----------
    source
        The text or bytes of the program, or the file that holds it.
    flags
        All flags of iree-compile.

    Returns
    -------
    Path
        The ``.vmfb`` in the cache. It belongs to everybody: copy it before changing it.

    Raises
    ------
    CompileError
        The compiler refuses the program.
    """
    if isinstance(source, Path):
        source = source.read_bytes()
    elif isinstance(source, str):
        source = source.encode()
    machine = _host_cpu() if any("=host" in flag for flag in flags) else ""
    key = hashlib.sha256()
    for part in (source, *(flag.encode() for flag in flags), _compiler_version().encode(), machine.encode()):
        key.update(len(part).to_bytes(8, "little"))
        key.update(part)
    program = cache_folder() / f"{key.hexdigest()[:32]}.vmfb"
    if program.is_file():
        return program
    # Another process may want the same program: one compiles, the others wait and find it.
    with program.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.is_file():
            fresh = program.with_suffix(".fresh")
            _run_compiler(source, flags, fresh)
            fresh.replace(program)
    return program
