# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what programs learn of the processor, and what becomes of those that need another one.
"""Programs ask for features by name; variants are chosen by them; code that cannot run is refused."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import numpy as np
import pytest

import iree_cy as rt
from tests.support.programs import CPU_FLAGS, compile_program

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the features are those of x86-64")

# As the compiler names them and as the kernel does.
FEATURES = {
    "sse4.1": "sse4_1",
    "avx2": "avx2",
    "fma": "fma",
    "avx512f": "avx512f",
    "xop": "xop",
    "amx-tile": "amx_tile",
}
GENERIC = (
    '#hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu = "generic", target_triple = "x86_64-none-elf"}>'
)


def kernel_has(flag: str) -> bool:
    return re.search(rf"^flags\b.*\b{flag}\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE) is not None


def load(source: str, flags: tuple[str, ...] = CPU_FLAGS) -> object:
    config = rt.Config(device=rt.get_device("local-sync", cache=False))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(source, flags)), config)


@pytest.mark.parametrize("feature", [*FEATURES, "telepathy"])
def test_answers_for_a_feature(feature: str) -> None:
    """What a program is told is what the kernel lists; what nobody knows is told as unknown."""
    source = f"""
func.func @is_there() -> (i32, i32) {{
  %c0 = arith.constant 0 : index
  %device = hal.devices.get %c0 : !hal.device
  %ok, %value = hal.device.query<%device : !hal.device> key("hal.cpu" :: "{feature}") : i1, i32
  %known = arith.extui %ok : i1 to i32
  return %known, %value : i32, i32
}}
"""
    known, value = load(source).is_there()
    assert known == (feature in FEATURES)
    if known:
        assert value == kernel_has(FEATURES[feature])


@pytest.mark.parametrize("feature", ["avx2", "xop"])
def test_chooses_a_variant(feature: str) -> None:
    """The first variant whose condition holds is the one that runs."""

    def variant(name: str, target: str, operation: str, condition: str) -> str:
        return f"""
  hal.executable.variant public @{name} target({target}) {{
    {condition}
    hal.executable.export public @compute ordinal(0) layout(#layout)
        count(%device: !hal.device) -> (index, index, index) {{
      %c1 = arith.constant 1 : index
      hal.return %c1, %c1, %c1 : index, index, index
    }}
    builtin.module {{
      func.func @compute() {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %in = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c0) : memref<4xf32>
        %out = hal.interface.binding.subspan layout(#layout) binding(1) alignment(64) offset(%c0) : memref<4xf32>
        scf.for %i = %c0 to %c4 step %c1 {{
          %a = memref.load %in[%i] : memref<4xf32>
          %r = {operation} %a, %a : f32
          memref.store %r, %out[%i] : memref<4xf32>
        }}
        return
      }}
    }}
  }}
"""

    condition = f"""hal.executable.condition(%device: !hal.device) -> i1 {{
    %ok, %value = hal.device.query<%device : !hal.device> key("hal.cpu" :: "{feature}") : i1, i1 = false
    hal.return %value : i1
  }}"""
    source = f"""
#generic = {GENERIC}
#layout = #hal.pipeline.layout<bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>
module attributes {{hal.device.targets = [#hal.device.target<"local", [#generic]> : !hal.device]}} {{
hal.executable private @work {{
  {variant("special", "#generic", "arith.mulf", condition)}
  {variant("usual", "#generic", "arith.addf", "")}
}}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
  %r = flow.dispatch {{@work::@special::@compute, @work::@usual::@compute}}(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}}
}}
"""
    a = np.array([1, 3, 5, -7], np.float32)
    expected = a * a if kernel_has(FEATURES[feature]) else a + a
    np.testing.assert_array_equal(load(source, ()).main(a).to_host(), expected)


def test_refuses_code_for_another_processor() -> None:
    """It is an error that names the feature, before anything of it runs."""
    if kernel_has("fma4"):
        pytest.skip("this processor has fma4")
    source = """
func.func @fused(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.fma %a, %a, %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
    flags = (*(flag for flag in CPU_FLAGS if "target-cpu=" not in flag), "--iree-llvmcpu-target-cpu=bdver1")
    with pytest.raises(rt.StatusError, match=r"needs (\S+, )*fma4(, \S+)*, which this processor lacks"):
        load(source, flags)
