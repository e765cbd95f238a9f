# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Builds and uses what docs/c-api.md shows, so that the page stays true.

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import iree_cy as rt

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "c-api.md").read_text()
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(rt.__file__)))
CC = (*shlex.split(os.environ.get("CC") or "cc"), "-Wall", "-Wextra", "-Werror", f"-I{rt.get_include()}")

CONSUMER = """
#include "iree_cy/import.h"
#include "handles_api.h"
static iree_status_t show(iree_hal_semaphore_t* semaphore) {
  uint64_t value = 0;
  %s
  return iree_ok_status();
}
static PyObject* consume(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *device = NULL, *buffer = NULL;
  if (!PyArg_ParseTuple(args, "OO", &device, &buffer)) return NULL;
  iree_hal_device_t* device_pointer = device_handle(device);
  if (!device_pointer) return NULL;
  iree_hal_buffer_t* buffer_pointer = buffer_handle(buffer);
  if (!buffer_pointer) return NULL;
  iree_hal_semaphore_t* semaphore = NULL;
  iree_status_t status = iree_hal_semaphore_create(device_pointer, IREE_HAL_QUEUE_AFFINITY_ANY, 0,
                                                   IREE_HAL_SEMAPHORE_FLAG_DEFAULT, &semaphore);
  if (iree_status_is_ok(status)) status = show(semaphore);
  iree_hal_semaphore_release(semaphore);
  return Py_BuildValue("iK", (int)iree_status_consume_code(status),
                       (unsigned long long)iree_hal_buffer_byte_length(buffer_pointer));
}
static PyMethodDef methods[] = {{"consume", consume, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "consumer", NULL, -1, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_consumer(void) {
  if (iree_cy_import() || import_handles()) return NULL;
  PyObject* module = PyModule_Create(&definition);
#if defined(Py_GIL_DISABLED)
  if (module) PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
  return module;
}
"""


def _run(*command: str, cwd: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


def test_handles_and_statuses(tmp_path: Path) -> None:
    """A module in C gets handles from the page's Cython module, and treats statuses as the page does."""
    pytest.importorskip("Cython")
    (tmp_path / "handles.pyx").write_text(_block("cython"))
    (tmp_path / "consumer.c").write_text(CONSUMER % _block("c"))
    _run(sys.executable, "-m", "cython", "-3", "-I", PACKAGE, "handles.pyx", cwd=tmp_path)
    python = f"-I{sysconfig.get_path('include')}"
    for name, flags in (("handles", ("-Wno-error",)), ("consumer", ())):
        output = f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
        _run(*CC, *flags, python, "-shared", "-fPIC", f"{name}.c", "-o", output, cwd=tmp_path)
    code = """
import consumer, iree_cy as rt
device = rt.get_device("local-sync")
buffer = device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, 12)
print(consumer.consume(device, buffer))
try:
    consumer.consume(buffer, device)
except TypeError as error:
    print(type(error).__name__)
"""
    # The page's second signal is in order, so that the status that it looks at is OK and is handed on.
    assert _run(sys.executable, "-W", "error", "-c", code, cwd=tmp_path) == "(0, 12)\nTypeError\n"
