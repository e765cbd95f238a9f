# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what the Vulkan driver reads of executables that the compiler wrote, whole and damaged.
"""A tool built with the sanitizers reads; what it prints is compared with what the program and the compiler say."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.programs import matmul, multiply
from build_tools.native import Config, build_programs
from tests.programs.operations import OPERATIONS, Operation
from tests.support.programs import CompileError, compile_program, compiler_path
from tests.support.vulkan import require

ROOT = Path(__file__).resolve().parents[3]
VULKAN = ("--iree-hal-target-device=vulkan",)
DESCRIPTORS, ADDRESSES = "vulkan-spirv-fb", "vulkan-spirv-bda-v1"
FUZZ_COUNT = int(os.environ.get("IREE_CY_FUZZ_COUNT", "2000"))

DYNAMIC = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = arith.mulf %a, %b : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""
SUM = """
func.func @main(%a: tensor<64x1024xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce {arith.addf} ins(%a : tensor<64x1024xf32>) outs(%init : tensor<64xf32>) dimensions = [1]
  return %r : tensor<64xf32>
}
"""


@pytest.fixture(scope="module")
def tool() -> Path:
    config = Config(sanitizers=("address", "undefined"), werror=True)
    (program,) = build_programs(config, [Path("tests/backends/vulkan/executable_run.c")])
    return program


def executables(source: str, flags: Sequence[str] = ()) -> list[tuple[str, bytes]]:
    """Compile a program; return its executables, each with its name in the archive."""
    with zipfile.ZipFile(compile_program(source, [*VULKAN, *flags])) as archive:
        return [(name, archive.read(name)) for name in archive.namelist() if name != "module.fb"]


class Tool:
    """The tool, with a folder for its files."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder = program, folder

    def run(self, mode: str, format_: str, data: bytes, *arguments: object) -> subprocess.CompletedProcess[str]:
        file = self.folder / "executable.fb"
        file.write_bytes(data)
        command = [str(self.program), mode, format_, str(file), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def describe(self, data: bytes, format_: str = DESCRIPTORS) -> dict[str, str]:
        """Return the words "key=value" of all lines; of the same keys, the first."""
        done = self.run("describe", format_, data)
        assert done.returncode == 0, done.stdout + done.stderr
        found: dict[str, str] = {}
        for key, value in re.findall(r"(\w+)=(\S*)", done.stdout):
            found.setdefault(key, value)
        return found

    def error(self, data: bytes, format_: str = DESCRIPTORS) -> str:
        done = self.run("describe", format_, data)
        assert done.returncode == 1, done.stdout + done.stderr
        return done.stdout.partition("error: ")[2]

    def words(self, data: bytes, format_: str = DESCRIPTORS) -> bytes:
        output = self.folder / "module.spv"
        done = self.run("words", format_, data, output)
        assert done.returncode == 0, done.stdout + done.stderr
        return output.read_bytes()


@pytest.fixture
def reader(tool: Path, tmp_path: Path) -> Tool:
    return Tool(tool, tmp_path)


# What is read.


def test_elementwise_with_descriptors(reader: Tool) -> None:
    ((name, data),) = executables(multiply(4))
    assert name.endswith("vulkan_spirv_fb.fb")
    found = reader.describe(data)
    assert found["inferred"] == found["format"] == DESCRIPTORS
    assert found["size"] == str(len(data))
    assert found["pipeline"] == "main_dispatch_0_elementwise_4_f32"
    assert (found["bindings"], found["constants"], found["push"]) == ("3", "0", "0")
    assert found["sets"] == "0:7:1,1:7:1,2:7:1"
    assert found["used"] == "0.0,0.1,0.2"
    assert found["workgroup"] == "64x1x1"
    assert found["needs"] == ""


def test_elementwise_with_addresses(reader: Tool) -> None:
    ((name, data),) = executables(multiply(4), ["--iree-vulkan-dispatch-abi=bda"])
    assert name.endswith("vulkan_spirv_bda_v1.fb")
    found = reader.describe(data, ADDRESSES)
    assert found["inferred"] == found["format"] == ADDRESSES
    assert (found["bindings"], found["constants"]) == ("3", "0")
    assert (found["root_offset"], found["constant_offset"], found["push"]) == ("0", "32", "32")
    assert (found["sets"], found["used"]) == ("", "")
    assert found["needs"] == "shaderInt64,bufferDeviceAddress"


def test_both_kinds_in_one_program(reader: Tool) -> None:
    found = executables(multiply(4), ["--iree-vulkan-dispatch-abi=all"])
    formats = [ADDRESSES if "bda" in name else DESCRIPTORS for name, _ in found]
    assert sorted(formats) == sorted([ADDRESSES, DESCRIPTORS])
    for format_, (_, data) in zip(formats, found, strict=True):
        assert reader.describe(data, format_)["inferred"] == format_
        other = DESCRIPTORS if format_ == ADDRESSES else ADDRESSES
        assert f"is of format {format_}, not {other}" in reader.error(data, other)


@pytest.mark.parametrize(("abi", "offset"), [("descriptors", 0), ("bda", 32)])
def test_dynamic_shapes_are_push_constants(reader: Tool, abi: str, offset: int) -> None:
    ((_, data),) = executables(DYNAMIC, [f"--iree-vulkan-dispatch-abi={abi}"])
    found = reader.describe(data, ADDRESSES if offset else DESCRIPTORS)
    assert found["constants"] == "4"
    assert found["push"] == str(offset + 16)
    assert found["constant_offset"] == str(offset)


def test_source_locations(reader: Tool, tmp_path: Path) -> None:
    source = tmp_path / "located.mlir"
    source.write_text(multiply(4))
    output = tmp_path / "located.vmfb"
    subprocess.run([compiler_path(), *VULKAN, source, "-o", output], check=True)
    with zipfile.ZipFile(output) as archive:
        (name,) = [name for name in archive.namelist() if name != "module.fb"]
        data = archive.read(name)
    done = reader.run("describe", DESCRIPTORS, data)
    assert re.search(r"^location= file=\S*located\.mlir line=2$", done.stdout, re.MULTILINE), done.stdout


def test_needs_of_other_targets(reader: Tool) -> None:
    (_, reduction), *_ = executables(SUM, ["--iree-vulkan-target=rdna3"])
    found = reader.describe(reduction)
    assert set(found["needs"].split(",")) >= {"VK_SUBGROUP_FEATURE_BASIC_BIT", "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT"}
    # Eight subgroups of 32 leave a sum each.
    assert (found["workgroup"], found["shared"]) == ("256x1x1", "32")
    (_, product), *_ = executables(matmul(512), ["--iree-vulkan-target=ampere"])
    assert int(reader.describe(product)["shared"]) > 16384


def test_subgroups_of_a_size(reader: Tool) -> None:
    """Products by cooperative matrices are for subgroups of a size."""
    source = re.sub(r"(%[ab]): tensor<256x256xf32>", r"\1: tensor<256x256xf16>", matmul(256))
    source = source.replace("ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>)", "ins(%a, %b : HALF, HALF)")
    source = source.replace("HALF", "tensor<256x256xf16>")
    ((_, data),) = executables(source, ["--iree-vulkan-target=ampere"])
    found = reader.describe(data)
    assert found["subgroup"] == "32"
    assert found["needs"] == "shaderFloat16,cooperativeMatrix,VK_KHR_cooperative_matrix"
    patched = Patched(data)
    assert "wants subgroups of 48" in reader.error(patched.patch(patched.field(PIPELINES, 0, 3), 48))


DUMPED = [each for each in OPERATIONS if each.name in ("arith_addf_f64", "scf_while", "tensor_0d", "cf_switch")]


@pytest.mark.parametrize("operation", DUMPED, ids=str)
def test_words_are_what_the_compiler_dumps(reader: Tool, tmp_path: Path, operation: Operation) -> None:
    """Repair leaves instructions out, and changes none of the others but entry points."""
    dump = tmp_path / "dump"
    output = tmp_path / "program.vmfb"
    target = "--iree-vulkan-target=llvmpipe"
    command = [compiler_path(), *VULKAN, target, *operation.flags, "-", "-o", str(output)]
    command.append(f"--iree-hal-dump-executable-binaries-to={dump}")
    subprocess.run(command, input=operation.source.encode(), check=True, capture_output=True)
    with zipfile.ZipFile(output) as archive:
        names = [name for name in archive.namelist() if name != "module.fb"]
        contents = [archive.read(name) for name in names]
    dumped = [instructions(path.read_bytes()) for path in dump.glob("*.spv")]
    assert len(dumped) == len(contents) > 0
    for data in contents:
        kept = instructions(reader.words(data))
        assert any(without_repaired(whole) == without_repaired(kept) for whole in dumped)
        assert not any(is_wrap(each) for each in kept) or kept[0][1] >= 0x10400


def instructions(module: bytes) -> list[tuple[int, ...]]:
    """Split a module into its header and its instructions."""
    words = struct.unpack(f"<{len(module) // 4}I", module)
    found = [words[:5]]
    position = 5
    while position < len(words):
        found.append(words[position : position + (words[position] >> 16)])
        position += words[position] >> 16
    return found


def is_wrap(instruction: tuple[int, ...]) -> bool:
    """Tell a decoration NoSignedWrap or NoUnsignedWrap."""
    return instruction[0] & 0xFFFF == 71 and instruction[2] in (4469, 4470)


def without_repaired(module: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return [each for each in module if not is_wrap(each) and each[0] & 0xFFFF != 15]


@pytest.mark.parametrize("flag", ["", "--iree-vulkan-target=llvmpipe", "--iree-vulkan-dispatch-abi=bda"])
def test_words_are_valid_for_vulkan(reader: Tool, tmp_path: Path, flag: str) -> None:
    """What the reader hands on is what Vulkan takes, also where the compiler's words are not."""
    require(shutil.which("spirv-val") is not None, "spirv-tools is not installed")
    checked = 0
    for operation in OPERATIONS:
        try:
            found = executables(operation.source, [*([flag] if flag else []), *operation.flags])
        except CompileError:  # a target without such a type
            continue
        for name, data in found:
            words = reader.words(data, ADDRESSES if "bda" in name else DESCRIPTORS)
            module = tmp_path / "handed.spv"
            module.write_bytes(words)
            command = ["spirv-val", "--target-env", "vulkan1.3", str(module)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{operation}: {done.stderr}"
            checked += 1
    assert checked > 40


# What is refused.


class Patched:
    """An executable of which fields are found by their way from the root, and changed."""

    HEADER = 64

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)

    def u32(self, position: int) -> int:
        return int(struct.unpack_from("<I", self.data, position)[0])

    def field(self, *way: int) -> int:
        """Follow fields and indices, one after the other from the root's field on; return the last field's place."""
        table = self.HEADER + self.u32(self.HEADER)
        place = vector = table
        for step, number in enumerate(way):
            if step % 2 == 0:
                vtable = table - struct.unpack_from("<i", self.data, table)[0]
                offset = int(struct.unpack_from("<H", self.data, vtable + 4 + 2 * number)[0])
                assert offset != 0, "the field is absent"
                place = table + offset
                vector = place + self.u32(place)
            else:
                place = vector + 4 + 4 * number
                table = place + self.u32(place)
        return place

    def vector(self, *way: int) -> int:
        """Return the place of the count of the vector, or of the table, that a field refers to."""
        place = self.field(*way)
        return place + self.u32(place)

    def patch(self, position: int, value: int) -> bytes:
        changed = bytearray(self.data)
        struct.pack_into("<I", changed, position, value & 0xFFFFFFFF)
        return bytes(changed)


PIPELINES, SET_LAYOUTS, PIPELINE_LAYOUTS, MODULES = range(4)


@pytest.fixture(scope="module")
def dynamic() -> Patched:
    ((_, data),) = executables(DYNAMIC)
    return Patched(data)


@pytest.mark.parametrize(
    ("way", "value", "message"),
    [
        ((SET_LAYOUTS, 0, 0, 1, 0), 2, "set layout 0 has binding 2 twice"),
        ((SET_LAYOUTS, 0, 0, 2, 0), 9, "'NAME' uses binding 2 of set 0, which its layout does not have"),
        ((SET_LAYOUTS, 0, 0, 2, 1), 6, "'NAME' uses binding 2 of set 0 as something else than its layout"),
        ((SET_LAYOUTS, 0, 0, 2, 1), 8, "binding 2 of set layout 0 has type 8, which is no buffer"),
        ((SET_LAYOUTS, 0, 0, 2, 2), 0, "binding 2 of set layout 0 has 0 descriptors"),
        ((SET_LAYOUTS, 0, 0, 2, 3), 0x10, "binding 2 of set layout 0 is not for compute shaders"),
    ],
)
def test_fields_that_are_wrong(reader: Tool, dynamic: Patched, way: tuple[int, ...], value: int, message: str) -> None:
    name = "main_dispatch_0_elementwise_D_f32"
    error = reader.error(dynamic.patch(dynamic.field(*way), value))
    assert error.startswith("INVALID_ARGUMENT; the Vulkan executable is not valid: "), error
    assert message.replace("NAME", name) in error


def test_indices_and_counts_that_are_wrong(reader: Tool, dynamic: Patched) -> None:
    sets = dynamic.vector(PIPELINE_LAYOUTS, 0, 0)
    assert "pipeline layout 0 names set layout 3 of 1" in reader.error(dynamic.patch(sets + 4, 3))
    ranges = dynamic.vector(PIPELINE_LAYOUTS, 0, 1)
    assert dynamic.u32(ranges + 12) == 16
    assert "uses 16 bytes of push constants, its layout has 12" in reader.error(dynamic.patch(ranges + 12, 12))
    assert "has push constants of 15 bytes at 0" in reader.error(dynamic.patch(ranges + 12, 15))
    assert "has push constants of 16 bytes at 4294967292" in reader.error(dynamic.patch(ranges + 8, -4))
    pipelines = dynamic.vector(PIPELINES)
    assert "it has 0 pipelines" in reader.error(dynamic.patch(pipelines, 0))
    assert "its list of pipelines reaches outside of its" in reader.error(dynamic.patch(pipelines, -1))
    modules = dynamic.vector(MODULES)
    assert "is in shader module 0 of 0" in reader.error(dynamic.patch(modules, 0))
    layouts = dynamic.vector(PIPELINE_LAYOUTS)
    assert "has pipeline layout 0 of 0" in reader.error(dynamic.patch(layouts, 0))


def test_shaders_that_are_wrong(reader: Tool, dynamic: Patched) -> None:
    words = dynamic.vector(MODULES, 0, 0)
    name = "main_dispatch_0_elementwise_D_f32"
    assert f"the SPIR-V of '{name}' does not begin as SPIR-V" in reader.error(dynamic.patch(words + 4, 0))
    assert f"the SPIR-V of '{name}' is not valid at word 5: " in reader.error(dynamic.patch(words + 24, 0))
    shorter = dynamic.patch(words, dynamic.u32(words) - 1)
    assert f"the SPIR-V of '{name}' is not valid at word " in reader.error(shorter)
    entry_point = dynamic.vector(PIPELINES, 0, 1)
    other = bytearray(dynamic.data)
    other[entry_point + 4] = ord("M")
    error = reader.error(bytes(other))
    assert "the SPIR-V has no entry point 'Main_dispatch_0_elementwise_D_f32' among its 1" in error
    other[entry_point + 4] = 10
    assert "pipeline 0 has no printable name" in reader.error(bytes(other))


def test_tables_of_addresses_in_descriptors_are_refused(reader: Tool) -> None:
    """The compiler's third format takes its table from a set that no layout in the file has."""
    info = (
        'iree_codegen.target_info = #iree_gpu.target<arch = "", features = "spirv:v1.3,cap:Shader,cap:Int64,'
        'cap:PhysicalStorageBufferAddresses,ext:SPV_KHR_physical_storage_buffer", wgp = <compute = fp32|int32, '
        "storage = b32, subgroup = none, subgroup_size_choices = [64], max_workgroup_sizes = [128, 128, 64], "
        "max_thread_count_per_workgroup = 128, max_workgroup_memory_bytes = 16384, "
        "max_workgroup_counts = [65535, 65535, 65535]>>"
    )
    source = f"""
#target = #hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb-ptr", {{{info}}}>
module attributes {{stream.affinity.default = #hal.device.affinity<@device>}} {{
  util.global private @device = #hal.device.target<"vulkan", [#target]> : !hal.device
  {multiply(4)}
}}
"""
    with zipfile.ZipFile(compile_program(source, [])) as archive:
        (name,) = [name for name in archive.namelist() if name != "module.fb"]
        data = archive.read(name)
    assert "executables of format 'vulkan-spirv-fb-ptr' do not run here" in reader.error(data, "vulkan-spirv-fb-ptr")
    assert "uses binding 0 of set 3, which its layout does not have" in reader.error(data)


# Damage.


SMALL = {
    DESCRIPTORS: (multiply(4), ()),
    ADDRESSES: (DYNAMIC, ("--iree-vulkan-dispatch-abi=bda",)),
}
LARGER = [
    (DYNAMIC, ()),
    (DYNAMIC, ("--iree-vulkan-dispatch-abi=bda",)),
    (SUM, ("--iree-vulkan-target=rdna3",)),
    (matmul(16), ("--iree-vulkan-target=ampere",)),
]


def _done(done: subprocess.CompletedProcess[str]) -> tuple[int, int]:
    """Return how many files were read and how many accepted."""
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    match = re.search(r"^(\d+) read, (\d+) accepted$", done.stdout, re.MULTILINE)
    assert match, done.stdout
    return int(match[1]), int(match[2])


@pytest.mark.parametrize("format_", SMALL)
def test_every_cut(reader: Tool, format_: str) -> None:
    ((_, data),) = executables(*SMALL[format_])
    assert _done(reader.run("cuts", format_, data)) == (len(data), 0)


@pytest.mark.parametrize("format_", SMALL)
def test_every_cut_of_the_contents(reader: Tool, format_: str) -> None:
    """The header says what is left, so that the contents are looked into."""
    ((_, data),) = executables(*SMALL[format_])
    done = reader.run("contents", format_, data)
    count, accepted = _done(done)
    assert count == len(data) - 64
    # Behind the last thing that is looked at may be a few bytes.
    assert accepted < 16


@pytest.mark.parametrize("format_", SMALL)
def test_every_byte_changed(reader: Tool, format_: str) -> None:
    ((_, data),) = executables(*SMALL[format_])
    count, accepted = _done(reader.run("bytes", format_, data, 0, len(data)))
    assert count == 5 * len(data)
    assert 0 < accepted < count


@pytest.mark.parametrize(("source", "flags"), LARGER, ids=["dynamic", "addresses", "subgroups", "workgroup-memory"])
def test_mutations(reader: Tool, source: str, flags: tuple[str, ...]) -> None:
    ((name, data),) = executables(source, flags)
    done = reader.run("fuzz", ADDRESSES if "bda" in name else DESCRIPTORS, data, 1, FUZZ_COUNT)
    count, accepted = _done(done)
    assert count == FUZZ_COUNT
    assert 0 < accepted < count
