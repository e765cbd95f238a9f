# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the Python side of the local drivers: the objects that their entry points resolve to.
"""The local drivers run programs on the CPU: local-sync on the thread that calls, local-task on several threads."""

import platform
from pathlib import Path

from iree_cy import DriverPlugin, StatusError

__all__ = ["local_sync", "local_task"]

_FOLDER = Path(__file__).parent

_FORMATS = (
    "formats",
    str,
    "",
    "executable formats that may be loaded, first choice first, such as 'embedded-elf-x86_64,vmvx'; empty: all",
)
_COMPILE_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
)
# What the devices load too, though compiling for them asks for something faster.
_TARGET_BACKENDS = ("vmvx",)
_EXECUTABLE_FORMATS = (f"embedded-elf-{platform.machine()}", f"system-elf-{platform.machine()}", "vmvx-bytecode-fb")


def _check_executable(executable_format: str, data: bytes) -> str | None:
    # The plugin is imported by those too who only list drivers, and do not pay for the core.
    from iree_cy import check_cpu_executable

    try:
        check_cpu_executable(executable_format, data)
    except StatusError as error:
        return str(error.message)
    return None


local_sync = DriverPlugin(
    "local-sync",
    "CPU, on the calling thread",
    _FOLDER / "libiree_cy_driver_local_sync.so",
    parameters=[_FORMATS],
    compile_flags=_COMPILE_FLAGS,
    target_backends=_TARGET_BACKENDS,
    executable_formats=_EXECUTABLE_FORMATS,
    check_executable=_check_executable,
)

local_task = DriverPlugin(
    "local-task",
    "CPU, on several threads",
    _FOLDER / "libiree_cy_driver_local_task.so",
    parameters=[
        ("threads", int, 0, "how many threads work at once; 0: as many as affinity and the cgroup's CPU quota allow"),
        ("cpus", str, "", "processors that the device's threads run on, such as '0-3,8'; empty: all that are allowed"),
        ("spin_us", int, 0, "microseconds that an idle thread looks for work before it sleeps"),
        _FORMATS,
        ("name", str, "iree-cy", "how the names of the device's threads begin, up to 11 bytes"),
    ],
    compile_flags=_COMPILE_FLAGS,
    target_backends=_TARGET_BACKENDS,
    executable_formats=_EXECUTABLE_FORMATS,
    check_executable=_check_executable,
)
