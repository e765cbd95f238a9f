# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns how the tests get the model of silero-vad: its source for the compiler, and what it computes.
"""The 16 kHz model of the PyPI package silero-vad, as the tests use it."""

from __future__ import annotations

import functools
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
from onnx.reference import ReferenceEvaluator

from tests.models.prepare_silero import MEMBER, prepare
from tests.support.programs import cache_folder, compiler_path

__all__ = ["VERSION", "original", "program_source"]

VERSION = "6.2.3"
"""Version of silero-vad whose model is tested."""


@functools.cache
def _model() -> bytes:
    """Return the ONNX file out of the package's wheel, which is downloaded but not installed (it asks for PyTorch)."""
    wheel = cache_folder() / f"silero_vad-{VERSION}-py3-none-any.whl"
    if not wheel.is_file():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(wheel.parent)]
        subprocess.run([*command, f"silero-vad=={VERSION}"], check=True)
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(MEMBER)


def original() -> Callable[..., list[Any]]:
    """Return the model as it is in the package, run by ONNX's reference evaluator: (input, h, c) to three arrays."""
    evaluator = ReferenceEvaluator(onnx.load_from_string(_model()))
    return lambda window, h, c: evaluator.run(None, {"input": window, "h": h, "c": c})


def program_source() -> Path:
    """Return the model, prepared and imported, as a file for iree-compile."""
    folder = cache_folder()
    program = folder / f"silero_vad-{VERSION}.mlir"
    if not program.is_file():
        prepared = folder / f"silero_vad-{VERSION}.onnx"
        onnx.save(prepare(_model()), prepared)
        fresh = program.with_suffix(".fresh")
        importer = Path(compiler_path()).with_name("iree-import-onnx")
        subprocess.run([str(importer), str(prepared), "--opset-version", "17", "-o", str(fresh)], check=True)
        fresh.replace(program)
    return program
