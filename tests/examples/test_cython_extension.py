# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Builds the example extension outside of the tree and uses it; builds a program that embeds Python.

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import iree_cy as rt

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples" / "cython_extension"
# Where the package under test is, for what runs in a process of its own.
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(rt.__file__)))
ENVIRONMENT = {**os.environ, "PYTHONPATH": PACKAGE}


def _run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("Cython")
    pytest.importorskip("setuptools")
    folder = tmp_path_factory.mktemp("extension") / "example"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("build", "*.so", "*.egg-info"))
    _run(sys.executable, "setup.py", "-q", "build_ext", "--inplace", cwd=folder)
    return folder


def test_it_works(example: Path) -> None:
    code = """
import iree_cy as rt, numpy as np
import iree_cy_example
device = rt.get_device("local-sync")
buffer = device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, 12)
iree_cy_example.fill(device, buffer, -3)
print(np.frombuffer(buffer.map(), np.int32).tolist())
print(iree_cy_example.element_count(rt.HalBufferView(buffer, (3, 1), rt.HalElementType.SINT_32)))
try:
    iree_cy_example.fill(device, buffer.subspan(0, 6), 1)
except ValueError as error:
    print(type(error).__name__)
"""
    assert _run(sys.executable, "-W", "error", "-c", code, cwd=example).split("\n") == [
        "[-3, -3, -3]",
        "3",
        "InvalidArgument",
        "",
    ]


def test_it_links_nothing_of_the_core(example: Path) -> None:
    (library,) = (example / "iree_cy_example").glob("fill*.so")
    undefined = _run("nm", "-D", "--undefined-only", str(library), cwd=example)
    assert [line for line in undefined.splitlines() if "iree" in line] == []


EMBEDDING = """
#include <stdio.h>
#include "iree_cy/embed.h"
int main(void) {
  char error[256];
  if (iree_cy_embed_attach(sizeof(error), error) == 0) return 2;
  puts(error);
  Py_Initialize();
  if (iree_cy_embed_attach(sizeof(error), error) != 0) {
    puts(error);
    return 1;
  }
  iree_hal_allocator_t* allocator = NULL;
  iree_status_t status = iree_hal_allocator_create_heap(IREE_SV("host"), iree_allocator_system(), &allocator);
  puts(iree_status_code_string(iree_status_consume_code(status)));
  iree_hal_allocator_release(allocator);
  return Py_FinalizeEx();
}
"""


@pytest.mark.parametrize("language", ["c", "c++"])
def test_embedding(tmp_path: Path, language: str) -> None:
    folder = sysconfig.get_config_var("LIBDIR")
    name = sysconfig.get_config_var("LDLIBRARY") or ""
    if not os.path.exists(os.path.join(folder or "", name)):
        pytest.skip(f"this Python has no library to link: {name}")
    source = tmp_path / f"embedding.{'c' if language == 'c' else 'cc'}"
    source.write_text(EMBEDDING)
    compiler = shlex.split(os.environ.get("CC") or "cc") if language == "c" else ["c++", "-std=c++17"]
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"no compiler {compiler[0]}")
    library = name.removeprefix("lib").removesuffix(".a").removesuffix(".so")
    libraries = [*shlex.split(sysconfig.get_config_var("LIBS") or ""), "-lm", "-ldl", "-lpthread"]
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{rt.get_include()}", f"-I{sysconfig.get_path('include')}"]
    links = ["-rdynamic", f"-L{folder}", f"-Wl,-rpath,{folder}", f"-l{library}", *libraries]
    _run(*compiler, *flags, str(source), "-o", str(tmp_path / "embedding"), *links, cwd=tmp_path)
    environment = {
        **ENVIRONMENT,
        "PYTHONPATH": os.pathsep.join([PACKAGE, *(path for path in sys.path if path)]),
        "PYTHONHOME": sys.base_prefix,
    }
    done = subprocess.run(
        [str(tmp_path / "embedding")], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout.splitlines(), done.stderr) == (["the interpreter is not initialized", "OK"], "")
    assert done.returncode == 0
