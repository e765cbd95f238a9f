# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the small native builds that tests make: plugin libraries, header checks, symbol lists.
"""Compile small C things in tests."""

from __future__ import annotations

import os
import shlex
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

__all__ = ["INCLUDE", "ROOT", "build_plugin_library", "compile_object", "exported_symbols"]

ROOT = Path(__file__).resolve().parent.parent.parent
INCLUDE = ROOT / "include"


def _cc() -> list[str]:
    return shlex.split(os.environ.get("CC") or "cc")


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def build_plugin_library(source: str | Path, output: Path, flags: Sequence[str] = (), include: Path = INCLUDE) -> Path:
    """Build a driver plugin's shared library from one C source, as a plugin author would.

    Parameters
    ----------
    source
        The text of the source, or the file that holds it.
    output
        The library to make.
    flags
        Further flags.
    include
        The folder of the public headers.

    Raises
    ------
    RuntimeError
        The compiler refuses; the text is what it said.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(source, str):
        file = output.with_suffix(".c")
        file.write_text(source)
        source = file
    command = ["-std=gnu11", "-O1", "-g1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-shared"]
    link = ["-Wl,-z,defs", f"-I{include}", str(source), "-o", str(output)]
    _run([*_cc(), *command, *flags, *link])
    return output


def compile_object(text: str, language: str, flags: Sequence[str], folder: Path) -> Path:
    """Compile a text ('c' or 'c++') against the public headers and Python's; return the object.

    Raises
    ------
    RuntimeError
        The compiler refuses; the text is what it said.
    """
    source = folder / f"source.{'c' if language == 'c' else 'cc'}"
    source.write_text(text)
    output = folder / "source.o"
    python = sysconfig.get_path("include")
    include = [f"-I{INCLUDE}", "-isystem", python]
    _run([*_cc(), "-x", language, *flags, *include, "-c", str(source), "-o", str(output)])
    return output


def exported_symbols(library: Path) -> set[str]:
    """Return the names that a shared library defines for others."""
    text = _run(["nm", "--dynamic", "--defined-only", "--format=posix", str(library)])
    return {line.split()[0].partition("@")[0] for line in text.splitlines() if line}
