# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests the loaders on what the compiler makes, without any device.
"""Executables are cut out of compiled programs and run by a small C program under the sanitizers."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from build_tools.native import Config, build_programs
from tests.support.programs import CPU_FLAGS, HOST_CPU_FLAGS, compile_program

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the programs are compiled for x86-64")

TOOL = Path("tests", "loaders", "run_executable.c")
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1"}
SYSTEM_FLAGS = (*CPU_FLAGS, "--iree-llvmcpu-link-embedded=false")
EMBEDDED = ("embedded-elf", "embedded-elf-x86_64")
SYSTEM = ("system-library", "system-elf-x86_64")

MULTIPLY = """
func.func @multiply(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.fixture(scope="session")
def tool() -> Path:
    """Build the program that runs executables."""
    return build_programs(Config.from_environment("address,undefined"), [TOOL])[0]


def executable_of(source: str, flags: Sequence[str], folder: Path) -> Path:
    """Cut the one executable out of a compiled program. Its section headers are the last of it."""
    program = compile_program(source, flags).read_bytes()
    assert program.count(b"\x7fELF") == 1
    data = program[program.index(b"\x7fELF") :]
    end = int.from_bytes(data[40:48], "little") + 64 * int.from_bytes(data[60:62], "little")
    path = folder / "executable.so"
    path.write_bytes(data[:end])
    return path


def function_of(executable: Path) -> str:
    """Find the name of its one function."""
    names = set(re.findall(rb"\0([a-z]+_dispatch_0_\w+)(?=\0)", executable.read_bytes()))
    assert len(names) == 1
    return names.pop().decode()


def run_tool(tool: Path, *arguments: str | Path) -> str:
    done = subprocess.run(
        [tool, *map(str, arguments)], env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False
    )
    assert not done.stderr, done.stderr
    assert done.returncode in (0, 1), done.stdout
    return done.stdout.strip()


def dispatch(
    tool: Path, kind: tuple[str, str], executable: Path, folder: Path, arrays: list[np.ndarray]
) -> list[np.ndarray]:
    """Run the function in one workgroup; return the bindings as they are afterwards."""
    paths = [folder / f"{i}.bin" for i in range(len(arrays))]
    for path, array in zip(paths, arrays, strict=True):
        path.write_bytes(array.tobytes())
    assert run_tool(tool, "run", *kind, executable, function_of(executable), "1,1,1", *paths) == "ok"
    return [np.frombuffer(path.read_bytes(), a.dtype) for path, a in zip(paths, arrays, strict=True)]


@pytest.mark.parametrize(
    ("kind", "flags"),
    [
        pytest.param(EMBEDDED, CPU_FLAGS, id="embedded-generic"),
        pytest.param(EMBEDDED, HOST_CPU_FLAGS, id="embedded-host"),
        pytest.param(SYSTEM, SYSTEM_FLAGS, id="system"),
    ],
)
def test_multiplies(tool: Path, tmp_path: Path, kind: tuple[str, str], flags: Sequence[str]) -> None:
    """A program for each loader computes what NumPy does."""
    a = np.array([1.5, -2, 3, 1e20], np.float32)
    b = np.array([4, 0.25, -3, 1e-20], np.float32)
    result = dispatch(tool, kind, executable_of(MULTIPLY, flags, tmp_path), tmp_path, [a, b, np.zeros(4, np.float32)])
    np.testing.assert_array_equal(result[2], a * b)
    np.testing.assert_array_equal(result[0], a)


def test_runs_with_more_than_32_bindings(tool: Path, tmp_path: Path) -> None:
    """A sum of 40 tensors is one function of 41 bindings."""
    names = [f"%a{i}" for i in range(40)]
    arguments = ", ".join(f"{name}: tensor<8xi32>" for name in names)
    lines = [f"%s{i} = arith.addi {'%a0' if i == 1 else f'%s{i - 1}'}, %a{i} : tensor<8xi32>" for i in range(1, 40)]
    body = "\n".join(lines)
    source = f"func.func @sum({arguments}) -> tensor<8xi32> {{\n{body}\nreturn %s39 : tensor<8xi32>\n}}\n"
    generator = np.random.default_rng(7)
    arrays = [generator.integers(-(2**31), 2**31, 8).astype(np.int32) for _ in range(40)]
    executable = executable_of(source, CPU_FLAGS, tmp_path)
    result = dispatch(tool, EMBEDDED, executable, tmp_path, [*arrays, np.zeros(8, np.int32)])
    np.testing.assert_array_equal(result[40], np.sum(arrays, axis=0, dtype=np.int32))


@pytest.mark.parametrize(("kind", "flags"), [(EMBEDDED, CPU_FLAGS), (SYSTEM, SYSTEM_FLAGS)], ids=["embedded", "system"])
def test_names_the_feature_that_is_absent(
    tool: Path, tmp_path: Path, kind: tuple[str, str], flags: Sequence[str]
) -> None:
    """Code for a processor with FMA4 is refused where there is none, and does not end the process."""
    source = """
func.func @fused(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.fma %a, %b, %c : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
    if re.search(r"\bfma4\b", Path("/proc/cpuinfo").read_text()):
        pytest.skip("this processor has fma4")
    flags = [flag for flag in flags if "target-cpu=" not in flag]
    executable = executable_of(source, (*flags, "--iree-llvmcpu-target-cpu=bdver1"), tmp_path)
    text = run_tool(tool, "run", *kind, executable, function_of(executable), "1,1,1")
    assert re.match(r"INCOMPATIBLE; '\w+' needs (\w+, )*fma4(, \w+)*, which this processor lacks; compile for it", text)


def test_refuses_the_wrong_kind(tool: Path, tmp_path: Path) -> None:
    """A system library needs nothing that the embedded loader lacks, but its format says another loader."""
    executable = executable_of(MULTIPLY, CPU_FLAGS, tmp_path)
    text = run_tool(tool, "run", EMBEDDED[0], SYSTEM[1], executable, "f", "1,1,1")
    assert text.startswith("INCOMPATIBLE; executable format 'system-elf-x86_64' is not this loader's")
    text = run_tool(tool, "run", EMBEDDED[0], "embedded-elf-arm_64", executable, "f", "1,1,1")
    assert text.startswith("INCOMPATIBLE; executable format 'embedded-elf-arm_64' is for another machine")


@pytest.mark.parametrize("size", [0, 3, 64, 500, 1000, -4096])
def test_refuses_cut_system_libraries(tool: Path, tmp_path: Path, size: int) -> None:
    """The system's linker never sees a file that is cut."""
    executable = executable_of(MULTIPLY, SYSTEM_FLAGS, tmp_path)
    executable.write_bytes(executable.read_bytes()[:size])
    text = run_tool(tool, "run", *SYSTEM, executable, "f", "1,1,1")
    assert text.startswith("INVALID_ARGUMENT; ")


def test_says_what_the_linker_says(tool: Path, tmp_path: Path) -> None:
    """What the system's linker refuses is our error with its words."""
    executable = executable_of(MULTIPLY, SYSTEM_FLAGS, tmp_path)
    data = bytearray(executable.read_bytes())
    headers = [data[64 + 56 * i : 64 + 56 * (i + 1)] for i in range(data[56])]
    # Without a dynamic section it is no library.
    for i, header in enumerate(headers):
        if header[:4] == b"\x02\0\0\0":
            data[64 + 56 * i] = 0
    executable.write_bytes(bytes(data))
    text = run_tool(tool, "run", *SYSTEM, executable, "f", "1,1,1")
    assert text.startswith("INVALID_ARGUMENT; the system library cannot be opened: object file has no dynamic section")


@pytest.mark.parametrize(("flags", "count"), [(CPU_FLAGS, 30000), (HOST_CPU_FLAGS, 10000)], ids=["generic", "host"])
def test_survives_mutations(tool: Path, tmp_path: Path, flags: Sequence[str], count: int) -> None:
    """Changed and cut files load or are errors; nothing is read outside them."""
    executable = executable_of(MULTIPLY, flags, tmp_path)
    match = re.fullmatch(r"ok (\d+)", run_tool(tool, "mutate", executable, str(count)))
    assert match is not None
    assert 0 < int(match[1]) < count
