# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the rows of one small call at each layer, and the build of the extension that calls from below Python.
"""Rows of one call at C, Cython and Python level: what each layer costs."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks import programs
from benchmarks.measure import Bench, Call, Case, Group, Row, series
from tests.support.programs import HOST_CPU_FLAGS, compile_program

__all__ = ["build_layers", "groups"]

_SOURCE = Path(__file__).resolve().parent / "layers.pyx"
_SETUP = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup
import iree_cy
source, folder, package = sys.argv[1:4]
extension = Extension("layers", [source], include_dirs=[iree_cy.get_include()])
setup(
    name="layers",
    ext_modules=cythonize([extension], build_dir=folder, include_path=[package], quiet=True),
    script_args=["-q", "build_ext", "--build-lib", folder, "--build-temp", folder],
)
"""


@functools.cache
def build_layers() -> ModuleType:
    """Build layers.pyx against the installed iree_cy and import it; nothing of it stays behind.

    Raises
    ------
    RuntimeError
        If it does not build; the message is the compiler's.
    """
    import iree_cy

    package = os.path.dirname(os.path.dirname(os.path.abspath(iree_cy.__file__)))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, _SOURCE.name)
        source.write_bytes(_SOURCE.read_bytes())
        done = subprocess.run(
            [sys.executable, "-c", _SETUP, str(source), folder, package],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([package, *sys.path])},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        built = [path for end in importlib.machinery.EXTENSION_SUFFIXES for path in Path(folder).glob(f"layers{end}")]
        if done.returncode != 0 or not built:
            raise RuntimeError(f"benchmarks/layers.pyx does not build:\n{done.stdout}{done.stderr}")
        spec = importlib.util.spec_from_file_location("layers", built[0])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


# Calls per timed call: the loop is in C or Cython, so that its own price is shared.
_CALLS = 500


def _layers(driver: str, bench: Bench) -> Iterable[Row]:
    layers: Any = build_layers()
    side = bench.ours(driver)
    rt = side.runtime
    a, b = np.array([1, 2, 3, 4], np.float32), np.array([5, 6, 7, 8], np.float32)
    config = rt.Config(device=side.device)
    path = str(compile_program(programs.multiply(), HOST_CPU_FLAGS))
    context = rt.SystemContext([rt.VmModule.mmap(config.vm_instance, path)], config)
    module = context._bound[0]
    function = module.vm_module.lookup_function("main")
    main = module.main
    x, y = side.arrays(a, b)
    views = [
        side.device.allocator.allocate_buffer_copy(
            rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, side.device, array, rt.HalElementType.FLOAT_32
        )
        for array in (a, b)
    ]
    refs = [view.ref for view in views]
    count = 2 if bench.quick else _CALLS

    def device_arrays() -> None:
        for _ in range(count):
            module.main(x, y)

    def numpy_in() -> None:
        for _ in range(count):
            module.main(a, b)

    def numpy_out() -> None:
        for _ in range(count):
            module.main(a, b).to_host()

    calls: dict[str, Call] = {
        "C: iree_cy_vm_context_call": lambda: layers.call_in_c(context.vm_context, function, *refs, count),
        "Cython: bound function, DeviceArray": lambda: layers.call_in_cython(main, (x, y), count),
        "Python: the same": device_arrays,
        "Python: NumPy in": numpy_in,
        "Python: NumPy in and out": numpy_out,
    }
    yield from series(calls, bench.rounds, 0.0, count)


def groups() -> Iterator[Group]:
    """Return the groups of these rows."""
    for driver in ("local-sync", "local-task"):
        title = f"multiply4 on {driver} by layer; each does what the one above does and something more"
        case = Case("layers", functools.partial(_layers, driver))
        yield Group(f"layers-{driver.removeprefix('local-')}", title, ("all", "added", "share"), [case])
