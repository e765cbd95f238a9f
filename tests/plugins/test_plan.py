# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests which drivers are said to run a program, and the reasons.
"""`iree_cy.plan` and ``iree-cy plan``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import iree_cy as rt
from benchmarks.programs import matmul, multiply
from iree_cy.cli import main
from tests.support.programs import compile_program

LOCAL = "--iree-hal-target-device=local"
LLVM = "--iree-hal-local-target-device-backends=llvm-cpu"
VMVX = "--iree-hal-local-target-device-backends=vmvx"
GENERIC = "--iree-llvmcpu-target-cpu=generic"
VULKAN = "--iree-hal-target-device=vulkan"
ELF = "embedded-elf-x86_64"
LOADED = "embedded-elf-x86_64, system-elf-x86_64, vmvx-bytecode-fb"

PARAMETERS = """
util.global private @a = #flow.parameter.named<"model"::"weight"> : tensor<4xf32>
util.global private @b = #flow.parameter.named<"model"::"bias"> : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = util.global.load @a : tensor<4xf32>
  %b = util.global.load @b : tensor<4xf32>
  %0 = arith.mulf %x, %a : tensor<4xf32>
  %1 = arith.addf %0, %b : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


def entry(plan: rt.Plan, driver: str) -> rt.PlanEntry:
    (found,) = [entry for entry in plan.entries if entry.driver == driver]
    return found


@pytest.mark.parametrize("flags", [(LOCAL, LLVM, GENERIC), (LOCAL, LLVM, "--iree-llvmcpu-target-cpu=host")])
def test_a_program_for_this_processor(flags: tuple[str, ...]) -> None:
    plan = rt.plan(compile_program(multiply(), flags))
    assert plan.executable_formats == {ELF: 1}
    assert plan.devices == ("local*",)
    assert (plan.modules, plan.parameters) == ((), ())
    for driver in ("local-sync", "local-task"):
        assert entry(plan, driver) == rt.PlanEntry(driver, True, ())


def test_a_program_in_two_formats() -> None:
    plan = rt.plan(compile_program(matmul(64), (LOCAL, LLVM, VMVX, GENERIC)))
    assert plan.executable_formats.keys() == {ELF, "vmvx-bytecode-fb"}
    assert len(set(plan.executable_formats.values())) == 1
    assert entry(plan, "local-sync").runs is True


def test_a_program_for_another_device() -> None:
    plan = rt.plan(compile_program(multiply(), (VULKAN,)))
    assert plan.executable_formats == {"vulkan-spirv-fb": 1}
    assert plan.devices == ("vulkan",)
    assert entry(plan, "local-sync").runs is False
    assert entry(plan, "local-sync").reasons == (f"the program carries vulkan-spirv-fb; the driver loads {LOADED}",)
    assert plan.entries[-1].runs is False


def test_a_program_for_another_processor() -> None:
    if "fma4" in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has fma4")
    plan = rt.plan(compile_program(matmul(64), (LOCAL, LLVM, "--iree-llvmcpu-target-cpu=bdver2")))
    found = entry(plan, "local-sync")
    assert found.runs is False
    assert "needs fma4, which this processor lacks" in found.reasons[0]
    both = rt.plan(compile_program(matmul(64), (LOCAL, LLVM, VMVX, "--iree-llvmcpu-target-cpu=bdver2")))
    assert entry(both, "local-sync").reasons[1:] == ("its executables of format vmvx-bytecode-fb would do",)


def test_a_program_with_parameters() -> None:
    plan = rt.plan(compile_program(PARAMETERS, (LOCAL, LLVM, GENERIC)))
    assert plan.modules == ("io_parameters",)
    assert set(plan.parameters) == {"model::weight", "model::bias"}
    found = entry(plan, "local-sync")
    assert found.runs is False
    assert found.reasons[0].startswith("the program loads parameters model::")


def test_parameters_without_a_scope() -> None:
    source = PARAMETERS.replace('"model"::', "")
    assert set(rt.plan(compile_program(source, (LOCAL, LLVM, GENERIC))).parameters) == {"weight", "bias"}


def _exit(*_: object) -> None:
    raise SystemExit(9)


@pytest.mark.parametrize("function", ["check", "check_executable"])
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda *_: 1 // 0, "() failed: "),
        (_exit, "() failed: "),
        (lambda a, b, c: None, "() failed: "),
        (lambda *_: 5, "() returned 5, which is neither None nor a reason"),
    ],
)
def test_a_function_of_a_plugin_that_fails_harms_nobody(function: str, answer: object, told: str) -> None:
    arguments: dict[str, object] = {"executable_formats": [ELF], function: answer}
    rt.register_driver(rt.DriverPlugin("local-mine", "Mine", "/nowhere/libmine.so", **arguments))  # type: ignore[arg-type]
    try:
        plan = rt.plan(compile_program(multiply(), (LOCAL, LLVM, GENERIC)))
    finally:
        rt.unregister_driver("local-mine")
    found = entry(plan, "local-mine")
    assert found.runs is False
    assert found.reasons[0].startswith(f"its {function}{told}")
    assert entry(plan, "local-sync").runs is True


