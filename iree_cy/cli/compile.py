# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns finding and calling the compiler for programs given as MLIR.
"""Compile a program given as MLIR with iree-compile, when it is installed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence

from iree_cy.errors import FailedPrecondition, NotFound

__all__ = ["SOURCE_SUFFIXES", "compile_flags", "compile_program", "find_compiler"]

SOURCE_SUFFIXES = (".mlir", ".mlirbc")
PIP_LINE = 'pip install "iree-cy[compiler]"'
_MODULE = "iree.compiler.tools.scripts.iree_compile"


def find_compiler() -> list[str] | None:
    """Return the command that runs iree-compile: this Python's package, or the one on PATH."""
    try:
        if importlib.util.find_spec(_MODULE) is not None:
            return [sys.executable, "-m", _MODULE]
    except (ImportError, ValueError):
        # A parent package that is missing or broken.
        pass
    program = shutil.which("iree-compile")
    return [program] if program is not None else None


def compile_flags(uris: Iterable[str]) -> list[str]:
    """Return what iree-compile needs for the drivers of some URIs; this loads no driver."""
    from iree_cy.plugins.registry import registry
    from iree_cy.uri import parse_device_uri

    flags: list[str] = []
    for uri in uris:
        parsed = parse_device_uri(uri)
        for flag in registry.plugin(parsed.driver, parsed.distribution).compile_flags:
            if flag not in flags:
                flags.append(flag)
    return flags


def compile_program(source: str, output: str, flags: Sequence[str]) -> None:
    """Compile a program.

    Parameters
    ----------
    source
        The MLIR file.
    output
        Where the compiled program goes.
    flags
        Arguments for iree-compile.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    NotFound
        If there is no compiler; the message has the line that installs it.
    FailedPrecondition
        If the compiler refuses the program; the message ends with what it said.
    """
    if not os.path.exists(source):
        raise FileNotFoundError(2, "no such program", source)
    command = find_compiler()
    if command is None:
        raise NotFound(f"{source} must be compiled and iree-compile is not here: {PIP_LINE}")
    result = subprocess.run(
        [*command, source, "-o", output, *flags],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if result.returncode != 0:
        head = f"iree-compile gave up on {source} with exit code {result.returncode}; it said:"
        raise FailedPrecondition(f"{head}\n{result.stdout.rstrip()}")
