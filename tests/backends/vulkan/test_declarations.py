# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests the driver's own declarations of the Vulkan API against the headers of the system.
"""Every struct, member, value and entry point that the driver declares is the standard's."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.support.native import compile_object
from tests.support.tree import ROOT, strip_c_comments
from tests.support.vulkan import require

SOURCES = ROOT / "backends" / "vulkan" / "src"
HEADERS = ("vulkan_api.h", "vulkan_structs.h", "vulkan_objects.h")
THEIRS = Path("/usr/include/vulkan/vulkan_core.h")

TEXT = "\n".join(strip_c_comments((SOURCES / name).read_text()) for name in HEADERS)
FUNCTIONS = strip_c_comments((SOURCES / "vulkan_functions.h").read_text()).replace("\\\n", "\n")

# What the headers say of themselves, and names that are macros with arguments.
_NOT_VALUES = re.compile(r"VK_(API_VERSION_(MAJOR|MINOR|PATCH)$|\w+_EXTENSION_NAME$)")


def structs() -> dict[str, list[str]]:
    """Return the members of each struct."""
    found = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", TEXT, re.DOTALL):
        members = []
        for declaration in filter(None, (" ".join(line.split()) for line in body.split(";"))):
            for part in declaration.split(","):
                members.append(re.sub(r"\[.*", "", part).split("*")[-1].split()[-1])
        found[name] = members
    return found


def scalars() -> list[str]:
    """Return the names of types that are no structs and no pointers to functions."""
    return re.findall(r"typedef (?!struct Vk\w+ \{)[\w ]+?\*? ?(Vk\w+);", TEXT)


def values() -> list[str]:
    """Return the names of the constants."""
    defined = re.findall(r"^#define (VK_\w+)", TEXT, re.MULTILINE)
    counted = re.findall(r"^ *(VK_[A-Z0-9_a-z]+) =", TEXT, re.MULTILINE)
    return [name for name in (*defined, *counted) if not _NOT_VALUES.match(name)]


def program(include: str) -> str:
    """Return a program that tells all of it, as one of the two declares it."""
    incomplete = set(re.findall(r"typedef struct (\w+) \1;", TEXT))
    lines = []
    for name, members in structs().items():
        lines.append(f'  printf("{name} %zu %zu\\n", sizeof({name}), _Alignof({name}));')
        lines += [
            f'  printf("{name}.{member} %zu %zu\\n", offsetof({name}, {member}), sizeof((({name}*)0)->{member}));'
            for member in members
        ]
    for name in scalars():
        if name not in incomplete:
            sign = f"(int)(({name})-1 < ({name})1)" if not re.search(rf"{name}_T\* {name};", TEXT) else "2"
            lines.append(f'  printf("{name} %zu %d\\n", sizeof({name}), {sign});')
    lines += [f'  printf("{name} %lld %d\\n", (long long)({name}), (int)sizeof({name}));' for name in values()]
    names = re.findall(r"\bVK_\w+_EXTENSION_NAME\b", TEXT)
    assert len(names) > 5
    lines += [f'  printf("{name} %s\\n", {name});' for name in names]
    version = "VK_MAKE_API_VERSION(1, 2, 3, 4)" if "<" in include else "((1u << 29) | (2u << 22) | (3u << 12) | 4u)"
    lines += [
        f'  printf("{part} %d\\n", (int)VK_API_VERSION_{part}({version}));' for part in ("MAJOR", "MINOR", "PATCH")
    ]
    return "\n".join([
        "#include <stddef.h>", "#include <stdint.h>", "#include <stdio.h>", f"#include {include}",
        "int main(void) {", *lines, "  return 0;", "}", "",
    ])  # fmt: skip


def run(text: str, name: str, folder: Path) -> list[str]:
    """Compile and run a program; return its lines."""
    (folder / f"{name}.c").write_text(text)
    command = ["cc", "-std=gnu11", "-Wno-all", f"-I{SOURCES}", str(folder / f"{name}.c"), "-o", str(folder / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr[:4000]}"
    return subprocess.run([folder / name], capture_output=True, text=True, check=True).stdout.splitlines()


def test_there_is_something_to_compare() -> None:
    assert len(structs()) > 60
    assert "maxPushConstantsSize" in structs()["VkPhysicalDeviceLimits"]
    assert structs()["VkDebugUtilsLabelEXT"] == ["sType", "pNext", "pLabelName", "color"]
    assert {"VkResult", "VkBuffer", "VkFlags64"} <= {*scalars(), "VkResult"}
    assert {"VK_TRUE", "VK_ERROR_DEVICE_LOST", "VK_ACCESS_2_HOST_READ_BIT"} <= set(values())


def test_sizes_offsets_and_values_are_those_of_the_standard(tmp_path: Path) -> None:
    require(THEIRS.is_file(), "libvulkan-dev is not installed")
    ours = run(program('"vulkan_api.h"'), "ours", tmp_path)
    theirs = run(program("<vulkan/vulkan.h>"), "theirs", tmp_path)
    assert len(ours) > 900
    assert [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]] == []


def _parameters(text: str) -> list[str]:
    """Return the types and names of a list of parameters, spelt one way."""
    return [re.sub(r"\s*\*\s*", "* ", " ".join(part.split())) for part in text.split(",")]


def functions() -> dict[str, tuple[str, list[str]]]:
    """Return result and parameters of each entry point that the driver lists."""
    listed = re.findall(r"\bX\(\s*(\w+),\s*(\w+),\s*\(([^()]*)\)\s*\)", FUNCTIONS)
    return {name: (result, _parameters(parameters)) for name, result, parameters in listed}


def test_entry_points_are_those_of_the_standard() -> None:
    require(THEIRS.is_file(), "libvulkan-dev is not installed")
    text = strip_c_comments(THEIRS.read_text())
    standard = {
        name: (result, _parameters(parameters))
        for result, name, parameters in re.findall(
            r"typedef (\w+) \(VKAPI_PTR \*PFN_vk(\w+)\)\(([^()]*)\);", text, re.DOTALL
        )
    }
    ours = functions()
    assert len(ours) > 80
    assert len(ours) == len(re.findall(r"\bX\(\w", FUNCTIONS))
    assert {name: ours[name] for name in ours if ours[name] != standard.get(name)} == {}


@pytest.mark.parametrize("header", [*HEADERS, "vulkan_functions.h"])
def test_each_header_compiles_alone(header: str, tmp_path: Path) -> None:
    flags = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{SOURCES}"]
    compile_object(f'#include "{header}"\n#include "{header}"\n', "c", flags, tmp_path)