def test_a_device_may_answer_to_other_names() -> None:
    """One that stands before another answers to that one's names; only it can tell."""
    rt.register_driver(rt.DriverPlugin("mine", "Mine", "/nowhere/libmine.so", executable_formats=[ELF]))
    try:
        plan = rt.plan(compile_program(multiply(), (LOCAL, LLVM, GENERIC)))
    finally:
        rt.unregister_driver("mine")
    assert entry(plan, "mine") == rt.PlanEntry("mine", None, ("the program asks for devices called local*",))


def test_a_program_without_a_device() -> None:
    plan = rt.plan(compile_program("func.func @main(%a: i32) -> i32 { return %a : i32 }", (LOCAL, LLVM, GENERIC)))
    assert plan.executable_formats == {}
    assert {entry.runs for entry in plan.entries if entry.driver.startswith("local-")} == {True}


@pytest.mark.parametrize(
    ("arguments", "runs", "reasons"),
    [
        ({}, None, ("the driver does not say which executables it loads (executable_formats= of its DriverPlugin)",)),
        ({"executable_formats": ["embedded-elf-*"]}, True, ()),
        (
            {"executable_formats": ["a", "b"]},
            False,
            (f"the program carries {ELF}; the driver loads a, b",),
        ),
        (
            {"executable_formats": [ELF], "check_executable": lambda name, data: f"{name} {data[:4]!r}"},
            False,
            (ELF + r" b'\x7fELF'",),
        ),
        ({"executable_formats": [ELF], "check": lambda: "there is no /dev/local"}, False, ("there is no /dev/local",)),
    ],
)
def test_what_a_driver_says(arguments: dict[str, object], runs: bool | None, reasons: tuple[str, ...]) -> None:
    """Of a driver with a name that the program asks for; its library is never loaded."""
    plugin = rt.DriverPlugin("local-mine", "Mine", "/nowhere/libmine.so", **arguments)  # type: ignore[arg-type]
    rt.register_driver(plugin)
    try:
        plan = rt.plan(compile_program(multiply(), (LOCAL, LLVM, GENERIC)))
    finally:
        rt.unregister_driver("local-mine")
    assert entry(plan, "local-mine") == rt.PlanEntry("local-mine", runs, reasons)


def test_a_broken_package_harms_nobody(null: Callable[..., Path]) -> None:
    null(python="raise RuntimeError('no vendor library')")
    plan = rt.plan(compile_program(multiply(), (LOCAL, LLVM, GENERIC)))
    broken = entry(plan, "null")
    assert broken.runs is False
    assert "no vendor library" in broken.reasons[0]
    assert entry(plan, "local-sync").runs is True
    order = [entry.runs for entry in plan.entries]
    assert order == sorted(order, key=[True, None, False].index)


def test_loads_no_library() -> None:
    code = """
import sys
import iree_cy as rt
plan = rt.plan(sys.argv[1])
assert [entry.driver for entry in plan.entries if entry.runs] == ["local-sync", "local-task"], plan
assert "iree_cy_driver" not in open("/proc/self/maps").read()
"""
    program = compile_program(multiply(), (LOCAL, LLVM, GENERIC))
    subprocess.run([sys.executable, "-W", "error", "-c", code, program], check=True)


@pytest.mark.parametrize("length", [0, 4, 1000])
def test_a_file_that_is_no_program(length: int, tmp_path: Path) -> None:
    file = tmp_path / "cut.vmfb"
    file.write_bytes(compile_program(multiply(), (LOCAL, LLVM, GENERIC)).read_bytes()[:length])
    with pytest.raises(rt.InvalidArgument, match=r"cut\.vmfb"):
        rt.plan(file)
    with pytest.raises(FileNotFoundError):
        rt.plan(tmp_path / "absent.vmfb")


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    program = compile_program(multiply(), (LOCAL, LLVM, GENERIC))
    assert main(["plan", str(program)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{program}: executables 1 x {ELF}; devices local*"
    assert lines[1:3] == ["  local-sync: could run it", "  local-task: could run it"]
    assert main(["plan", str(program), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["executable_formats"] == {ELF: 1}
    assert told["entries"][0] == {"driver": "local-sync", "runs": True, "reasons": []}
    assert main(["plan", "/nowhere.vmfb"]) == 1
    assert "/nowhere.vmfb" in capsys.readouterr().err


def test_command_when_none_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(compile_program(multiply(), ("--iree-hal-target-device=cuda",)))]) == 1
    assert "local-sync: cannot run it: the program carries cuda-nvptx-fb; the driver loads" in capsys.readouterr().out
